import { API_VERSION, RELEASES } from '../../core/api/index.ts';
import { asMap, field } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import { ROLLBACK_TO } from '../../core/release/index.ts';
import type { Stage } from './stage.ts';

const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' };
const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };

type Annotations = Readonly<Record<string, string>>;

function named(name: string, annotations: Annotations = {}): { name: string; annotations?: Annotations } {
  const own = Object.entries(annotations).map(([key, value]) => [`convoy.kumodo.io/${key}`, value] as const);
  return { name, ...(own.length === 0 ? {} : { annotations: Object.fromEntries(own) }) };
}

function podTemplate(name: string, image: string): KubernetesObject {
  return { metadata: { labels: { app: name } }, spec: { containers: [{ name, image }] } };
}

function job(name: string, annotations: Annotations): KubernetesObject {
  const spec = { restartPolicy: 'Never', containers: [{ name, image: 'app:1' }] };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: named(name, annotations), spec: { template: { spec } } };
}

/** A shop in three waves: settings, a database, a web front; with a Job before and one behind. */
function shop(image: string, banner: boolean): readonly KubernetesObject[] {
  const selector = (name: string) => ({ matchLabels: { app: name } });
  return [
    job('migrate', { hook: 'preSync' }),
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: named('settings', { 'sync-wave': '0' }),
      data: { currency: 'EUR' },
    },
    ...(banner
      ? [
          {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: named('banner', { 'sync-wave': '0' }),
            data: { text: 'sale' },
          },
        ]
      : []),
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: named('db', { 'sync-wave': '1' }),
      spec: { serviceName: 'db', replicas: 1, selector: selector('db'), template: podTemplate('db', 'db:1') },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: named('web', { 'sync-wave': '2' }),
      spec: { replicas: 2, selector: selector('web'), template: podTemplate('web', image) },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: named('web', { 'sync-wave': '2' }),
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
    },
    job('announce', { hook: 'postSync', 'hook-run-after': 'Healthy' }),
  ];
}

function release(objects: readonly KubernetesObject[]): KubernetesObject & { metadata: { name: string } } {
  return {
    apiVersion: API_VERSION,
    kind: 'Release',
    metadata: { name: 'shop' },
    spec: {
      source: { inline: { objects } },
      syncPolicy: { interval: '10s', retryInterval: '30s' },
      healthAssessment: {
        globalRuleSetSelector: { matchLabels: { 'convoy.kumodo.io/default': 'true' } },
        deadline: '12s',
      },
    },
  };
}

const works = (stage: Stage): boolean => stage.is('Ready', 'True') && stage.is('Healthy', 'True');

/** A Release from its first day to its last: waves, hooks, a bad image, the way back, drift, prune, deletion. */
export async function playRelease(stage: Stage): Promise<void> {
  await stage.apply(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: stage.namespace } });

  stage.scene(
    'A shop is released: settings, then the database, then the web front',
    'Each wave waits until the one before works. A Job migrates before all of it, another one announces the shop when',
    'everything is healthy.',
  );
  stage.typed('kubectl apply -f shop.yaml');
  await stage.apply(RELEASES, release(shop('web:1', true)));
  await stage.until('the shop works', () => works(stage));

  stage.scene(
    'A new version names an image that does not exist',
    'It may fail for 12 seconds, its deadline. Then it is Degraded, and the message says what its pod says.',
  );
  stage.typed('kubectl apply -f shop.yaml          # image: web:missing');
  await stage.apply(RELEASES, release(shop('web:missing', true)));
  await stage.until('the attempt fails', () => stage.is('Ready', 'False', 'WaveDegraded'));

  stage.scene(
    'Back to what was healthy last',
    'The render is kept: nothing is fetched or rendered anew. What was asked for is held back.',
  );
  stage.typed('convoy release rollback shop -n shop');
  const healthy = stage.release?.status.lastHealthy?.renderRef;
  await stage.patch(RELEASES, 'shop', { metadata: { annotations: { [ROLLBACK_TO]: healthy } } });
  await stage.until(
    'the old version works',
    () => stage.is('Ready', 'False', 'RolledBack') && stage.is('Healthy', 'True'),
  );

  stage.scene('The version is mended', 'The source gives another render, and that ends the hold.');
  stage.typed('kubectl apply -f shop.yaml          # image: web:2');
  await stage.apply(RELEASES, release(shop('web:2', true)));
  await stage.until('the new version works', () => works(stage) && stage.release?.status.held === undefined);

  stage.scene('Somebody changes the cluster by hand', 'That is drift: it is found, told, and corrected.');
  stage.typed('kubectl scale deployment web -n shop --replicas=5');
  await stage.patch(DEPLOYMENTS, 'web', { spec: { replicas: 5 } });
  await stage.until('the change is undone', async () => {
    const replicas = field(asMap(await stage.get(DEPLOYMENTS, 'web'))['spec'], 'replicas');
    return replicas === 2 && works(stage) && stage.is('Drifted', 'False');
  });

  stage.scene('The banner leaves the source', 'What the source has no more is pruned, after everything else works.');
  stage.typed('kubectl apply -f shop.yaml          # without the ConfigMap banner');
  await stage.apply(RELEASES, release(shop('web:2', false)));
  await stage.until(
    'the banner is gone',
    async () => works(stage) && (await stage.get(CONFIG_MAPS, 'banner')) === undefined,
  );

  stage.scene('The Release is deleted', 'What it applied goes with it, in the opposite order.');
  stage.typed('kubectl delete release shop -n shop');
  await stage.delete(RELEASES, 'shop');
  await stage.until('everything is gone', async () => {
    const left = await Promise.all([stage.get(DEPLOYMENTS, 'web'), stage.get(CONFIG_MAPS, 'settings')]);
    return stage.release === undefined && left.every((object) => object === undefined);
  });

  stage.scene('It is released once more, for you to play with');
  await stage.apply(RELEASES, release(shop('web:2', false)));
  await stage.until('the shop works', () => works(stage));
}
