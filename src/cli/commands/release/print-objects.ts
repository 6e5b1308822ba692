import { ConvoyError, harmlessJson } from '../../../core/errors/index.ts';
import { assertNever } from '../../../core/object/assert-never.ts';

/** How a value is printed that is no table. */
export type ValueFormat =
  | { readonly kind: 'json' }
  | { readonly kind: 'yaml' }
  | { readonly kind: 'jsonpath'; readonly template: string };

/** A format of `-o`: one of a command's own, or one of those that print values. Throws OutputInvalid. */
export function parseValueOutput<const Own extends string>(
  value: string,
  own: readonly Own[],
): ValueFormat | { readonly kind: Own } {
  if (value.startsWith('jsonpath=')) return { kind: 'jsonpath', template: value.slice('jsonpath='.length) };
  if (value === 'json') return { kind: 'json' };
  if (value === 'yaml') return { kind: 'yaml' };
  const kind = own.find((one) => one === value);
  if (kind !== undefined) return { kind };
  throw new ConvoyError('OutputInvalid', { value, formats: [...own, 'json', 'yaml', 'jsonpath='].join(', ') });
}

/** Printers other than JSON load when they are asked for. */
export async function printValue(value: unknown, format: ValueFormat): Promise<string> {
  switch (format.kind) {
    case 'json':
      return `${harmlessJson(JSON.stringify(value, null, 2))}\n`;
    case 'yaml':
      return (await import('../../printers/yaml.ts')).printYaml(value);
    case 'jsonpath':
      return (await import('../../printers/jsonpath.ts')).printJsonPath(value, format.template);
    default:
      return assertNever(format);
  }
}
