import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeClock } from '../apps/node-clock.ts';
import { deployment } from './api/object-api.fixture.ts';
import { widget, widgetDefinition } from './crd/crd.fixture.ts';
import { skipReason, type Tools, toolPath, toolsFor } from './kubectl.fixture.ts';
import { type Sandbox, startSandbox } from './start-sandbox.ts';

const here = toolPath('kubectl') !== undefined;
if (!here) console.log(`kubectl on the sandbox: skipped, ${skipReason('kubectl')}`);

describe.skipIf(!here)('kubectl on the sandbox', () => {
  let sandbox: Sandbox;
  let tools: Tools;
  beforeAll(async () => {
    sandbox = await startSandbox({ clock: nodeClock, token: 'token-of-the-test' });
    tools = toolsFor(sandbox.kubeconfig);
  });
  afterAll(async () => {
    await sandbox.close();
    tools.remove();
  });

  const web = (replicas: number, image: string): string => {
    const object = deployment('web', { replicas }) as {
      spec: { template: { spec: { containers: { image: string }[] } } };
    };
    for (const container of object.spec.template.spec.containers) container.image = image;
    return JSON.stringify(object);
  };

  it('applies, waits for a rollout, shows, updates, undoes and deletes', async () => {
    const { kubectl } = tools;
    expect(await kubectl('apply -f -', web(2, 'app:1'))).toBe('deployment.apps/web created\n');
    expect(await kubectl('rollout status deploy/web --timeout=20s')).toContain('successfully rolled out');
    expect(await kubectl('get deploy web --no-headers')).toMatch(/^web +2\/2 +2 +2 +\d+s\n$/);
    expect(await kubectl('get pods -l app=web -o name')).toMatch(/^pod\/web-\S+\npod\/web-\S+\n$/);
    expect(await kubectl('logs deploy/web')).toContain('app is ready');
    expect(await kubectl('apply -f -', web(2, 'app:2'))).toBe('deployment.apps/web configured\n');
    expect(await kubectl('apply -f -', web(2, 'app:2'))).toBe('deployment.apps/web unchanged\n');
    await kubectl('rollout status deploy/web --timeout=20s');
    await kubectl('rollout undo deploy/web');
    await kubectl('rollout status deploy/web --timeout=20s');
    expect(await kubectl('get deploy web -o jsonpath={.spec.template.spec.containers[0].image}')).toBe('app:1');
    await kubectl('scale deploy/web --replicas=1');
    await kubectl('wait deploy/web --for=jsonpath={.status.replicas}=1 --timeout=20s');
    expect(await kubectl('delete deploy/web --timeout=20s')).toContain('deleted');
    await kubectl('wait pods -l app=web --for=delete --timeout=20s');
  });

  it('applies a List, as `kubectl get -o yaml` prints it', async () => {
    const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
    const list = { apiVersion: 'v1', kind: 'List', items: [map('first'), map('second')] };
    const told = 'configmap/first created\nconfigmap/second created\n';
    expect(await tools.kubectl('apply -f -', JSON.stringify(list))).toBe(told);
  });

  it('applies on the server, and tells whose field is in the way', async () => {
    const { kubectl, run } = tools;
    const map = (value: string): string =>
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { key: value } });
    const apply = 'apply --server-side --field-manager';
    expect(await kubectl(`${apply}=one -f -`, map('1'))).toBe('configmap/settings serverside-applied\n');
    const refused = await run('kubectl', [...`${apply}=two -f -`.split(' ')], map('2'));
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('conflict with "one": .data.key');
    await kubectl(`${apply}=two --force-conflicts -f -`, map('2'));
    expect(await kubectl('get cm settings -o jsonpath={.data.key}')).toBe('2');
  });

  it('patches in three ways', async () => {
    const { kubectl } = tools;
    await kubectl('apply -f -', web(1, 'app:1'));
    await kubectl('patch deploy web --type=merge -p {"metadata":{"labels":{"a":"1"}}}');
    await kubectl('patch deploy web --type=json -p [{"op":"replace","path":"/spec/replicas","value":0}]');
    const containers = '{"spec":{"template":{"spec":{"containers":[{"name":"app","image":"app:9"}]}}}}';
    await kubectl(`patch deploy web -p ${containers}`);
    const template = 'jsonpath={.metadata.labels.a}{.spec.replicas}{.spec.template.spec.containers[*].image}';
    expect(await kubectl(`get deploy web -o ${template}`)).toBe('10app:9');
    await kubectl('delete deploy web');
  });

  it('lists what is served, in a table and by short names', async () => {
    expect(await tools.kubectl('api-resources --api-group=apps --no-headers')).toMatch(
      /deployments +deploy +apps\/v1 +true +Deployment/,
    );
    expect(await tools.kubectl('get ns,no,sc -o name')).toContain('node/sandbox-1');
    expect(await tools.kubectl('auth can-i delete pods')).toBe('yes\n');
    expect(await tools.kubectl('explain deploy.spec.replicas')).toMatch(/FIELD: replicas <integer>/);
    expect(await tools.kubectl('explain pod.spec.containers.ports')).toMatch(/containerPort\s+<integer>/);
  });

  it('defines a kind of its own, waits for it, explains it, and gets its objects', async () => {
    const { kubectl, run } = tools;
    const size = { type: 'integer', minimum: 1, description: 'How large it is.' };
    await kubectl('apply -f -', JSON.stringify(widgetDefinition({ properties: { size } })));
    await kubectl('wait crd/widgets.shop.example.com --for=condition=established --timeout=20s');
    expect(await kubectl('explain widget.spec.size')).toMatch(/FIELD: size <integer>[\s\S]*How large it is\./);
    await kubectl('apply -f -', JSON.stringify(widget({ size: 2 })));
    expect(await kubectl('get wd --no-headers')).toMatch(/^w +2 *\n$/);
    const misspelt = await run('kubectl', ['apply', '-f', '-'], JSON.stringify(widget({ sice: 2 })));
    expect(misspelt.err).toContain('unknown field "spec.sice"');
    const small = await run('kubectl', ['apply', '-f', '-'], JSON.stringify(widget({ size: 0 })));
    expect(small.err).toContain('should be greater than or equal to 1');
    await kubectl('delete crd widgets.shop.example.com --timeout=20s');
    expect((await run('kubectl', ['get', 'wd'])).code).toBe(1);
  });

  it('creates by its own commands, which send protobuf', async () => {
    const { kubectl } = tools;
    await kubectl('create namespace shop');
    await kubectl('create deployment api -n shop --image=api:1 --replicas=2');
    await kubectl('create secret generic login -n shop --from-literal=password=x');
    await kubectl('rollout status deploy/api -n shop --timeout=20s');
    expect(await kubectl('get secret login -n shop -o jsonpath={.data.password}')).toBe('eA==');
    await kubectl('delete namespace shop --timeout=20s');
  });

  it('makes CronJobs, autoscalers, budgets and roles by its own commands, follows a log, and drains a node', async () => {
    const { kubectl, run } = tools;
    await kubectl('create namespace work');
    const cron = ['create', 'cronjob', 'tick', '-n', 'work', '--image=tick:1', '--schedule=0 0 1 1 *'];
    expect((await run('kubectl', cron)).out).toBe('cronjob.batch/tick created\n');
    await kubectl('create job once -n work --from=cronjob/tick');
    await kubectl('wait job/once -n work --for=condition=complete --timeout=20s');
    expect(await kubectl('logs job/once -n work -f')).toBe('tick starts\ntick is ready\ntick ends: Completed\n');
    await kubectl('create deployment api -n work --image=api:1 --replicas=2');
    await kubectl('rollout status deploy/api -n work --timeout=20s');
    expect(await kubectl('autoscale deploy/api -n work --min=2 --max=4 --cpu=50%')).toContain('autoscaled');
    expect(await kubectl('get hpa -n work --no-headers')).toMatch(/^api +Deployment\/api +\S+ \S+ +2 +4 +/);
    await kubectl('create poddisruptionbudget api -n work --selector=app=api --max-unavailable=0');
    await kubectl('create ingress api -n work --rule=example.com/*=api:80');
    await kubectl('create quota limits -n work --hard=pods=9,cpu=1000m');
    expect(await kubectl('get quota limits -n work -o jsonpath={.spec.hard.cpu}')).toBe('1');
    await kubectl('create role reader -n work --verb=get,list --resource=pods');
    await kubectl('create rolebinding readers -n work --role=reader --user=ada');
    await kubectl('wait pdb/api -n work --for=jsonpath={.status.currentHealthy}=2 --timeout=20s');
    expect(await kubectl('get pdb -n work --no-headers')).toMatch(/^api +N\/A +0 +0 +/);
    const node = await kubectl('get pods -n work -l app=api -o jsonpath={.items[0].spec.nodeName}');
    const refused = await run('kubectl', ['drain', node, '--ignore-daemonsets', '--force', '--timeout=1s']);
    expect(refused.err).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
    await kubectl('delete pdb api -n work');
    expect(await kubectl(`drain ${node} --ignore-daemonsets --force --timeout=20s`)).toContain('drained');
    await kubectl('rollout status deploy/api -n work --timeout=20s');
    expect(await kubectl('get pods -n work -l app=api -o jsonpath={.items[*].spec.nodeName}')).not.toContain(node);
    await kubectl(`uncordon ${node}`);
    await kubectl('delete namespace work --timeout=20s');
  });

  it('creates from a file and is told what is wrong with it', async () => {
    const file = join(tools.folder, 'wrong.json');
    const { spec, ...rest } = deployment('wrong') as { spec: Record<string, unknown> };
    writeFileSync(file, JSON.stringify({ ...rest, spec: { ...spec, selector: { matchLabels: { app: 'other' } } } }));
    const { code, err } = await tools.run('kubectl', ['create', '-f', file]);
    expect(code).toBe(1);
    expect(err).toContain('`selector` does not match template `labels`');
  });
});
