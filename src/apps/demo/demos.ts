import { playRelease } from './release-demo.ts';
import type { Stage } from './stage.ts';

/** A story that is played on a cluster. */
export interface Demo {
  readonly namespace: string;
  /** The Release that it is about. */
  readonly release: string;
  play(stage: Stage): Promise<void>;
}

/** By the names that `--demo=NAME` takes. */
export const DEMOS: Readonly<Record<string, Demo>> = {
  release: { namespace: 'shop', release: 'shop', play: playRelease },
};
