import { regexCost, tenthOf } from '../cost-sizes.ts';
import type { CallContext, CostRule, FunctionDeclaration, Library } from '../declarations.ts';
import { CelError } from '../error.ts';
import { searchWork } from '../regex/compiled-regex.ts';
import { BOOL, BYTES, DYN, INT, list, map, param, STRING, typeOfType } from '../value/cel-type.ts';
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
  const sized = [STRING, BYTES, list(A), map(A, B)];
  return declare('size', () => [
    ...sized.map((type) => globalForm([type], INT, size)),
    ...sized.map((type) => memberForm([type], INT, size)),
  ]);
}

function matches(context: CallContext, text: string, pattern: string): boolean | CelError {
  const regex = context.regex(pattern);
  if (regex instanceof CelError) return regex;
  context.work(searchWork(regex, text));
  return regex.test(text);
}

function textTest(name: string, test: (text: string, sought: string) => boolean, cost: CostRule): FunctionDeclaration {
  const impl = (context: CallContext, text: string, sought: string): boolean => {
    context.work(text.length);
    return test(text, sought);
  };
  return declare(name, () => [memberForm([STRING, STRING], BOOL, impl, cost)]);
}

/** The functions every environment has: size, type, conversions, string tests, parts of timestamps and durations. */
export function standardLibrary(): Library {
  return {
    name: 'std',
    macros: ['has', 'all', 'exists', 'exists_one', 'map', 'filter'],
    functions: [
      sizeFunction(),
      declare('type', () => [globalForm([A], typeOfType(A), (_context, value: CelValue) => typeOf(value))]),
      declare('dyn', () => [globalForm([A], DYN, (_context, value: CelValue) => value)]),
      ...conversions(),
      textTest(
        'contains',
        (text, sought) => text.includes(sought),
        (_result, text, sought) => tenthOf(text) * tenthOf(sought),
      ),
      textTest('startsWith', (text, sought) => text.startsWith(sought), receiverTenth),
      textTest('endsWith', (text, sought) => text.endsWith(sought), receiverTenth),
      declare('matches', () => [
        globalForm([STRING, STRING], BOOL, matches),
        memberForm([STRING, STRING], BOOL, matches, (_result, text, pattern) => regexCost(text, pattern)),
      ]),
      ...timeAccessors(),
    ],
  };
}
