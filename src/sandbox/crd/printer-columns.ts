import { asList, field } from '../../core/object/fields.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { AGE, age, NAME } from '../resources/columns.ts';
import type { Column } from '../resources/resource.ts';

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly priority?: number;
}

type Step = (value: unknown) => unknown;

const STEP = /\.([\w-]+)|\['([^']+)'\]|\[(\d+)\]|\[\?\(@\.([\w.-]+)\s*==\s*["']([^"']*)["']\)\]/gy;

/** The simple JSON paths that CRDs use: `.status.phase`, `.items[0]`, `.conditions[?(@.type=="Ready")].status`. */
function reader(path: string): (object: unknown) => unknown {
  const steps = [...path.matchAll(STEP)].map(([, dotted, quoted, place, key, wanted]): Step => {
    const name = dotted ?? quoted;
    if (name !== undefined) return (value) => field(value, name.replaceAll('\\', ''));
    if (place !== undefined) return (value) => asList(value)[Number(place)];
    return (value) => asList(value).find((item) => (key ?? '').split('.').reduce<unknown>(field, item) === wanted);
  });
  return (object) => steps.reduce<unknown>((value, step) => step(value), object);
}

const TYPES = ['integer', 'number', 'boolean'] as const;

/** The columns of a CRD; without any of its own: name and age. */
export function columnsOfDefinition(columns: readonly PrinterColumn[] | undefined): Column[] {
  if (columns === undefined || columns.length === 0) return [NAME, AGE];
  const own = columns.map(({ name, type, jsonPath, priority = 0 }): Column => {
    const read = reader(jsonPath);
    if (type === 'date') return { name, type: 'string', priority, cell: (object, now) => age(read(object), now) };
    const cell = (object: ApiObject): unknown => {
      const value = read(object);
      return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? null);
    };
    return { name, type: TYPES.find((one) => one === type) ?? 'string', priority, cell };
  });
  return [NAME, ...own];
}
