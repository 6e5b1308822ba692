import { describe, expect, it } from 'vitest';
import { createEnvironment, type EnvironmentVersion } from '../environment.ts';
import { CelError } from '../error.ts';
import { formatDouble } from '../text/number-text.ts';
import { formatDuration } from '../time/duration-text.ts';
import { formatTimestamp } from '../time/rfc3339.ts';
import { CelType } from '../value/cel-type.ts';
import {
  CelDuration,
  CelOpaque,
  CelOptional,
  type CelResult,
  CelTimestamp,
  CelUint,
  type CelValue,
} from '../value/cel-value.ts';
import { isList, listItems } from '../value/list.ts';
import { isMap, mapEntries } from '../value/map.ts';
import { isDouble, numberOfDouble } from '../value/number.ts';

/**
 * Expression; its value as text, `!code` of its error, or `#code` of the issue that keeps it from compiling; and its
 * cost, left out where it does not compile.
 */
export type Row = readonly [expression: string, expected: string, cost?: number];

/** The dyn variable `obj` of all rows. */
export const OBJECT = {
  list: [1, 2],
  text: 'abcdefghijklmno',
  template: '%s-%d',
  empty: [],
  doubles: [1.5, 2.5, 2.5],
  nested: [[1], 2, [[3]]],
  texts: ['aaaaaaaaaaa', 'b'],
  mixed: ['b', 1, 'a'],
  nulls: [null, [1]],
  number: 7,
  broken: '(',
  deep: [1, { a: ['b', 2.5] }],
};

/** Text that tells types apart: `1` int, `1u` uint, `double(1)`, `"a"` string, `bytes(61)`, `none`, `optional(1)`. */
export function showValue(value: CelResult): string {
  if (value instanceof CelError) return `!${value.code}`;
  if (value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (isDouble(value)) return `double(${formatDouble(numberOfDouble(value))})`;
  if (typeof value !== 'object') return String(value);
  return showObject(value);
}

function showObject(value: object & CelValue): string {
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof Uint8Array) {
    return `bytes(${Array.from(value, (byte) => byte.toString(16).padStart(2, '0')).join('')})`;
  }
  if (value instanceof CelOptional) return value.present ? `optional(${showValue(value.value)})` : 'none';
  if (value instanceof CelTimestamp) return formatTimestamp(value, 0);
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof CelType) return value.name;
  if (value instanceof CelOpaque) return value.text() ?? value.type.name;
  if (isList(value)) return `[${listItems(value).map(showValue).join(', ')}]`;
  if (!isMap(value)) return String(value);
  const entries = mapEntries(value).map((entry) => `${showValue(entry.key)}: ${showValue(entry.value)}`);
  return `{${entries.sort().join(', ')}}`;
}

/** One test per row, through the whole engine. */
export function describeRows(version: EnvironmentVersion, title: string, rows: readonly Row[]): void {
  const environment = createEnvironment({ version, variables: { obj: 'dyn' } });
  describe(`${title} (${version})`, () => {
    it.each(rows.map(([expression, expected, cost]) => ({ expression, expected, cost })))(
      '$expression is $expected',
      ({ expression, expected, cost }) => {
        const compiled = environment.compile(expression);
        if (!compiled.ok) {
          expect(`#${compiled.issues[0]?.code}`).toBe(expected);
          return;
        }
        const value = compiled.program.evaluate({ obj: OBJECT });
        expect([showValue(value), compiled.program.lastCost]).toEqual([expected, cost]);
      },
    );
  });
}
