import { costSize, quarter, tenth } from '../cost-sizes.ts';
import type { CallContext, CostRule, Library } from '../declarations.ts';
import { list, opaque, optional, STRING } from '../value/cel-type.ts';
import { CelOpaque, CelOptional } from '../value/cel-value.ts';
import { declare, globalForm, memberForm } from './declare.ts';
import { FORMATS, type NamedFormat } from './format-rules.ts';

export const FORMAT = opaque('kubernetes.NamedFormat');

/** One of the named formats. */
export class CelFormat extends CelOpaque {
  readonly type = FORMAT;
  readonly name: string;
  readonly rule: NamedFormat;

  constructor(name: string, rule: NamedFormat) {
    super();
    this.name = name;
    this.rule = rule;
  }

  override text(): string {
    return this.name;
  }

  override equals(other: CelFormat): boolean {
    return this.name === other.name;
  }
}

function named(_context: CallContext, name: string): CelOptional {
  const rule = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  return rule === undefined ? CelOptional.none : CelOptional.of(new CelFormat(name, rule));
}

function validate(context: CallContext, format: CelFormat, text: string): CelOptional {
  context.work(text.length);
  const problems = format.rule.problems(text);
  return problems.length === 0 ? CelOptional.none : CelOptional.of(problems);
}

/** ⌈0.1(1+|text|)⌉·⌈0.25·R⌉, R being the size that stands for the format's regular expression; 1 when it is unknown. */
const validateCost: CostRule = (_result, format, text) =>
  format instanceof CelFormat ? tenth(1 + costSize(text)) * quarter(format.rule.regexSize) : 1;

/** Named string formats (Kubernetes 1.31). */
export function formatLibrary(): Library {
  return {
    name: 'format',
    types: [FORMAT],
    functions: [
      declare('format.named', () => [globalForm([STRING], optional(FORMAT), named)]),
      ...Object.entries(FORMATS).map(([name, rule]) => {
        const format = new CelFormat(name, rule);
        return declare(`format.${name}`, () => [globalForm([], FORMAT, () => format)]);
      }),
      declare('validate', () => [memberForm([FORMAT, STRING], optional(list(STRING)), validate)], validateCost),
    ],
  };
}
