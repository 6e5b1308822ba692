import { createEnvironment, type Issue, isCelError, type Program } from '../../cel/index.ts';
import { isMap } from '../../core/object/fields.ts';
import { itemElement } from '../merge/field-set.ts';
import type { Fault } from '../resources/validation.ts';
import type { StructuralSchema, ValidationRule } from './structural-schema.ts';

interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program: Program;
  readonly message: Program | undefined;
  /** A rule about `oldSelf` holds for changes only. */
  readonly isTransition: boolean;
}

/** The rules of a schema, node by node. */
export interface CompiledRules {
  readonly own: readonly CompiledRule[];
  readonly schema: StructuralSchema;
  readonly properties: ReadonlyMap<string, CompiledRules>;
  readonly values: CompiledRules | undefined;
  readonly items: CompiledRules | undefined;
}

/** Compiles the rules of a schema. Returns undefined when there are none; faults of rules that do not compile go to `faults`. */
export function compileRules(schema: StructuralSchema, path: string, faults: Fault[]): CompiledRules | undefined {
  const own = (schema['x-kubernetes-validations'] ?? []).flatMap((rule, place) =>
    compileRule(rule, schema, `${path}.x-kubernetes-validations[${place}]`, faults),
  );
  const properties = new Map<string, CompiledRules>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const rules = compileRules(property, `${path}.properties[${name}]`, faults);
    if (rules !== undefined) properties.set(name, rules);
  }
  const { additionalProperties: more } = schema;
  const values = typeof more === 'object' ? compileRules(more, `${path}.additionalProperties`, faults) : undefined;
  const items = schema.items === undefined ? undefined : compileRules(schema.items, `${path}.items`, faults);
  const isEmpty = own.length === 0 && properties.size === 0 && values === undefined && items === undefined;
  return isEmpty ? undefined : { own, schema, properties, values, items };
}

function notCompiled(field: string, source: unknown, what: string, issues: readonly Issue[]): Fault {
  const why = issues.map(({ message }) => message).join('; ');
  return { field, message: `Invalid value: ${JSON.stringify(source)}: ${what}: ${why}` };
}

function compileRule(rule: ValidationRule, schema: StructuralSchema, path: string, faults: Fault[]): CompiledRule[] {
  if (typeof rule.rule !== 'string' || rule.rule.trim() === '') {
    faults.push({
      field: `${path}.rule`,
      message: 'Required value: rule is not specified',
      reason: 'FieldValueRequired',
    });
    return [];
  }
  const openapi = schema as Record<string, unknown>;
  const environment = createEnvironment({ version: '1.35', variables: { self: { openapi }, oldSelf: { openapi } } });
  const compiled = environment.compile(rule.rule, { resultType: 'bool' });
  if (!compiled.ok) {
    faults.push(notCompiled(`${path}.rule`, rule.rule, 'compilation failed', compiled.issues));
    return [];
  }
  const { messageExpression } = rule;
  const told =
    messageExpression === undefined ? undefined : environment.compile(messageExpression, { resultType: 'string' });
  if (told?.ok === false) {
    const what = 'messageExpression compilation failed';
    faults.push(notCompiled(`${path}.messageExpression`, messageExpression, what, told.issues));
  }
  const message = told?.ok === true ? told.program : undefined;
  return [{ rule, program: compiled.program, message, isTransition: /\boldSelf\b/.test(rule.rule) }];
}

/** What the rules refuse of a value that fits its schema. `old` is undefined where there was none. */
export function ruleFaults(rules: CompiledRules, value: unknown, old: unknown, path: string): Fault[] {
  if (value === undefined || value === null) return [];
  const faults = rules.own
    .filter(({ isTransition }) => !isTransition || old !== undefined)
    .flatMap((one) => ownFault(one, value, old, path));
  if (Array.isArray(value)) {
    const { items, schema } = rules;
    if (items === undefined) return faults;
    return [
      ...faults,
      ...value.flatMap((item, place) => ruleFaults(items, item, oldItem(item, old, schema), `${path}[${place}]`)),
    ];
  }
  if (!isMap(value)) return faults;
  for (const [name, inner] of Object.entries(value)) {
    const below = rules.properties.get(name) ?? rules.values;
    const before = isMap(old) ? old[name] : undefined;
    if (below !== undefined) faults.push(...ruleFaults(below, inner, before, path === '' ? name : `${path}.${name}`));
  }
  return faults;
}

/** The item that a list had under the same key: items of other lists have no past. */
function oldItem(item: unknown, old: unknown, schema: StructuralSchema): unknown {
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(old)) return undefined;
  const shape = { kind: 'map', keys: schema['x-kubernetes-list-map-keys'] ?? [], defaults: {} } as const;
  const element = itemElement(shape, item);
  return old.find((one) => itemElement(shape, one) === element);
}

function ownFault({ rule, program, message }: CompiledRule, self: unknown, oldSelf: unknown, path: string): Fault[] {
  const bindings = oldSelf === undefined ? { self } : { self, oldSelf };
  const result = program.evaluate(bindings);
  if (result === true) return [];
  const field = `${path}${rule.fieldPath ?? ''}` || '<nil>';
  const reason = rule.reason ?? 'FieldValueInvalid';
  if (isCelError(result)) return [{ field, reason, message: `Invalid value: ${rule.rule}: ${result.message}` }];
  const said = message?.evaluate(bindings);
  const text = typeof said === 'string' ? said : (rule.message ?? `failed rule: ${rule.rule}`);
  return [{ field, reason, message: `Invalid value: ${text}` }];
}
