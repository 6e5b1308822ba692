import { regexCost, tenthOf } from '../cost-sizes.ts';
import type { CallContext, CostRule, FunctionDeclaration, Library, Overload } from '../declarations.ts';
import { CelError } from '../error.ts';
import { searchWork } from '../regex/compiled-regex.ts';
import { BOOL, BYTES, type CelType, DYN, INT, list, map, param, STRING, typeOfType } from '../value/cel-type.ts';
import type { CelValue } from '../value/cel-value.ts';
import { sizeOf } from '../value/size.ts';
import { typeOf } from '../value/type-of.ts';
import { conversions } from './conversions.ts';
import { declare, globalForm, memberForm } from './declare.ts';
import { timeAccessors } from './time-accessors.ts';

const A = param('A');
const B = param('B');
const receiverTenth: CostRule = (_result, text) => tenthOf(text);

/** `size(x)` of a value that has one; the dispatcher lets no other in. */
function size(_context: CallContext, value: CelValue): CelValue | CelError {
  return sizeOf(value) ?? new CelError('no_such_overload', `size of ${typeOf(value)}`);
}

function sizeFunction(): FunctionDeclaration {
  const sized: readonly (readonly [string, CelType])[] = [
    ['string', STRING],
    ['bytes', BYTES],
    ['list', list(A)],
    ['map', map(A, B)],
  ];
  const overloads: Overload[] = [];
  for (const [name, type] of sized) overloads.push(globalForm(`size_${name}`, [type], INT, size));
  for (const [name, type] of sized) overloads.push(memberForm(`${name}_size`, [type], INT, size));
  return declare('size', 'Code points of a string, bytes, elements of a list, entries of a map.', overloads);
}

function matches(context: CallContext, text: string, pattern: string): boolean | CelError {
  const regex = context.regex(pattern);
  if (regex instanceof CelError) return regex;
  context.work(searchWork(regex, text));
  return regex.test(text);
}

function textTest(
  name: string,
  id: string,
  doc: string,
  test: (text: string, sought: string) => boolean,
  cost: CostRule,
): FunctionDeclaration {
  const impl = (context: CallContext, text: string, sought: string): boolean => {
    context.work(text.length);
    return test(text, sought);
  };
  return declare(name, doc, [memberForm(id, [STRING, STRING], BOOL, impl, cost)]);
}

/** The functions every environment has: size, type, conversions, string tests, parts of timestamps and durations. */
export function standardLibrary(): Library {
  return {
    name: 'std',
    macros: ['has', 'all', 'exists', 'exists_one', 'map', 'filter'],
    functions: [
      sizeFunction(),
      declare('type', 'The type of a value.', [
        globalForm('type', [A], typeOfType(A), (_context, value: CelValue) => typeOf(value)),
      ]),
      declare('dyn', 'The value itself, exempt from type checking.', [
        globalForm('to_dyn', [A], DYN, (_context, value: CelValue) => value),
      ]),
      ...conversions(),
      textTest(
        'contains',
        'contains_string',
        'Whether a string contains another.',
        (text, sought) => text.includes(sought),
        (_result, text, sought) => tenthOf(text) * tenthOf(sought),
      ),
      textTest(
        'startsWith',
        'starts_with_string',
        'Whether a string begins with another.',
        (text, sought) => text.startsWith(sought),
        receiverTenth,
      ),
      textTest(
        'endsWith',
        'ends_with_string',
        'Whether a string ends with another.',
        (text, sought) => text.endsWith(sought),
        receiverTenth,
      ),
      declare('matches', 'Whether an RE2 pattern matches anywhere in a string.', [
        globalForm('matches', [STRING, STRING], BOOL, matches),
        memberForm('matches_string', [STRING, STRING], BOOL, matches, (_result, text, pattern) =>
          regexCost(text, pattern),
        ),
      ]),
      ...timeAccessors(),
    ],
  };
}
