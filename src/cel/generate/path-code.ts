import { isPrototypeMember } from '../evaluate/access.ts';
import { plainKeys, rootCost } from '../evaluate/paths.ts';
import type { OrElsePlan, PathPlan } from '../plan/plan.ts';
import { propertyAccess } from './emitter.ts';
import type { Generator, Operand } from './generator.ts';

/** A chain of plain fields from a slot, written as reads with an inline cache each; every other path is its closures. */
export function emitPath(generator: Generator, plan: PathPlan): Operand {
  const keys = plan.base.kind === 'variable' ? plainKeys(plan.segments) : undefined;
  if (plan.base.kind !== 'variable' || !keys) return generator.delegated(plan);
  const cost = rootCost(plan, { freePresence: generator.options.freePresence, fused: true }) + keys.length;
  return plan.presence
    ? presence(generator, plan, plan.base.slot, keys, cost)
    : read(generator, plan, plan.base.slot, keys, cost);
}

/** What a field can be read from; an object of the engine's own holds no fields of the data. */
function isPlain(generator: Generator, name: string): string {
  return `typeof ${name}==='object'&&${name}!==null&&!(${name} instanceof ${generator.celObject})`;
}

function walk(generator: Generator, slot: number, keys: readonly string[]): string {
  const { out } = generator;
  const name = out.temporary();
  out.line(`let ${name}=s[${slot}];`);
  for (const key of keys) out.line(`${name}=${isPlain(generator, name)}?${name}${propertyAccess(key)}:undefined;`);
  return name;
}

function read(generator: Generator, plan: PathPlan, slot: number, keys: readonly string[], cost: number): Operand {
  const { out } = generator;
  const name = walk(generator, slot, keys);
  out.line(
    `if(typeof ${name}==='string'||typeof ${name}==='boolean'||Number.isSafeInteger(${name})||Array.isArray(${name})){`,
  );
  out.charge(cost);
  out.line('}else{');
  out.callInto(name, `${generator.closures(plan)}(f)`);
  out.line('}');
  return { text: name, bool: false };
}

function presence(generator: Generator, plan: PathPlan, slot: number, keys: readonly string[], cost: number): Operand {
  const { out } = generator;
  const parent = walk(generator, slot, keys.slice(0, -1));
  const result = out.temporary();
  out.line(`let ${result};if(${isPlain(generator, parent)}&&!Array.isArray(${parent})){`);
  out.charge(cost);
  out.line(`${result}=${parent}${propertyAccess(keys[keys.length - 1]!)}!==undefined;}else{`);
  out.callInto(result, `${generator.closures(plan)}(f)`);
  out.line('}');
  return { text: result, bool: false };
}

/** `v.a.?b.?c.orValue(d)`: no optional is made; anything but plain objects on the way goes to the closures. */
export function emitOrElse(generator: Generator, plan: OrElsePlan): Operand {
  const { operand } = plan;
  const fields = operand.kind === 'path' && operand.base.kind === 'variable' ? optionalFields(operand) : undefined;
  if (!plan.unwrap || !fields || operand.kind !== 'path' || operand.base.kind !== 'variable')
    return generator.delegated(plan);
  const { out } = generator;
  const name = walk(generator, operand.base.slot, fields.strict);
  const label = `L${name}`;
  const failed = out.temporary();
  const result = out.temporary();
  // Three ways out: a value, none (the right side runs), or something odd (the closures run it all).
  out.line(
    `let ${result},${failed}=false;${label}:{if(!(${isPlain(generator, name)})||Array.isArray(${name})){${failed}=true;break ${label};}`,
  );
  out.charge(operand.rootCost + fields.strict.length);
  fields.optional.forEach((key, index) => {
    if (index > 0) {
      out.line(
        `if(!(${isPlain(generator, name)})||Array.isArray(${name})){${failed}=true;c-=${operand.rootCost + fields.strict.length + index};break ${label};}`,
      );
    }
    out.line(`${name}=${name}${propertyAccess(key)};if(${name}===undefined)break ${label};`);
    out.charge(1);
  });
  out.line(
    `if(typeof ${name}==='string'||typeof ${name}==='boolean'||Number.isSafeInteger(${name})||Array.isArray(${name})){${result}=${name};break ${label};}`,
  );
  out.line(`${failed}=true;c-=${operand.rootCost + fields.strict.length + fields.optional.length};}`);
  out.line(`if(${failed}){`);
  out.callInto(result, `${generator.closures(plan)}(f)`);
  out.line(`}else if(${result}===undefined){`);
  const otherwise = generator.emit(plan.otherwise);
  out.line(`${result}=${otherwise.text};}`);
  return { text: result, bool: false };
}

/** The fields before the first optional one, and from it on; undefined where a plain read is not safe. */
function optionalFields(
  path: PathPlan,
): { readonly strict: readonly string[]; readonly optional: readonly string[] } | undefined {
  const strict: string[] = [];
  const optional: string[] = [];
  if (path.presence) return undefined;
  for (const segment of path.segments) {
    if (segment.kind !== 'field' || isPrototypeMember(segment.key)) return undefined;
    (segment.optional || optional.length > 0 ? optional : strict).push(segment.key);
  }
  return optional.length > 0 ? { strict, optional } : undefined;
}
