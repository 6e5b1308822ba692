import { RELEASE_INDEXES } from '../../controllers/release/index.ts';
import { GLOBAL_HEALTH_RULE_SETS, HEALTH_RULE_SETS, INVENTORIES, RELEASES } from '../../core/api/index.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cluster, ResourcePath } from '../../ports/cluster.ts';
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

/** Nothing of what a ConfigMap or a Secret holds stays in memory. */
function metadataAlone({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject {
  return { apiVersion, kind, metadata };
}

export function ownInformers(
  cluster: Pick<Cluster, 'list' | 'watch'>,
  clock: Clock,
  onError: (resource: string, error: Error) => void,
): OwnInformers {
  const follow = (type: ResourcePath['type'], more: Partial<InformerOptions> = {}): Informer =>
    new Informer({
      cluster,
      clock,
      path: { type, namespace: '' },
      onError: (error) => onError(type.resource, error),
      ...more,
    });
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
