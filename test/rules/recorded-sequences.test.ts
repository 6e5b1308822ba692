import { describe, expect, it } from 'vitest';
import { assess } from '../../src/core/health/index.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';
import { casesPresent, catalogueRules, readLines } from './third-party-cases.ts';

const FILE = 'pulumi-sequences.jsonl';

/** A recorded history of one object (`sequence`), or one recorded state. */
interface Recording {
  readonly id: string;
  readonly type: 'sequence' | 'state';
  readonly events: readonly KubernetesObject[];
  /** Whether the peer saw the object become ready; the last event is then the one that did it. */
  readonly ready: boolean | null;
  readonly checks?: Readonly<Record<string, boolean>>;
}

const present = casesPresent(FILE);

describe.skipIf(!present)('recorded histories of pods and jobs', () => {
  const rules = catalogueRules();
  const recordings = present ? readLines<Recording>(FILE) : [];
  const statesOf = ({ events }: Recording): readonly string[] =>
    events.map((object) => assess({ object, rules, now: Date.parse('2026-01-01T00:00:00Z'), failFast: true }).state);

  for (const recording of recordings.filter(({ type }) => type === 'sequence')) {
    it(`${recording.id} ${recording.ready === true ? 'gets ready with its last event' : 'never gets ready'}`, () => {
      const healthy = statesOf(recording).map((state) => state === 'Healthy');
      const expected = recording.events.map(
        (_, index) => recording.ready === true && index === recording.events.length - 1,
      );
      expect(healthy).toEqual(expected);
    });
  }

  for (const recording of recordings.filter(({ type }) => type === 'state')) {
    const whole = recording.checks?.['podReady'] ?? recording.checks?.['jobComplete'] ?? false;
    it(`${recording.id} is ${whole ? 'healthy' : 'not healthy'}`, () => {
      expect(statesOf(recording)[0] === 'Healthy').toBe(whole);
    });
  }
});
