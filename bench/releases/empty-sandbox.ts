/** A sandbox that serves convoy's kinds and has the shipped rules, in a process of its own. Its parent gets the kubeconfig. */
import { nodeClock } from '../../src/apps/node-clock.ts';
import { catalogue } from '../../src/catalogue/index.ts';
import { ruleSetObjects } from '../../src/catalogue/rule-set-objects.ts';
import { definitionOf, OWN_KINDS } from '../../src/core/api/index.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';

const sandbox = await startSandbox({ clock: nodeClock, token: 'token-of-the-bench' });
const BY = { manager: 'bench' };

function create(object: KubernetesObject): void {
  const type = sandbox.api.registry.byKind(String(object['apiVersion']), String(object['kind']));
  if (type === undefined) throw new Error(`${object['kind']} is not served`);
  sandbox.api.create(type, '', object, BY);
}

for (const own of OWN_KINDS) create(definitionOf(own));
for (const set of ruleSetObjects(catalogue())) create(set);

process.on('disconnect', () => process.exit(0));
process.on('message', () => process.send?.(process.cpuUsage()));
process.send?.({ value: sandbox.kubeconfig });
