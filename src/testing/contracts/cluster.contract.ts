import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../ports/cluster.ts';
import { ACTING_LAWS } from './cluster/acting-laws.ts';
import { APPLY_LAWS } from './cluster/apply-laws.ts';
import { CUSTOM_KIND_LAWS } from './cluster/custom-kind-laws.ts';
import { DELETING_LAWS } from './cluster/deleting-laws.ts';
import { DISCOVERY_LAWS } from './cluster/discovery-laws.ts';
import { FIELD_VALIDATION_LAWS } from './cluster/field-validation-laws.ts';
import { type Law, TYPES, type World } from './cluster/law.ts';
import { PATCH_LAWS } from './cluster/patch-laws.ts';
import { READING_LAWS } from './cluster/reading-laws.ts';
import { WATCHING_LAWS } from './cluster/watching-laws.ts';
import { WELL_KNOWN_KIND_LAWS } from './cluster/well-known-kind-laws.ts';
import { WRITING_LAWS } from './cluster/writing-laws.ts';

const CHAPTERS: Readonly<Record<string, readonly Law[]>> = {
  discovery: DISCOVERY_LAWS,
  writing: WRITING_LAWS,
  'validation of fields': FIELD_VALIDATION_LAWS,
  patches: PATCH_LAWS,
  'server-side apply': APPLY_LAWS,
  deleting: DELETING_LAWS,
  reading: READING_LAWS,
  watching: WATCHING_LAWS,
  'kinds that are defined': CUSTOM_KIND_LAWS,
  'kinds with a meaning': WELL_KNOWN_KIND_LAWS,
  'acting, evicting, logs': ACTING_LAWS,
};

/** A cluster to hold the laws against. All is asked when a law runs, so that it may be started before them. */
export interface ContractTarget {
  readonly name: string;
  readonly cluster: () => Cluster;
  readonly warnings: readonly string[];
  readonly request: World['request'];
  /** Undefined: the cluster cannot be made to forget, and the laws that need it are not tried. */
  readonly forget?: () => Promise<void>;
  /** Laws that do not hold there, each with its reason. One that holds after all fails the run. */
  readonly differences: ReadonlyMap<string, string>;
}

/** The differences that a file lists, one `law<TAB>reason` a line. */
export function readDifferences(file: URL): ReadonlyMap<string, string> {
  const lines = readFileSync(file, 'utf8').split('\n');
  return new Map(
    lines.filter((line) => line !== '').map((line) => [line.split('\t')[0] ?? '', line.split('\t')[1] ?? '']),
  );
}

async function holds(law: Law, world: World): Promise<{ readonly failure?: unknown }> {
  try {
    await law.run(world);
    return {};
  } catch (failure) {
    return { failure };
  }
}

async function ownNamespace(cluster: Cluster, number: number): Promise<string> {
  const name = `law-${number}`;
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await cluster.create({ type: TYPES.namespaces, namespace: '' }, object);
  return name;
}

async function tryLaw(law: Law, number: number, target: ContractTarget): Promise<void> {
  const cluster = target.cluster();
  const forget = target.forget ?? (() => Promise.reject(new Error('this cluster cannot be made to forget')));
  const namespace = await ownNamespace(cluster, number);
  const { request, warnings } = target;
  const result = await holds(law, { cluster, namespace, request, warnings, forget });
  const reason = target.differences.get(law.title);
  if (reason === undefined) {
    if ('failure' in result) throw result.failure;
  } else if (!('failure' in result)) {
    throw new Error(`holds on ${target.name} now: take it out of the list of differences`);
  }
}

/**
 * Holds the laws of an API server against a cluster: what the port `Cluster` promises, and what callers of it rely on.
 * In: answers, refusals with their causes, watches. Left out: times, sizes of answers and the texts of most messages.
 */
export function clusterContract(target: ContractTarget): void {
  const chapters = Object.entries(CHAPTERS);
  const all = chapters.flatMap(([, laws]) => laws);
  const untried = all.filter((law) => law.needs === 'forget' && target.forget === undefined);
  describe(`the laws of a cluster on ${target.name}`, () => {
    it('have each its own title, and each difference is of a law and has a reason', () => {
      const titles = all.map(({ title }) => title);
      expect(new Set(titles).size).toBe(titles.length);
      expect([...target.differences.keys()].filter((title) => !titles.includes(title))).toEqual([]);
      expect([...target.differences].filter(([, reason]) => reason === '')).toEqual([]);
    });

    for (const [chapter, laws] of chapters) {
      describe(chapter, () => {
        for (const law of laws.filter((each) => !untried.includes(each))) {
          it(law.title, () => tryLaw(law, all.indexOf(law), target));
        }
      });
    }

    afterAll(() => {
      const tried = all.length - untried.length;
      const skipped = untried.map(({ title }) => `; not tried, for it cannot be made to forget: ${title}`).join('');
      console.log(
        `${target.name}: ${tried} of ${all.length} laws, ${target.differences.size} listed differences${skipped}`,
      );
    });
  });
}
