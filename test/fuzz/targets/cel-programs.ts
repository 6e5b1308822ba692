import { isDeepStrictEqual } from 'node:util';
import { type CelResult, createEnvironment, isCelError, shortValue } from '../../../src/cel/index.ts';
import { ExpressionWriter, SUBJECT } from '../../oracle/expressions.ts';
import type { Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';

const options = { variables: { obj: 'dyn' }, limits: { cost: 20_000 } };
const environment = createEnvironment(options);
const generating = createEnvironment({ ...options, codegen: 'eager' });

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? { a: value } : [value];
  return value;
}

function cyclic(): unknown {
  const value: Record<string, unknown> = { a: 1 };
  value['self'] = value;
  value['list'] = [value, value];
  return value;
}

/** Values that no JSON holds, or that JSON holds but nobody expects. */
const HOSTILE: readonly (() => unknown)[] = [
  () => deep(2_000),
  cyclic,
  () => JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1, "toString": null}') as unknown,
  () => Object.create(null) as unknown,
  () =>
    Object.defineProperty({}, 'a', {
      enumerable: true,
      get: () => {
        throw new Error('getter');
      },
    }),
  () => new Date(0),
  () => new Map([['a', 1]]),
  () => () => 1,
  () => Symbol('s'),
  () => 2n ** 70n,
  () => Number.MAX_VALUE,
  () => Number.NaN,
  () => -0,
  () => 'x'.repeat(5_000),
  () => '\ud800\udc00\ud800',
  () => Array.from({ length: 3_000 }, (_, index) => index),
  () => Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, index])),
  () => [undefined, null, ...new Array<number>(1), 1],
  () => new Uint8Array(3),
  () => undefined,
  () => null,
  () => ({ value: 1, present: true, seconds: 1, items: [] }),
];

function hostileSubject(random: Random): unknown {
  if (random.chance(0.1)) return random.pick(HOSTILE)();
  const subject: Record<string, unknown> = structuredClone(SUBJECT);
  for (let count = random.below(4); count >= 0; count -= 1) {
    subject[random.pick(Object.keys(subject))] = random.pick(HOSTILE)();
  }
  return subject;
}

/** Freezes data so that a write would throw; cyclic and deep data too. */
function freeze(value: unknown): void {
  const pending = [value];
  for (let next = pending.pop(); pending.length > 0 || next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null || Object.isFrozen(next) || ArrayBuffer.isView(next)) continue;
    Object.freeze(next);
    for (const { value: inner } of Object.values(Object.getOwnPropertyDescriptors(next))) pending.push(inner);
  }
}

/** Both have to give the same value, or the same error at the same place, at the same cost. */
function compare(what: string, other: CelResult, otherCost: number, result: CelResult, cost: number): void {
  const alike = isCelError(result)
    ? isCelError(other) && other.code === result.code && other.start === result.start
    : isDeepStrictEqual(other, result);
  if (!alike) throw new Error(`evaluate gives ${shortValue(result)}, ${what} ${shortValue(other)}`);
  // What a getter of the input throws ends each of them somewhere else.
  const thrown = isCelError(result) && result.code === 'internal';
  if (otherCost !== cost && !thrown) throw new Error(`evaluate costs ${cost}, ${what} ${otherCost}`);
}

export const celPrograms: FuzzTarget = {
  name: 'cel-programs',
  law: 'a program on hostile data gives a value or an error within its limits, changes nothing, and explains itself alike',
  try(random, describe) {
    const source = new ExpressionWriter(random.below(2 ** 31)).write(5);
    const subject = hostileSubject(random);
    freeze(subject);
    describe(source);
    const check = random.chance(0.5);
    const compiled = environment.compile(source, { check });
    const generated = generating.compile(source, { check });
    if (!compiled.ok || !generated.ok) return;
    const { program } = compiled;
    const result = program.evaluate({ obj: subject });
    const cost = program.lastCost;
    if (isCelError(result) && result.code === 'internal' && !result.message.includes('getter'))
      throw new Error(result.message);
    const explained = program.explain({ obj: subject });
    compare('explain', explained.result, explained.cost, result, cost);
    const coded = generated.program.evaluate({ obj: subject });
    compare('generated code', coded, generated.program.lastCost, result, cost);
  },
};
