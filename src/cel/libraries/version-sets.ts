import type { Library } from '../declarations.ts';
import { bindingsLibrary } from './bindings.ts';
import { blockLibrary } from './block.ts';
import { cidrLibrary } from './cidr.ts';
import { type CostOptions, encodersLibrary } from './encoders.ts';
import { existsOneLibrary } from './exists-one.ts';
import { formatLibrary } from './format.ts';
import { ipLibrary } from './ip.ts';
import { jsonpatchLibrary } from './jsonpatch.ts';
import { listsLibrary } from './lists.ts';
import { kubernetesListsLibrary } from './lists-kubernetes.ts';
import { mathLibrary } from './math.ts';
import { optionalTypesLibrary } from './optional-types.ts';
import { type QuantityOptions, quantityLibrary } from './quantity.ts';
import { regexLibrary } from './regex-functions.ts';
import { kubernetesRegexLibrary } from './regex-kubernetes.ts';
import { semverLibrary } from './semver.ts';
import { setsLibrary } from './sets.ts';
import { standardLibrary } from './standard.ts';
import { stringsLibrary } from './strings.ts';
import { twoVariableLibrary } from './two-variable.ts';
import { urlsLibrary } from './urls.ts';

type LibraryOptions = CostOptions & QuantityOptions;
type LibraryMaker = (version: number | undefined, options: LibraryOptions) => Library;

/** A library by the name used in adjustments, with its newest version where it has several. */
interface Entry {
  readonly make: LibraryMaker;
  readonly newest?: number;
}

const LIBRARIES: Readonly<Record<string, Entry>> = {
  std: { make: standardLibrary },
  'exists-one': { make: existsOneLibrary },
  optional: { make: optionalTypesLibrary },
  strings: { make: stringsLibrary, newest: 4 },
  lists: { make: listsLibrary, newest: 3 },
  sets: { make: setsLibrary },
  math: { make: mathLibrary, newest: 2 },
  encoders: { make: encodersLibrary },
  regex: { make: regexLibrary },
  'two-variable': { make: twoVariableLibrary },
  bindings: { make: bindingsLibrary },
  block: { make: blockLibrary },
  'kubernetes.lists': { make: kubernetesListsLibrary },
  'kubernetes.regex': { make: kubernetesRegexLibrary },
  urls: { make: urlsLibrary },
  ip: { make: ipLibrary },
  cidr: { make: cidrLibrary },
  quantity: { make: quantityLibrary },
  semver: { make: semverLibrary, newest: 1 },
  format: { make: formatLibrary },
  jsonpatch: { make: jsonpatchLibrary },
};

/** What an environment does differently, apart from its functions. */
export interface LibraryFlags {
  /** List and map literals of mixed types do not compile. */
  readonly homogeneousLiterals: boolean;
  /** Constant arguments of duration, timestamp and format are checked at compile time. */
  readonly validateLiterals: boolean;
  /** A constant pattern that is none does not compile; in every version of Kubernetes. */
  readonly validatePatterns: boolean;
  /** Field names in backquotes. */
  readonly quotedFields: boolean;
  /** Comprehensions inside one another. */
  readonly comprehensionNesting: number;
  /** `<` and its family between int, uint and double. */
  readonly crossTypeOrder: boolean;
}

/** `name` → version; undefined for a library that has but one. */
type Selection = Map<string, number | undefined>;

/** The set of Kubernetes 1.36, and the version that brought each library where it was not there from the start. */
const KUBERNETES: readonly (readonly [since: number, name: string, version?: number])[] = [
  [0, 'std'],
  [0, 'urls'],
  [0, 'kubernetes.regex'],
  [0, 'kubernetes.lists'],
  [0, 'strings', 0],
  [28, 'optional'],
  [28, 'quantity'],
  [29, 'strings', 2],
  [29, 'sets'],
  [30, 'ip'],
  [30, 'cidr'],
  [31, 'format'],
  [32, 'two-variable'],
  [33, 'semver', 1],
  [34, 'lists', 3],
];

/** CEL came to Kubernetes with 1.23; the sets are known up to 1.36. */
const OLDEST_KUBERNETES = 23;
const NEWEST_KUBERNETES = 36;
/** The minor versions of Kubernetes 1 whose sets are known, oldest first. */
export const KUBERNETES_MINORS: readonly number[] = Array.from(
  { length: NEWEST_KUBERNETES - OLDEST_KUBERNETES + 1 },
  (_, index) => OLDEST_KUBERNETES + index,
);
/** Everything but `block`, which only the planner and the conformance data write. */
const DEFAULT_LIBRARIES = Object.keys(LIBRARIES).filter((name) => name !== 'block');

function newestOf(names: readonly string[]): Selection {
  return new Map(names.map((name) => [name, LIBRARIES[name]?.newest]));
}

function kubernetesMinor(version: string): number {
  const minor = Number(/^1\.(\d+)$/.exec(version)?.[1]);
  if (Number.isInteger(minor) && minor >= OLDEST_KUBERNETES && minor <= NEWEST_KUBERNETES) return minor;
  const known = `convoy, cel-go, spec, 1.${OLDEST_KUBERNETES} … 1.${NEWEST_KUBERNETES}`;
  throw new Error(`unknown CEL version ${JSON.stringify(version)}: use one of ${known}`);
}

function selectionOf(version: string): Selection {
  switch (version) {
    case 'convoy':
      return newestOf(DEFAULT_LIBRARIES);
    case 'spec':
      return newestOf(Object.keys(LIBRARIES));
    case 'cel-go':
      return newestOf(['std', 'optional', 'strings']);
    default: {
      const minor = kubernetesMinor(version);
      const selection: Selection = new Map();
      for (const [since, name, libraryVersion] of KUBERNETES) if (minor >= since) selection.set(name, libraryVersion);
      return selection;
    }
  }
}

function flagsOf(version: string): LibraryFlags {
  const convoy = version === 'convoy';
  const open = convoy || version === 'spec';
  const minor = open || version === 'cel-go' ? undefined : kubernetesMinor(version);
  return {
    homogeneousLiterals: minor !== undefined,
    validateLiterals: convoy || (minor ?? 0) >= 29,
    validatePatterns: convoy || minor !== undefined,
    quotedFields: open,
    comprehensionNesting: open ? 8 : Number.POSITIVE_INFINITY,
    crossTypeOrder: open || (minor ?? 0) >= 28,
  };
}

/** `+name`, `-name`, `name@version` (also `+name@version`). */
function adjust(selection: Selection, adjustment: string): void {
  const match = /^([+-]?)([a-z.-]+?)(?:@(\d+))?$/.exec(adjustment);
  const [, sign = '', name = '', wanted] = match ?? [];
  const entry = Object.hasOwn(LIBRARIES, name) ? LIBRARIES[name] : undefined;
  if (entry === undefined) {
    const known = Object.keys(LIBRARIES).join(', ');
    throw new Error(`unknown CEL library ${JSON.stringify(adjustment)}: use +name, -name or name@version of ${known}`);
  }
  if (sign === '-') {
    selection.delete(name);
    return;
  }
  const version = wanted === undefined ? entry.newest : Number(wanted);
  if (version !== undefined && version > (entry.newest ?? 0)) {
    throw new Error(`CEL library ${name} has no version ${version}: the newest is ${entry.newest ?? 0}`);
  }
  selection.set(name, entry.newest === undefined ? undefined : version);
}

/** The libraries and flags of an environment; the same ones for everybody who asks for them, so that others can hang on them. */
export interface LibrarySet {
  readonly libraries: readonly Library[];
  readonly flags: LibraryFlags;
}

const SETS = new Map<string, LibrarySet>();
/** Sets differ by version and adjustments, of which a process has a few; one that invents them starts anew now and then. */
const MOST_SETS = 100;

/**
 * The libraries and flags of a version: `convoy` everything, `cel-go` what rules written for plain cel-go use, `spec`
 * everything with the specification's answers, `1.26` … exactly that Kubernetes. Adjustments add, remove or pin
 * libraries by name. Throws an `Error` that names the choices for an unknown version or library.
 */
export function librariesOf(version: string, adjustments: readonly string[], costs: CostOptions = {}): LibrarySet {
  const key = JSON.stringify([version, adjustments, costs.referenceCosts ?? false]);
  let set = SETS.get(key);
  if (!set) {
    if (SETS.size >= MOST_SETS) SETS.clear();
    set = makeSet(version, adjustments, costs);
    SETS.set(key, set);
  }
  return set;
}

function makeSet(version: string, adjustments: readonly string[], costs: CostOptions): LibrarySet {
  const selection = selectionOf(version);
  for (const adjustment of adjustments) adjust(selection, adjustment);
  const options: LibraryOptions = { ...costs, memberSign: !version.startsWith('1.') };
  let libraries: Library[] | undefined;
  return {
    // Made when they are first needed: most of the start of a process that only asks for an environment.
    get libraries() {
      libraries ??= Array.from(selection).flatMap(([name, libraryVersion]) => {
        const entry = LIBRARIES[name];
        return entry ? [entry.make(libraryVersion, options)] : [];
      });
      return libraries;
    },
    flags: flagsOf(version),
  };
}
