import { afterAll, beforeAll } from 'vitest';
import type { Cluster } from '../../src/ports/cluster.ts';
import { type ControlPlane, startControlPlane } from '../../src/sandbox/real/control-plane.ts';
import { ownKindsContract } from '../../src/testing/contracts/own-kinds.contract.ts';
import { connect } from '../integration/contract-target.ts';
import { buildControlPlane } from './build-control-plane.ts';

let plane: ControlPlane;
let cluster: Cluster;

beforeAll(async () => {
  plane = await startControlPlane(buildControlPlane(console.log));
  cluster = await connect(plane);
}, 45 * 60_000);

afterAll(async () => {
  await cluster?.close();
  await plane?.down();
}, 60_000);

ownKindsContract('a real control plane', () => cluster);
