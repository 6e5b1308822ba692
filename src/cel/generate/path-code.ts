import { admit } from '../evaluate/admit.ts';
import { type ClosureOptions, compileClosures } from '../evaluate/closures.ts';
import type { Frame, Step } from '../evaluate/frame.ts';
import { type Fallback, optionalPath, plainPath } from '../evaluate/fused-paths.ts';
import { held } from '../evaluate/late-parts.ts';
import { PathFallback, rootCost } from '../evaluate/paths.ts';
import type { OrElsePlan, PathPlan, Plan } from '../plan/plan.ts';
import { CelObject } from '../value/cel-object.ts';
import type { CelResult } from '../value/cel-value.ts';
import { propertyAccess } from './emitter.ts';
import type { Generator, Operand } from './generator.ts';

/** Stands in for what has no fields, so that the code reads on without a branch; every field of it is undefined. */
const NO_FIELDS: object = Object.freeze(Object.create(null));

/** What fields can be read from; an object of the engine's own holds no fields of the data, and lists and bytes have none. */
export function fieldsOf(value: unknown): object {
  return typeof value === 'object' &&
    value !== null &&
    !(value instanceof CelObject) &&
    !Array.isArray(value) &&
    !ArrayBuffer.isView(value)
    ? value
    : NO_FIELDS;
}

/** A chain of plain fields from a slot, written as reads with an inline cache each; every other path is its closures. */
export function emitPath(generator: Generator, plan: PathPlan): Operand {
  const path = plainPath(plan);
  if (!path) return generator.delegated(plan);
  const { slot, keys } = path;
  const cost = rootCost(plan, generator.options) + keys.length;
  return plan.presence ? presence(generator, plan, slot, keys, cost) : read(generator, plan, slot, keys, cost);
}

/** A place in the data as text, under which the generator knows what has been read there. */
export function placeOf(slot: number, keys: readonly string[] = []): string {
  return `${slot}${JSON.stringify(keys)}`;
}

/** The same, for what the fields below the place are read from. */
export function fieldsPlaceOf(slot: number, keys: readonly string[] = []): string {
  return `fields ${placeOf(slot, keys)}`;
}

/**
 * A value of the data for its slot, from what `expression` reads. An object literal tells by its constructor, read with an inline cache of
 * its own; everything else is looked at.
 */
export function emitEntry(generator: Generator, slot: number, expression: string, absent: string): void {
  const { out } = generator;
  const value = out.temporary();
  const fields = out.temporary();
  out.line(`let ${value}=${expression},${fields}=${value};`);
  out.line(`if(!(typeof ${value}==='object'&&${value}!==null&&${value}.constructor===${out.constant(Object)})){`);
  out.line(`${absent}${value}=${out.constant(admit)}(${value});${fields}=${out.constant(fieldsOf)}(${value});}`);
  out.line(`s[${slot}]=${value};`);
  generator.know(placeOf(slot), value);
  generator.know(fieldsPlaceOf(slot), fields);
}

/** A variable of the caller's bindings; one that is not bound stays undefined. */
export function emitRoot(generator: Generator, name: string, slot: number): void {
  const bound = `b${propertyAccess(name)}`;
  emitEntry(generator, slot, bound, `if(${bound}!==undefined)`);
}

/** The name of what stands at a path from a slot, undefined at run time where it is absent; read once in a stretch of code. */
function valueAt(generator: Generator, slot: number, keys: readonly string[]): string {
  return generator.readOnce(placeOf(slot, keys), () =>
    keys.length === 0
      ? `s[${slot}]`
      : `${fieldsAt(generator, slot, keys.slice(0, -1))}${propertyAccess(keys[keys.length - 1]!)}`,
  );
}

/** The name of what the fields at a path are read from: `NO_FIELDS` where there are none. */
function fieldsAt(generator: Generator, slot: number, keys: readonly string[]): string {
  return generator.readOnce(
    fieldsPlaceOf(slot, keys),
    () => `${generator.out.constant(fieldsOf)}(${valueAt(generator, slot, keys)})`,
  );
}

/** Values that are what they are in the data; `admit` has to look at all others. */
function isAsInData(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value) || Array.isArray(value);
}

function read(generator: Generator, plan: PathPlan, slot: number, keys: readonly string[], cost: number): Operand {
  const { out } = generator;
  const value = valueAt(generator, slot, keys);
  const result = out.temporary();
  out.line(`let ${result}=${value};if(${out.constant(isAsInData)}(${value})){`);
  out.charge(cost);
  out.line('}else{');
  out.callInto(result, `${failureOf(generator, plan)}(f,${valuesAt(generator, slot, keys)})`);
  out.line('}');
  return { text: result, bool: false };
}

/**
 * The name of what stands at a plain path, and what reading it costs; undefined for any other path. For code that knows a type of
 * value that needs no second look.
 */
export function plainRead(
  generator: Generator,
  plan: PathPlan,
): { readonly value: string; readonly cost: number } | undefined {
  const path = plan.presence ? undefined : plainPath(plan);
  if (!path) return undefined;
  const cost = rootCost(plan, generator.options) + path.keys.length;
  return { value: valueAt(generator, path.slot, path.keys), cost };
}

function presence(generator: Generator, plan: PathPlan, slot: number, keys: readonly string[], cost: number): Operand {
  const { out } = generator;
  const parent = fieldsAt(generator, slot, keys.slice(0, -1));
  const value = valueAt(generator, slot, keys);
  const result = out.temporary();
  out.line(`let ${result}=${value}!==undefined;if(${result}||${parent}!==${out.constant(NO_FIELDS)}){`);
  out.charge(cost);
  out.line('}else{');
  out.callInto(result, `${failureOf(generator, plan)}(f,${valuesAt(generator, slot, keys)})`);
  out.line('}');
  return { text: result, bool: false };
}

/** What runs when the fast way failed: the error of the key that is known to be absent, or the general walk. */
function failureOf({ out, options }: Generator, plan: PathPlan): string {
  return out.rareConstant(lateFallback(plan, options));
}

type Failure = (frame: Frame, a: unknown, b?: unknown, c?: unknown, d?: unknown) => CelResult;

/** Takes what was read at each key, of which there are four at most. Apart from the generator, which a program must not keep. */
function lateFallback(plan: PathPlan, options: ClosureOptions): Failure {
  const slot = plan.base.kind === 'variable' ? plan.base.slot : -1;
  const { length } = plan.segments;
  let fallback: Fallback | undefined;
  return (frame, a, b, c, d) => {
    fallback ??= fallbackOf(plan, options);
    if (a === undefined) return failed(fallback, frame, frame.slots[slot], 0);
    if (length > 1 && b === undefined) return failed(fallback, frame, a, 1);
    if (length > 2 && c === undefined) return failed(fallback, frame, b, 2);
    if (length > 3 && d === undefined) return failed(fallback, frame, c, 3);
    return fallback.walk(frame);
  };
}

function failed(fallback: Fallback, frame: Frame, parent: unknown, absent: number): CelResult {
  return fieldsOf(parent) === NO_FIELDS ? fallback.walk(frame) : fallback.absent(frame, absent);
}

function fallbackOf(plan: PathPlan, options: ClosureOptions): Fallback {
  const compile = (part: Plan): Step => compileClosures(part, options);
  return new PathFallback(plan, compile, {
    freePresence: options.freePresence,
    fused: true,
    compileInit: compile,
    late: held,
  });
}

function valuesAt(generator: Generator, slot: number, keys: readonly string[]): string {
  return keys.map((_, index) => valueAt(generator, slot, keys.slice(0, index + 1))).join(',');
}

/** `v.a.?b.?c.orValue(d)`: no optional is made; anything but plain objects on the way goes to the closures. */
export function emitOrElse(generator: Generator, plan: OrElsePlan): Operand {
  const path = plan.unwrap ? optionalPath(plan.operand) : undefined;
  if (!path || plan.operand.kind !== 'path') return generator.delegated(plan);
  const { out } = generator;
  const { slot, keys, strict } = path;
  const optional = keys.slice(strict);
  const charged = plan.operand.rootCost + strict;
  const parents = optional.map((_, index) => fieldsAt(generator, slot, keys.slice(0, strict + index)));
  const values = optional.map((_, index) => valueAt(generator, slot, keys.slice(0, strict + index + 1)));
  const result = out.temporary();
  const state = out.temporary();
  const noFields = out.constant(NO_FIELDS);
  // Three ways out: something odd (0: the closures run it all), none (1: the right side runs), a value (2).
  out.line(`let ${result},${state}=0;`);
  optional.forEach((_, index) => {
    out.line(
      `if(${parents[index]}!==${noFields}){if(${values[index]}===undefined){c+=${charged + index};${state}=1;}else `,
    );
  });
  const value = values[values.length - 1]!;
  out.line(`if(${out.constant(isAsInData)}(${value})){c+=${charged + optional.length};${result}=${value};${state}=2;}`);
  out.line('}'.repeat(optional.length));
  out.line(`if(${state}===0){`);
  out.callInto(result, `${generator.closures(plan)}(f)`);
  out.line(`}else if(${state}===1){`);
  generator.inScope(() => out.line(`${result}=${generator.emit(plan.otherwise).text};}`));
  return { text: result, bool: false };
}
