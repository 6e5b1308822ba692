import { isDeepStrictEqual } from 'node:util';
import { type CelResult, createEnvironment, isCelError, type Program } from '../../../src/cel/index.ts';
import { ExpressionWriter, SUBJECT } from '../../oracle/expressions.ts';
import type { Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';

const options = { variables: { obj: 'dyn' }, limits: { cost: 20_000 } };
const environment = createEnvironment(options);
const generating = createEnvironment({ ...options, codegen: 'eager' });

type Place = readonly (string | number)[];

/** Every place of the data, the root left out. */
function placesOf(value: unknown, path: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const keys: (string | number)[] = Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value);
  return keys.flatMap((key) => [
    [...path, key],
    ...placesOf((value as Record<string | number, unknown>)[key], [...path, key]),
  ]);
}

/** A copy in which one place holds another value, or nothing. */
function changed(value: unknown, [key, ...rest]: Place, random: Random): unknown {
  if (key === undefined) return random.pick([undefined, null, 7, 'other', true, 1.25, [1, 'x'], { a: 9 }, [], {}]);
  const copy: Record<string | number, unknown> = (
    Array.isArray(value) ? [...value] : { ...(value as object) }
  ) as Record<string | number, unknown>;
  const next = changed(copy[key], rest, random);
  if (next !== undefined) copy[key] = next;
  // Only the last element can go without moving the others, which would be a change of theirs.
  else if (Array.isArray(copy) && Number(key) === copy.length - 1) copy.pop();
  else if (Array.isArray(copy)) copy[key] = null;
  else delete copy[key];
  return copy;
}

function run(program: Program, obj: unknown): readonly [CelResult | string, number] {
  const result = program.evaluate({ obj });
  return [isCelError(result) ? result.code : result, program.lastCost];
}

export const celPaths: FuzzTarget = {
  name: 'cel-paths',
  law: 'a change outside the referenced paths changes neither result nor error code nor cost',
  try(random, describe) {
    const source = new ExpressionWriter(random.below(2 ** 31)).write(4);
    const check = random.chance(0.7);
    const compiled = environment.compile(source, { check });
    const generated = generating.compile(source, { check });
    if (!compiled.ok || !generated.ok) return;
    const { program } = compiled;
    const places = placesOf(SUBJECT);
    const before = run(program, SUBJECT);
    for (let count = 0; count < 6; count += 1) {
      const place = random.pick(places);
      const after = changed(SUBJECT, place, random);
      describe(`${source}\n${place.join('.')} changed: ${JSON.stringify(after)}`);
      if (program.affectedBy('obj', SUBJECT, after) !== generated.program.affectedBy('obj', SUBJECT, after))
        throw new Error('affectedBy() of generated code says otherwise');
      const same = isDeepStrictEqual(run(program, after), before);
      if (same) continue;
      if (!program.affectedBy('obj', SUBJECT, after))
        throw new Error('affectedBy() saw no difference, the result is another');
      if (!program.referencedPaths.has(['obj', ...place]))
        throw new Error('the place is not among the referenced paths');
    }
  },
};
