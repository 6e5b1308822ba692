import type { Command, Option } from 'commander';
import { OUTPUT_FORMATS } from '../options/output.ts';
import { SHELLS } from './scripts.ts';

/**
 * Bits of the last line of an answer, `:N`, as cobra's completion scripts read them
 * (https://github.com/spf13/cobra, completions.go, ShellCompDirective).
 */
const DIRECTIVE = {
  /** Nothing special: files are completed where there is no candidate. */
  default: 0,
  noSpace: 2,
  noFiles: 4,
  /** The candidates are file extensions. */
  extensions: 8,
} as const;

interface Candidates {
  readonly values: readonly { readonly value: string; readonly description?: string }[];
  readonly directive: number;
}

const NOTHING: Candidates = { values: [], directive: DIRECTIVE.noFiles };
const MANIFESTS: Candidates = {
  values: ['yaml', 'yml', 'json'].map((value) => ({ value })),
  directive: DIRECTIVE.extensions,
};

const YAML_OR_JSON = words('json', 'yaml');

function words(...values: readonly string[]): Candidates {
  return { values: values.map((value) => ({ value })), directive: DIRECTIVE.noFiles };
}

/** Flags whose values are manifests, in whatever command. */
const MANIFEST_FLAGS = ['--filename', '--rules', '--schema'];

/** What `-o` may be, by command. */
const OUTPUTS: Readonly<Record<string, Candidates>> = {
  health: words(...OUTPUT_FORMATS),
  version: YAML_OR_JSON,
  'rules list': words('table', 'json', 'yaml', 'name'),
  'rules lint': words('text', 'json'),
  'rules test': words('text', 'json', 'junit'),
  'rules eval': words('text', 'json'),
  'rules explain': words('text', 'json'),
  'release list': words('table', 'wide', 'json', 'yaml', 'name', 'jsonpath='),
  'release diff': words('diff', 'json', 'yaml', 'jsonpath='),
  'release get': words('table', 'json', 'yaml', 'jsonpath='),
  'release health': words('table', 'json', 'yaml', 'jsonpath='),
  'release history': words('table', 'json', 'yaml', 'jsonpath='),
};

/** Names of Releases of the cluster that the flags typed so far mean; none where it does not answer soon. */
export type ReleaseNames = (flags: ReadonlyMap<string, string>) => Promise<readonly string[]>;

/** Kinds that have rules of their own, in small letters for who types small letters: a command takes both. */
async function kinds(typed: string): Promise<Candidates> {
  const { catalogue } = await import('../../catalogue/index.ts');
  const names = catalogue().flatMap(({ rules }) => rules.flatMap((rule) => rule.kinds ?? []));
  const spelt = /^[a-z]/.test(typed) ? names.map((name) => name.toLowerCase()) : names;
  return words(...[...new Set(spelt)].sort());
}

/** Commands whose arguments are names of Releases. */
const ON_RELEASES = /^release (?:get|health|history|diff|sync|rollback|suspend|resume)$/;

/** What the arguments of a command may be. */
const ARGUMENTS: Readonly<Record<string, (typed: string) => Candidates | Promise<Candidates>>> = {
  completion: () => words(...SHELLS),
  'rules list': kinds,
  'rules show': kinds,
  'rules lint': () => MANIFESTS,
  'rules test': () => MANIFESTS,
};

function takesValue(option: Option | undefined): option is Option {
  return option !== undefined && (option.required || option.optional);
}

function optionOf(command: Command, word: string): Option | undefined {
  return command.options.find((option) => option.long === word || option.short === word);
}

/** Where the words before the cursor lead. */
interface Position {
  readonly command: Command;
  /** Positional words after the command's name. */
  readonly argumentsBefore: number;
  /** The flag whose value stands at the cursor. */
  readonly flag: Option | undefined;
  /** `--` was typed: what follows are no flags. */
  readonly flagsEnded: boolean;
  /** Values of flags that were typed, by their long names. */
  readonly values: ReadonlyMap<string, string>;
}

function follow(program: Command, words: readonly string[]): Position {
  let command = program;
  let argumentsBefore = 0;
  let flag: Option | undefined;
  let flagsEnded = false;
  const values = new Map<string, string>();
  for (const word of words) {
    if (flag !== undefined) {
      values.set(flag.long ?? '', word);
      flag = undefined;
      continue;
    }
    if (!flagsEnded && word === '--') flagsEnded = true;
    else if (!flagsEnded && word.startsWith('-') && word !== '-') {
      const [name = '', value] = word.split(/=(.*)/s);
      const option = optionOf(command, name);
      if (takesValue(option) && value === undefined) flag = option;
      else if (option !== undefined && value !== undefined) values.set(option.long ?? '', value);
    } else {
      const next = argumentsBefore === 0 ? command.commands.find((one) => one.name() === word) : undefined;
      if (next === undefined) argumentsBefore += 1;
      else command = next;
    }
  }
  return { command, argumentsBefore, flag, flagsEnded, values };
}

function nameOf(command: Command): string {
  return command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}

function flagValues(command: Command, { long }: Option): Candidates {
  if (long === '--output') return OUTPUTS[nameOf(command)] ?? NOTHING;
  return MANIFEST_FLAGS.includes(long ?? '') ? MANIFESTS : NOTHING;
}

function flagsOf(command: Command): Candidates {
  const options = [...command.options, command.createOption('-h, --help', `help for ${command.name()}`)];
  const values = options.flatMap(({ long, short, description }) =>
    [long, short].flatMap((value) => (value ? [{ value, description }] : [])),
  );
  return { values, directive: DIRECTIVE.noFiles };
}

async function wordsOf(
  { command, argumentsBefore, values: flags }: Position,
  typed: string,
  releaseNames: ReleaseNames,
): Promise<Candidates> {
  if (command.commands.length === 0) {
    const [first] = command.registeredArguments;
    if (argumentsBefore > 0 && !first?.variadic) return NOTHING;
    if (ON_RELEASES.test(nameOf(command))) return words(...(await releaseNames(flags)));
    return (await ARGUMENTS[nameOf(command)]?.(typed)) ?? NOTHING;
  }
  if (argumentsBefore > 0) return NOTHING;
  const values = [
    ...command.commands.map((one) => ({ value: one.name(), description: one.summary() })),
    ...(command.parent === null ? [{ value: 'help', description: 'help about a command' }] : []),
  ];
  return { values, directive: DIRECTIVE.noFiles };
}

async function candidatesFor(
  position: Position,
  word: string,
  releaseNames: ReleaseNames,
): Promise<{ candidates: Candidates; typed: string }> {
  const { command, flag, flagsEnded } = position;
  if (flag !== undefined) return { candidates: flagValues(command, flag), typed: word };
  if (flagsEnded || !word.startsWith('-') || word === '-') {
    const candidates = word === '-' && !flagsEnded ? flagsOf(command) : await wordsOf(position, word, releaseNames);
    return { candidates, typed: word };
  }
  const [name = '', value] = word.split(/=(.*)/s);
  const option = value === undefined ? undefined : optionOf(command, name);
  return takesValue(option)
    ? { candidates: flagValues(command, option), typed: value ?? '' }
    : { candidates: flagsOf(command), typed: word };
}

/**
 * The answer of cobra's `__complete` protocol: a candidate per line, behind a tab its description, at last `:DIRECTIVE`.
 * @param typedWords the words after the program's name; the last is the one being typed, '' for a new one
 */
export async function complete(
  program: Command,
  typedWords: readonly string[],
  descriptions: boolean,
  releaseNames: ReleaseNames = async () => [],
): Promise<string> {
  const position = follow(program, typedWords.slice(0, -1));
  const { candidates, typed } = await candidatesFor(position, typedWords.at(-1) ?? '', releaseNames);
  const all = candidates.directive === DIRECTIVE.extensions;
  const fitting = candidates.values.filter(({ value }) => all || value.startsWith(typed));
  const lines = fitting.map(({ value, description }) =>
    descriptions && description ? `${value}\t${description.split('\n')[0]}` : value,
  );
  const noSpace = fitting.length === 1 && fitting[0]?.value.endsWith('=') ? DIRECTIVE.noSpace : 0;
  return `${[...lines, `:${candidates.directive | noSpace}`].join('\n')}\n`;
}
