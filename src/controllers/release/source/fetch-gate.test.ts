import { expect, test } from 'vitest';
import { FetchGate, serverOf } from './fetch-gate.ts';

function gateOf(most: number, perServer: number) {
  const woken: string[] = [];
  return { woken, gate: new FetchGate({ most, perServer, wake: (release) => woken.push(release) }) };
}

test('a server that hangs takes its own places, and no other’s', () => {
  const { gate, woken } = gateOf(4, 2);
  const first = gate.enter('shop/a', 'hangs');
  expect(gate.enter('shop/b', 'hangs')).toBeDefined();
  expect(gate.enter('shop/c', 'hangs')).toBeUndefined();
  expect(gate.enter('shop/d', 'answers')).toBeDefined();
  expect(woken).toEqual([]);
  first?.();
  expect(woken).toEqual(['shop/c']);
  expect(gate.enter('shop/c', 'hangs')).toBeDefined();
});

test('whoever was turned away first is woken first, when there is a place at the server that it wants', () => {
  const { gate, woken } = gateOf(2, 1);
  const leaveOne = gate.enter('shop/a', 'one');
  const leaveTwo = gate.enter('shop/b', 'two');
  expect(gate.enter('shop/c', 'one')).toBeUndefined();
  expect(gate.enter('shop/d', 'three')).toBeUndefined();
  expect(gate.enter('shop/c', 'one')).toBeUndefined();
  leaveTwo?.();
  expect(woken).toEqual(['shop/d']);
  leaveOne?.();
  expect(woken).toEqual(['shop/d', 'shop/c']);
});

test.each([
  [{ git: { url: 'https://Git.example.com:8443/team/shop.git' } }, 'git.example.com:8443'],
  [{ git: { url: 'ssh://git@git.example.com/shop' } }, 'git.example.com'],
  [{ git: { url: 'no address' } }, 'no address'],
  [{ oci: { url: 'oci://registry.example.com/shop', tag: '1' } }, 'registry.example.com'],
  [{ helm: { chart: 'a', repo: { url: 'https://charts.example.com' } } }, 'charts.example.com'],
  [{ helm: { chart: 'a', repo: { git: { url: 'https://git.example.com/a' } } } }, 'git.example.com'],
  [{ inline: { manifests: '' } }, undefined],
  [{ configMap: { name: 'a' } }, undefined],
])('the server of %j', (source, server) => {
  expect(serverOf(source)).toBe(server);
});
