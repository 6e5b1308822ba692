import { describe, expect, it } from 'vitest';
import { BUILT_IN_KINDS } from './built-in-kinds.ts';
import { builtInType } from './built-in-type.ts';
import { decodeBuiltIn } from './decode-built-in.ts';

const DEPLOYMENT = builtInType('apps', 'v1', 'Deployment');
const CONFIG_MAP = builtInType('', 'v1', 'ConfigMap');
const POD = builtInType('', 'v1', 'Pod');

const decode = (object: unknown, type = DEPLOYMENT): Record<string, unknown> => decodeBuiltIn(object, type).value;

describe('an object of a built-in kind', () => {
  it('loses the fields that its type does not have, and their places are told', () => {
    const containers = [{ name: 'a' }, { name: 'b', imagee: 'x', env: [{ nam: 'y' }] }];
    const object = { spec: { replicass: 1, template: { spec: { containers } } }, extra: {} };
    expect(decodeBuiltIn(object, DEPLOYMENT)).toEqual({
      value: { spec: { template: { spec: { containers: [{ name: 'a' }, { name: 'b', env: [{}] }] } } } },
      unknown: [
        'spec.replicass',
        'spec.template.spec.containers[1].imagee',
        'spec.template.spec.containers[1].env[0].nam',
        'extra',
      ],
    });
  });

  it('has no fields that every object of JavaScript has', () => {
    const { unknown } = decodeBuiltIn({ spec: { toString: 1 }, constructor: 1 }, DEPLOYMENT);
    expect(unknown).toEqual(['spec.toString', 'constructor']);
  });

  it('keeps what is free in form', () => {
    const revision = { data: { any: [1, { thing: null }] }, revision: 1 };
    expect(decode(revision, builtInType('apps', 'v1', 'ControllerRevision'))).toEqual(revision);
  });

  it('takes null for absent in a field, and for the zero value in maps and lists', () => {
    const metadata = { labels: null, annotations: { a: null }, finalizers: ['x', null] };
    expect(decode({ metadata, spec: null })).toEqual({ metadata: { annotations: { a: '' }, finalizers: ['x', ''] } });
  });

  it('gives quantities and times the form in which they are written', () => {
    const requests = { cpu: 1, memory: '1024Mi' };
    const spec = { containers: [{ resources: { requests } }] };
    const status = { startTime: '2026-03-02T12:00:00.987+02:00' };
    expect(decode({ spec, status }, POD)).toEqual({
      spec: { containers: [{ resources: { requests: { cpu: '1', memory: '1Gi' } } }] },
      status: { startTime: '2026-03-02T10:00:00Z' },
    });
    const lease = builtInType('coordination.k8s.io', 'v1', 'Lease');
    expect(decode({ spec: { renewTime: '2026-03-02T12:00:00.12+02:00' } }, lease)).toEqual({
      spec: { renewTime: '2026-03-02T10:00:00.120000Z' },
    });
  });

  it.each<[unknown, unknown, string]>([
    [
      DEPLOYMENT,
      { spec: { replicas: 'three' } },
      'cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      DEPLOYMENT,
      { spec: { replicas: 1.5 } },
      'cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      DEPLOYMENT,
      { spec: { paused: 'yes' } },
      'cannot unmarshal string into Go struct field DeploymentSpec.spec.paused of type bool',
    ],
    [DEPLOYMENT, { spec: [] }, 'cannot unmarshal array into Go struct field Deployment.spec of type DeploymentSpec'],
    [
      DEPLOYMENT,
      { spec: { template: { spec: { containers: {} } } } },
      'Go struct field PodSpec.spec.template.spec.containers of type []Container',
    ],
    [CONFIG_MAP, { data: { n: 1 } }, 'cannot unmarshal number into Go struct field ConfigMap.data of type string'],
    [
      CONFIG_MAP,
      { data: ['a'] },
      'cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string',
    ],
    [CONFIG_MAP, { binaryData: { a: '?' } }, 'illegal base64 data'],
    [CONFIG_MAP, { metadata: { creationTimestamp: 'today' } }, 'parsing time "today"'],
    [POD, { spec: { containers: [{ resources: { limits: { cpu: 'much' } } }] } }, 'quantities must match'],
  ])('with a value of another type is refused: case %#', (type, object, message) => {
    expect(() => decodeBuiltIn(object, type === POD ? POD : type === CONFIG_MAP ? CONFIG_MAP : DEPLOYMENT)).toThrow(
      message,
    );
  });

  it('has a type with metadata, whatever kind it is', () => {
    for (const { group, version, kind } of BUILT_IN_KINDS) {
      expect([kind, builtInType(group, version, kind).field('metadata')?.written]).toEqual([
        kind,
        'meta.v1.ObjectMeta',
      ]);
    }
  });
});

describe('the shape of a built-in kind', () => {
  const at = (type: typeof POD, path: string) =>
    path
      .split('.')
      .reduce<{ list: unknown; atomicMap: boolean; child(name: string): never }>(
        (shape, name) => shape.child(name),
        type as never,
      );

  it('tells how lists and maps are merged', () => {
    const service = builtInType('', 'v1', 'Service');
    const ports = 'spec.template.spec.containers.ports';
    expect(at(DEPLOYMENT, ports).list).toEqual({
      kind: 'map',
      keys: ['containerPort', 'protocol'],
      defaults: { protocol: 'TCP' },
    });
    expect(at(service, 'spec.ports').list).toMatchObject({ keys: ['port', 'protocol'] });
    expect(at(POD, 'metadata.finalizers').list).toEqual({ kind: 'set' });
    expect(at(POD, 'spec.tolerations').list).toEqual({ kind: 'atomic' });
    expect(at(POD, 'status.hostIPs').list).toEqual({ kind: 'atomic', patchKey: 'ip' });
    expect(at(DEPLOYMENT, 'spec.selector').atomicMap).toBe(true);
    expect(at(POD, 'spec.nodeSelector').atomicMap).toBe(true);
    expect(at(POD, 'metadata.labels').atomicMap).toBe(false);
    expect(at(POD, 'no.such.field')).toMatchObject({ list: { kind: 'atomic' }, atomicMap: false });
  });
});
