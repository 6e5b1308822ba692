import { afterAll } from 'vitest';
import type { Cluster } from '../../src/ports/cluster.ts';
import { type ControlPlane, startControlPlane } from '../../src/sandbox/real/control-plane.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { connect } from '../integration/contract-target.ts';
import { observerLaws } from '../integration/observer-laws.ts';
import { buildControlPlane } from './build-control-plane.ts';

let plane: ControlPlane | undefined;
let cluster: Cluster | undefined;

afterAll(async () => {
  await cluster?.close();
  await plane?.down();
}, 60_000);

observerLaws('a real control plane', async () => {
  plane = await startControlPlane(buildControlPlane(console.log));
  cluster = await connect(plane);
  return { cluster, clock: new FakeClock() };
});
