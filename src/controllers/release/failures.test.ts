import { expect, test } from 'vitest';
import { ApiError } from '../../ports/errors.ts';
import { failureAt, isTransient } from './failures.ts';

const at = (kind: string) => ({ group: '', version: 'v1', kind, namespace: 'shop', name: 'key' });
/** Word for word what an API server of Kubernetes 1.36 answers, with the code 500. */
const untyped = (what: string) =>
  new ApiError(`failed to create typed patch object (shop/key; /v1): ${what}`, 500, 'InternalError');

test('a field that the server does not know, or of another type: no other try mends it, though the server says 500', () => {
  const error = untyped('.spec.replica: field not declared in schema');
  expect(isTransient(error)).toBe(false);
  expect(failureAt(at('ConfigMap'), error)).toMatchObject({
    outcome: 'ApplyFailed',
    message: expect.stringContaining('.spec.replica: field not declared in schema'),
  });
});

test('a value of a Secret that is no base64: no other try mends it', () => {
  const why =
    'unable to convert unstructured object to /v1, Kind=Secret: error decoding from json: illegal base64 data at input byte 7';
  const said = `failed to convert new object (shop/key; /v1, Kind=Secret) to proper version: ${why}`;
  expect(isTransient(new ApiError(said, 500, 'InternalError'))).toBe(false);
});

test('another 500 may pass', () => {
  const error = new ApiError('etcdserver: leader changed', 500, 'InternalError');
  expect(isTransient(error)).toBe(true);
  expect(() => failureAt(at('ConfigMap'), error)).toThrow('leader changed');
});

test('a Secret with values of another type: the first field is named, no value is', () => {
  const value = (text: string) => `expected string, got &value.valueUnstructured{Value:${text}}`;
  const { message } = failureAt(
    at('Secret'),
    untyped(`errors: .stringData.pin: ${value('12345')} .data.tls.key: ${value('map{"inner": "hunter2"}')}`),
  );
  expect(message).toContain('.stringData.pin: expected string)');
  expect(message).not.toMatch(/12345|hunter2/);
});

test('a Secret whose data is a list', () => {
  const { message } = failureAt(at('Secret'), untyped('.data: expected map, got &{[hunter2]}'));
  expect(message).toContain('.data: expected map');
  expect(message).not.toContain('hunter2');
});

test('a Secret whose value looks like a complaint', () => {
  const { message } = failureAt(at('Secret'), untyped('.data.a: expected string, got &{.hunter2: expected map}'));
  expect(message).not.toContain('hunter2');
});
