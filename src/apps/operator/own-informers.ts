import { RELEASE_INDEXES } from '../../controllers/release/index.ts';
import { GLOBAL_HEALTH_RULE_SETS, GROUP, HEALTH_RULE_SETS, INVENTORIES, RELEASES } from '../../core/api/index.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster, ResourcePath } from '../../ports/cluster.ts';
import { ApiError } from '../../ports/errors.ts';
import { Informer, type InformerOptions } from '../../runtime/informer.ts';
import { INVENTORY_INDEXES } from '../../runtime/inventory-index.ts';

/** Followed in the cluster of the Releases, shared by all that works on them. */
export interface OwnInformers {
  readonly releases: Informer;
  readonly inventories: Informer;
  readonly globalRuleSets: Informer;
  readonly localRuleSets: Informer;
  /** What sources are read from; only that they changed is of interest. */
  readonly configMaps: Informer;
  readonly secrets: Informer;
}

/** Secrets that are no source of anything: renders of our own, releases of Helm, tokens. */
const NO_SOURCES = ['convoy.kumodo.io/render', 'helm.sh/release.v1', 'kubernetes.io/service-account-token'];

/** What is told of a failure to read. A kind that is not there is not installed, and that has a mend of its own. */
function toldOf(error: Error, { group }: ResourcePath['type']): Error {
  if (!(error instanceof ApiError) || error.code !== 404 || group !== GROUP) return error;
  return new Error('is not defined in this cluster; `convoy install --only crds | kubectl apply --server-side -f -`');
}

/** Nothing of what a ConfigMap or a Secret holds stays in memory. */
function metadataAlone({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject {
  return { apiVersion, kind, metadata };
}

/** `onError` hears of each failure once, until something else fails. */
export function ownInformers(
  cluster: Pick<Cluster, 'list' | 'watch'>,
  clock: Clock,
  onError: (resource: string, error: Error) => void,
): OwnInformers {
  const follow = (type: ResourcePath['type'], more: Partial<InformerOptions> = {}): Informer => {
    let last = '';
    const tell = (failure: Error): void => {
      const error = toldOf(failure, type);
      if (error.message === last) return;
      last = error.message;
      onError(type.resource, error);
    };
    return new Informer({ cluster, clock, path: { type, namespace: '' }, onError: tell, ...more });
  };
  const core = (resource: string): ResourcePath['type'] => ({ group: '', version: 'v1', resource });
  return {
    releases: follow(RELEASES, { indexes: RELEASE_INDEXES }),
    inventories: follow(INVENTORIES, { indexes: INVENTORY_INDEXES }),
    globalRuleSets: follow(GLOBAL_HEALTH_RULE_SETS),
    localRuleSets: follow(HEALTH_RULE_SETS),
    configMaps: follow(core('configmaps'), { transform: metadataAlone }),
    secrets: follow(core('secrets'), {
      transform: metadataAlone,
      fieldSelector: NO_SOURCES.map((type) => `type!=${type}`).join(','),
    }),
  };
}
