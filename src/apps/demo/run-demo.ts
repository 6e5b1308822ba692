import { installObjects } from '../../cli/commands/run-install.ts';
import { compileOperatorOptions } from '../../cli/commands/run-operator.ts';
import { asMap } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { Clock } from '../../ports/clock.ts';
import { asError } from '../../runtime/as-error.ts';
import { aborted } from '../../runtime/pause.ts';
import { type OperatorWorld, operate } from '../operator/run-operator.ts';
import { applyObjects } from './apply-objects.ts';
import type { Demo } from './demos.ts';
import { Stage } from './stage.ts';

/** Where the operator of a demo lives. */
const NAMESPACE = 'convoy-system';

export interface DemoOptions {
  readonly demo: Demo;
  /** What the operator works with; `cluster` is also what the demo is played on. */
  readonly world: OperatorWorld;
  readonly clock: Clock;
  readonly cacheFolder: string;
  /** Shows a line to the person who watches. */
  readonly tell: (line: string) => void;
}

/**
 * Installs convoy into a cluster, runs its operator in this process, and plays a demo. The operator goes on behind it, until the signal
 * aborts. Throws what the operator throws; that the demo did not come to its end is told.
 */
export async function runDemo(options: DemoOptions, signal: AbortSignal): Promise<void> {
  const { demo, world, clock, tell } = options;
  const { cluster } = world;
  const { crds, rules, operator } = installObjects({
    namespace: NAMESPACE,
    image: 'convoy',
    replicas: 1,
    controllers: new Set(['release', 'observer']),
    aggregatedApi: true,
    clusterAdmin: true,
    defaultServiceAccount: undefined,
  });
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  await applyObjects(cluster, clock, [...crds, namespace, ...rules], signal);
  const working = new AbortController();
  const stop = AbortSignal.any([signal, working.signal]);
  const onListening: OperatorWorld['onListening'] = (what, port) => {
    if (what === 'aggregated API')
      void applyObjects(cluster, clock, reachable(operator, port), stop).catch(told(tell, stop));
  };
  const operating = operate(operatorOptions(options), { ...world, namespace: NAMESPACE, onListening }, stop);
  const stage = new Stage({ cluster, clock, namespace: demo.namespace, release: demo.release, tell }, stop);
  const following = stage.follow();
  const playing = demo.play(stage).catch(told(tell, stop));
  try {
    // The operator ends with the signal alone; before that only by a failure.
    await Promise.race([operating, Promise.all([playing, aborted(stop)])]);
  } finally {
    working.abort();
    await Promise.all([operating, following, playing]);
  }
}

function told(tell: (line: string) => void, stop: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!stop.aborted) tell(`   ${asError(error).message}`);
  };
}

function operatorOptions({ cacheFolder }: DemoOptions) {
  return compileOperatorOptions({
    controllers: 'release,observer',
    crossNamespaceRefs: true,
    aggregatedApi: true,
    aggregatedApiBindAddress: '127.0.0.1:0',
    aggregatedApiService: 'convoy',
    healthBindAddress: '127.0.0.1:0',
    cacheDir: cacheFolder,
    workers: '4',
    logLevel: 'warn',
  });
}

/** The Service and the APIService, for a server on this machine: a name that is an address needs nobody to reach pods. */
function reachable(objects: readonly KubernetesObject[], port: number): readonly KubernetesObject[] {
  return objects.flatMap((object): KubernetesObject[] => {
    switch (object['kind']) {
      case 'Service':
        return [{ ...object, spec: { type: 'ExternalName', externalName: '127.0.0.1' } }];
      case 'APIService': {
        const spec = asMap(object['spec']);
        return [{ ...object, spec: { ...spec, service: { ...asMap(spec['service']), port } } }];
      }
      default:
        return [];
    }
  });
}

/** Says what a person can do next. */
export function afterwards({ namespace, release }: Demo, kubeconfig: string): readonly string[] {
  return [
    'That was it. Everything still runs. In another terminal:',
    `  export KUBECONFIG=${kubeconfig}`,
    `  convoy release health ${release} -n ${namespace} --watch`,
    `  kubectl set image deploy/web web=web:broken -n ${namespace}     # drift: undone in a moment`,
    `  kubectl edit release ${release} -n ${namespace}`,
    'Ctrl-C ends it.',
  ];
}
