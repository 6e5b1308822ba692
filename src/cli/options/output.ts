import { ConvoyError } from '../../core/errors/index.ts';

/** How results are printed. */
export type OutputFormat =
  /** What is wrong first, what is healthy as one line. */
  | { readonly kind: 'table' }
  /** Every object, with reason, rule and source. */
  | { readonly kind: 'wide' }
  | { readonly kind: 'json' }
  | { readonly kind: 'yaml' }
  | { readonly kind: 'junit' }
  /** `kind.group/name` of each object that is not healthy, to hand on to kubectl. */
  | { readonly kind: 'name' }
  | { readonly kind: 'jsonpath'; readonly template: string };

export const OUTPUT_FORMATS = ['table', 'wide', 'json', 'yaml', 'junit', 'name', 'jsonpath='] as const;

/** Reads the value of `-o`. Throws OutputInvalid. */
export function parseOutput(value: string): OutputFormat {
  if (value.startsWith('jsonpath=')) return { kind: 'jsonpath', template: value.slice('jsonpath='.length) };
  switch (value) {
    case 'table':
    case 'wide':
    case 'json':
    case 'yaml':
    case 'junit':
    case 'name':
      return { kind: value };
    default:
      throw new ConvoyError('OutputInvalid', {
        value,
        formats: 'table, wide, json, yaml, junit, name or jsonpath={.items[*].name}',
      });
  }
}
