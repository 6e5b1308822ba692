/** A difference to the reference that is on purpose; docs/spec/cel.md has the reasons. */
interface Deviation {
  readonly id: string;
  /** Told by the difference as much as by the expression. */
  readonly covers: (difference: string, expr: string) => boolean;
}

const isCost = (difference: string): boolean => difference.startsWith('cost');
const isCompile = (difference: string): boolean => difference.includes('compile');

/** The same characters in another order: `{"list":["a","b"]}` and `{"list":["b","a"]}`. */
function isReordered(difference: string): boolean {
  const [ours, theirs] = difference.split('\n  reference: ');
  const sorted = (text: string | undefined): string =>
    Array.from(text ?? '')
      .sort()
      .join('');
  return theirs !== undefined && sorted(ours) === sorted(theirs);
}

const DEVIATIONS: readonly Deviation[] = [
  // The specification allows bool, int, uint and string as keys of a map; cel-go takes anything.
  { id: 'D13', covers: (difference) => /a (map )?key (of a map )?is a bool, int, uint or string/.test(difference) },
  // An index of an impossible type is an ordinary error here; cel-go refuses to build the program.
  { id: 'D2', covers: (difference) => difference.includes('invalid qualifier type') },
  // A map walks in insertion order, in Go in a random one: the order of a result, and the cost up to the deciding key.
  {
    id: 'D5',
    covers: (difference, expr) =>
      !isCompile(difference) && !isCost(difference) && /\b(obj|m|c|\{.*\})\)*\.(map|filter)\(/.test(expr),
  },
  { id: 'D5', covers: (difference) => isReordered(difference) },
  { id: 'D5', covers: (difference, expr) => isCost(difference) && /\b(obj|m|c|\{.*\})\)*\.(exists|all)\(/.test(expr) },
  // `map` and `filter` stop at the first error; the reference walks on and charges for it.
  {
    id: 'D7',
    covers: (difference, expr) => isCost(difference) && /\.(map|filter)\(/.test(expr) && /\|\||&&|\?/.test(expr),
  },
  // An optional in an optional stays one, as its type says; cel-go unwraps one of them here and there.
  {
    id: 'D12',
    covers: (difference, expr) =>
      !isCost(difference) && !isCompile(difference) && /\.optMap\(|optional\.of\((obj\.\?|obj\[\?|optional)/.test(expr),
  },
  // The type of the elements of [] and of optional.none() is found a little differently.
  {
    id: 'D18',
    covers: (difference, expr) =>
      isCompile(difference) &&
      /\[\]|\{\}|optional\.none\(\)|\.(distinct|reverse|slice|flatten|sort|sortBy)\(/.test(expr),
  },
  // Inference may settle the element type of a list by the first overload that is tried; cel-go then looks at the elements
  // at run time and finds no overload, or charges by that type. Here the list is taken as it is.
  {
    id: 'D16',
    covers: (difference, expr) => difference.includes('"failed":true') && /\.(min|max|sum|isSorted)\(/.test(expr),
  },
  { id: 'D16', covers: (difference, expr) => isCost(difference) && expr.includes('.sortBy(') },
  // An optional deep in a literal of mixed types under `format` fails at run time; cel-go looks through the literal.
  {
    id: 'D17',
    covers: (difference, expr) => isCompile(difference) && expr.includes('.format(') && /optional|\.\?|\[\?/.test(expr),
  },
  // cel-go negates a duration that reaches `-` as dyn, though it declares no such overload.
  { id: 'D14', covers: (difference) => difference.includes('no such overload: -_(google.protobuf.Duration)') },
  // cel-go's compiled pattern search takes an optional for the text in it.
  { id: 'D15', covers: (difference) => difference.includes('no such overload: matches(optional_type') },
];

/** The ledger's id for a difference, or undefined when it is a mistake. */
export function deviationOf(difference: string, expr: string): string | undefined {
  return DEVIATIONS.find(({ covers }) => covers(difference, expr))?.id;
}
