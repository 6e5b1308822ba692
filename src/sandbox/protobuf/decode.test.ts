import { describe, expect, it } from 'vitest';
import { decodeProtobuf } from './decode.ts';

/** A length-delimited field. */
function field(number: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]);
}

function varint(number: number, value: number): Buffer {
  return Buffer.from([number << 3, value]);
}

function body(kind: string, fields: Buffer | readonly Buffer[] = [], apiVersion = 'v1'): Buffer {
  const all = Buffer.isBuffer(fields) ? [fields] : fields;
  return Buffer.concat([Buffer.from('k8s\0'), field(1, field(1, apiVersion), field(2, kind)), field(2, ...all)]);
}

describe('an object in protobuf', () => {
  it('is read with its maps, times, bytes and lists; zero values of Go are none', () => {
    const time = field(8, Buffer.from([8, 0x80, 0xba, 0xe0, 0xd0, 0x06]));
    const metadata = field(
      1,
      field(1, 'a'),
      field(2, ''),
      varint(7, 0),
      time,
      field(11, field(1, 'k'), field(2, 'v')),
      field(14, 'x/y'),
      field(14, 'z'),
    );
    expect(
      decodeProtobuf(body('Secret', [metadata, field(2, field(1, 'key'), field(2, 'text')), field(3, 'Opaque')])),
    ).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'a',
        creationTimestamp: expect.stringMatching(/^20\d\d-/),
        labels: { k: 'v' },
        finalizers: ['x/y', 'z'],
      },
      data: { key: Buffer.from('text').toString('base64') },
      type: 'Opaque',
    });
  });

  it('keeps a count of 0 where it says something, and reads both forms of a port', () => {
    expect(decodeProtobuf(body('DeleteOptions', varint(1, 0)))).toMatchObject({ gracePeriodSeconds: 0 });
    const port = (target: Buffer): Buffer => field(1, varint(3, 80), field(4, target));
    const named = port(Buffer.concat([varint(1, 1), varint(2, 0), field(3, 'web')]));
    const numbered = port(Buffer.concat([varint(1, 0), varint(2, 81), field(3, '')]));
    expect(decodeProtobuf(body('Service', field(2, named, numbered)))).toMatchObject({
      spec: {
        ports: [
          { port: 80, targetPort: 'web' },
          { port: 80, targetPort: 81 },
        ],
      },
    });
  });

  it('with a field that is not known is refused only when it says something', () => {
    expect(decodeProtobuf(body('ConfigMap', field(9, field(1, ''))))).toMatchObject({ kind: 'ConfigMap' });
    expect(() => decodeProtobuf(body('ConfigMap', field(9, 'x')))).toThrow(
      'field 9 of ConfigMap is not read from protobuf',
    );
    expect(() => decodeProtobuf(body('Widget'))).toThrow('Widget is not read from protobuf');
  });

  it('is read with quantities, JSON, lists of numbers and fields of messages that lie within', () => {
    const limits = field(8, field(1, field(1, 'cpu'), field(2, field(1, '1'))));
    const key = field(4, field(1, field(1, 'login')), field(2, 'password'), varint(3, 0));
    const env = field(7, field(1, 'A'), field(3, key));
    const container = field(2, field(1, 'app'), env, limits);
    const volume = field(1, field(1, 'v'), field(2, field(6, field(1, 's'))));
    const security = field(14, varint(4, 7), varint(4, 8));
    expect(decodeProtobuf(body('Pod', field(2, volume, container, security)))).toMatchObject({
      spec: {
        volumes: [{ name: 'v', secret: { secretName: 's' } }],
        containers: [
          {
            name: 'app',
            resources: { limits: { cpu: '1' } },
            env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'login', key: 'password', optional: false } } }],
          },
        ],
        securityContext: { supplementalGroups: [7, 8] },
      },
    });
    const extra = field(5, field(1, 'team'), field(2, field(1, 'blue'), field(1, 'red')));
    expect(decodeProtobuf(body('SubjectAccessReview', field(2, extra), 'authorization.k8s.io/v1'))).toMatchObject({
      spec: { extra: { team: ['blue', 'red'] } },
    });
    const entry = [field(1, 'me'), field(7, field(1, '{"f:data":{}}'))];
    const size = entry.reduce((sum, { length }) => sum + length, 0);
    // Field 17: its number takes two bytes.
    const managed = field(1, Buffer.from([0x8a, 0x01, size]), ...entry);
    expect(decodeProtobuf(body('ConfigMap', managed))).toMatchObject({
      metadata: { managedFields: [{ manager: 'me', fieldsV1: { 'f:data': {} } }] },
    });
  });

  it.each([
    ['text', Buffer.from('hello')],
    ['a length beyond its end', Buffer.from('k8s\0\x0a\x7f')],
    ['a number without an end', Buffer.from([107, 56, 115, 0, 0x08, 0xff, 0xff])],
  ])('that is %s is refused', (_, bytes) => {
    expect(() => decodeProtobuf(bytes)).toThrow('not a Kubernetes object in protobuf');
  });
});
