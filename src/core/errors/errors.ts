import { plainLine } from './plain-text.ts';

/** What a loop may do about an error: try again later, give up until something changes, or wait for something else first. */
export type RetryClass = 'retry' | 'terminal' | 'wait';

/** One row of the error table. */
export interface ErrorKind {
  /** What is wrong. `{name}` stands for a value that is known when it happens; secrets are never such values. */
  readonly message: string;
  /** What the reader can do about it, in the imperative. */
  readonly mend: string;
  readonly retry: RetryClass;
  readonly httpStatus: number;
  /** 2: usage or unreadable input; 3: no cluster; 4: too late; 70: a defect of convoy itself (EX_SOFTWARE of sysexits.h). */
  readonly exitCode: number;
}

const unreadable = { retry: 'terminal', httpStatus: 422, exitCode: 2 } as const;
const usage = { retry: 'terminal', httpStatus: 400, exitCode: 2 } as const;
const unreachable = { retry: 'retry', httpStatus: 502, exitCode: 3 } as const;

/** Every error a person can meet. docs/errors.md is made from this table. */
export const ERRORS = {
  InputNotFound: { ...unreadable, httpStatus: 404, message: 'no such file', mend: 'check the path' },
  InputForbidden: {
    ...unreadable,
    httpStatus: 403,
    message: 'may not be read',
    mend: 'give yourself read access to it',
  },
  InputUnreadable: { ...unreadable, message: 'cannot be read ({reason})', mend: 'check that it is a file or a folder' },
  InputEmpty: {
    ...unreadable,
    message: 'holds no object',
    mend: 'check the command that wrote it: `kubectl get … -o yaml` writes at least a List',
  },
  DirectoryEmpty: {
    ...unreadable,
    message: 'holds no *.yaml, *.yml or *.json file',
    mend: 'name the folder with the objects',
  },
  InputTooLarge: {
    ...unreadable,
    httpStatus: 413,
    message: 'is {size} long, more than the {limit} that are read at once',
    mend: 'split it, for example one `kubectl get` for each namespace',
  },
  YamlDocumentTooLarge: {
    ...unreadable,
    httpStatus: 413,
    message: 'one YAML document of {size}, more than the {limit} that are read at once',
    mend: 'write it as JSON (`kubectl get … -o json`), which needs far less memory',
  },
  InputCompressed: { ...unreadable, message: 'is compressed', mend: 'unpack it first, for example with `gunzip`' },
  InputBinary: { ...unreadable, message: 'is not text (byte {byte} at offset {offset})', mend: 'pass YAML or JSON' },
  InputNotUtf8: {
    ...unreadable,
    message: 'is not valid UTF-8 (byte {byte} at offset {offset})',
    mend: 'save it as UTF-8, for example with `iconv -t UTF-8`',
  },
  YamlInvalid: { ...unreadable, message: '{reason}', mend: 'mend the YAML there or in the line above' },
  YamlTab: { ...unreadable, message: 'a tab in the indentation', mend: 'indent with spaces' },
  YamlTruncated: { ...unreadable, message: '{reason}', mend: 'close it, or get the file again if it was cut off' },
  YamlTemplate: {
    ...unreadable,
    message: 'an unrendered template ({{ … }})',
    mend: 'render it first, for example with `helm template`',
  },
  YamlNotFinite: {
    ...unreadable,
    message: '{value} is not a number that JSON can hold',
    mend: 'write a finite number, or quote it to make it a string',
  },
  YamlAliasBomb: {
    ...unreadable,
    message: 'aliases (*name) grow {written} nodes to more than {limit}',
    mend: 'write the values out instead of aliasing aliases',
  },
  YamlAliasCircle: {
    ...unreadable,
    message: 'the alias *{name} stands inside its own anchor',
    mend: 'remove the circle',
  },
  JsonInvalid: { ...unreadable, message: 'not JSON: {reason}', mend: 'mend the JSON there' },
  JsonTruncated: {
    ...unreadable,
    message: 'the JSON ends in the middle of a value',
    mend: 'get the file again: it was cut off',
  },
  DuplicateKey: { ...unreadable, message: 'the key {key} stands twice in one mapping', mend: 'remove one of them' },
  TooDeep: { ...unreadable, message: 'nested more than {limit} levels deep', mend: 'pass Kubernetes objects' },
  NotAnObject: {
    ...unreadable,
    message: '{what} where a Kubernetes object should be',
    mend: 'pass what `kubectl get … -o yaml` prints: an object starts with apiVersion: and kind:',
  },
  KindMissing: { ...unreadable, message: 'an object without kind', mend: 'add apiVersion: and kind:' },
  ApiVersionMissing: {
    ...unreadable,
    message: '{kind} without apiVersion',
    mend: 'add apiVersion:, for example apps/v1',
  },
  FieldNotText: { ...unreadable, message: '{field} is {what}, not a string', mend: 'write {field}: as a string' },
  ItemsNotAList: {
    ...unreadable,
    message: 'items of {kind} is {what}, not a list',
    mend: 'write items: as a list of objects',
  },
  RulesAsObject: {
    ...unreadable,
    message: '{kind} holds health rules, not an object to judge',
    mend: 'pass the file with --rules',
  },
  NoRules: {
    ...unreadable,
    message: 'holds no health rules',
    mend: 'pass a GlobalHealthRuleSet, a HealthRuleSet, a k0rdent rule ConfigMap, a rule.yaml or a folder with them',
  },
  RuleSetInvalid: { ...unreadable, message: '{path} {reason}', mend: 'mend the rule set' },
  FileMissing: {
    ...usage,
    message: '-f FILE is needed',
    mend: 'name a file, a folder or - for stdin: kubectl get all -o yaml | convoy {command} -f -',
  },
  UnknownCommand: { ...usage, message: 'unknown command "{name}"', mend: '{hint}' },
  UnknownFlag: { ...usage, message: 'unknown flag {name}', mend: '{hint}' },
  FlagValueMissing: { ...usage, message: 'the flag {name} needs a value', mend: 'see `convoy {command} --help`' },
  ArgumentMissing: { ...usage, message: 'the argument {name} is missing', mend: '{hint}' },
  TooManyArguments: { ...usage, message: 'too many arguments: {names}', mend: '{hint}' },
  UsageInvalid: { ...usage, message: '{reason}', mend: '{hint}' },
  TimeInvalid: {
    ...usage,
    message: '{flag} "{value}" is not a time',
    mend: 'write it as RFC 3339, for example 2026-03-02T10:00:00Z',
  },
  DurationInvalid: { ...usage, message: '{reason}', mend: 'see `convoy {command} --help`' },
  OutputInvalid: {
    ...usage,
    message: 'unknown output format "{value}"',
    mend: 'use one of {formats}',
  },
  JsonPathInvalid: {
    ...usage,
    message: 'jsonpath "{value}": {reason}',
    mend: 'write it as kubectl does, for example jsonpath={.items[*].name}',
  },
  JsonPathTooLarge: {
    ...usage,
    message: 'the jsonpath template multiplies what it finds beyond all bounds',
    mend: 'name the fields instead of .., and one .. at most',
  },
  SelectorInvalid: {
    ...usage,
    message: 'selector "{value}": {reason}',
    mend: 'write it as kubectl does, for example app=web,tier!=cache or "env in (a,b)"',
  },
  RuleKindUnknown: { ...usage, httpStatus: 404, message: 'no rule for "{name}"', mend: '{hint}' },
  RuleUnknown: { ...usage, httpStatus: 404, message: 'no rule named "{name}" applies to {object}', mend: '{hint}' },
  RuleTestsMissing: {
    ...unreadable,
    message: 'holds no rule.test.yaml',
    mend: 'write its cases there: `cases: [{name, object: FILE, state}]`',
  },
  ObjectNotInInput: { ...usage, httpStatus: 404, message: 'no {name} in the input', mend: '{hint}' },
  SchemaUnknown: {
    ...unreadable,
    message: 'describes no kind',
    mend: 'pass a CustomResourceDefinition, an OpenAPI document, or a JSON schema with x-kubernetes-group-version-kind',
  },
  ShellUnknown: { ...usage, message: 'no completion for "{shell}"', mend: 'use bash, zsh or fish' },
  OutputUnwritable: {
    ...unreadable,
    message: 'the output cannot be written ({reason})',
    mend: 'make room on the disk, or write it elsewhere',
  },
  NumberInvalid: {
    ...usage,
    message: '{flag} is no whole number from 0 to {most}: {value}',
    mend: 'write digits alone, for example `{flag} 0`',
  },
  PortTaken: {
    ...usage,
    httpStatus: 409,
    message: 'port {port} cannot be listened on ({reason})',
    mend: 'choose another, or leave --port out for any free one',
  },
  AddressTaken: {
    ...usage,
    httpStatus: 409,
    message: 'port {port} cannot be listened on ({reason})',
    mend: 'choose another with {flag}',
  },
  KubeconfigTaken: {
    ...usage,
    httpStatus: 409,
    message: '{path} is there and is no kubeconfig of a sandbox',
    mend: 'name a file that does not exist, so that no access to other clusters is lost',
  },
  ControlPlaneMissing: {
    ...usage,
    httpStatus: 404,
    message: 'no real control plane has been built here',
    mend: 'build it once by `make real-control-plane` in a checkout of convoy (needs Go 1.26; up to 15 minutes), or leave --real out',
  },
  ControlPlaneFailed: {
    ...usage,
    httpStatus: 503,
    message: 'the control plane did not start: {reason}',
    mend: 'mend what it says, or leave --real out for the simulated cluster',
  },
  FileUnwritable: {
    ...usage,
    httpStatus: 403,
    message: '{path} cannot be written ({reason})',
    mend: 'name a file in a folder that exists and that you may write to',
  },
  ObjectsMissing: {
    ...usage,
    message: 'no objects are named',
    mend: 'name those of a cluster (`convoy health deploy/web`, -l app=web, --all-kinds) or of files: kubectl get all -o yaml | convoy health -f -',
  },
  FilesOrCluster: {
    ...usage,
    message: '{named} means a cluster, -f files',
    mend: 'leave one of them out',
  },
  KindNotServed: {
    ...usage,
    httpStatus: 404,
    message: '{where} serves no "{name}"',
    mend: '{hint}',
  },
  ReleasesNotServed: {
    ...usage,
    httpStatus: 404,
    message: '{where} knows no Releases',
    mend: 'install convoy there, definitions first: `convoy install --only crds | kubectl apply --server-side -f -`, then without --only crds',
  },
  ReleaseNotFound: {
    ...usage,
    httpStatus: 404,
    message: 'no release "{name}" in namespace {namespace}',
    mend: '{hint}',
  },
  ReleaseUnreadable: {
    ...unreadable,
    message: 'release {namespace}/{name} cannot be read: {reason}',
    mend: 'bring definitions and convoy to the same version: `convoy install --only crds | kubectl apply --server-side -f -`',
  },
  RenderUnknown: { ...usage, httpStatus: 404, message: 'release {name} has no render "{render}"', mend: '{hint}' },
  DiffImpossible: { ...unreadable, message: 'release {name} cannot be compared: {reason}', mend: '{hint}' },
  KubeconfigUnusable: { ...usage, message: '{what}', mend: '{mend}' },
  ClusterUnreachable: { ...unreachable, message: '{what}', mend: '{mend}' },
  ClusterRefused: { ...unreachable, retry: 'terminal', message: '{what}', mend: '{mend}' },
  WaitTimeout: {
    retry: 'retry',
    httpStatus: 504,
    exitCode: 4,
    message: '{where}: after {timeout}, {what}',
    mend: 'mend what the report says, or wait longer with --timeout',
  },
  Internal: {
    retry: 'terminal',
    httpStatus: 500,
    exitCode: 70,
    message: 'internal error: {reason}',
    mend: 'please report it with the command that led to it',
  },
} as const satisfies Readonly<Record<string, ErrorKind>>;

export type ErrorCode = keyof typeof ERRORS;

/** The values that stand in a message. Control characters in them are shown as `?`, so that a message stays one line. */
export type ErrorValues = Readonly<Record<string, string | number>>;

function fill(template: string, values: ErrorValues): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : oneLine(String(value));
  });
}

/** Longest value that is shown inside a message; a longer one is cut with an ellipsis. */
const LONGEST_VALUE = 300;

function oneLine(text: string): string {
  const flat = plainLine(text);
  return flat.length <= LONGEST_VALUE ? flat : `${flat.slice(0, LONGEST_VALUE - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** `WHAT; MEND` of one error: a single line. */
export function errorText(code: ErrorCode, values: ErrorValues = {}): string {
  const { message, mend } = ERRORS[code];
  return `${fill(message, values)}; ${fill(mend, values)}`;
}

/** An error that ends a command or a request. Its message is the line for the user. */
export class ConvoyError extends Error {
  override readonly name = 'ConvoyError';
  readonly code: ErrorCode;
  readonly values: ErrorValues;

  constructor(code: ErrorCode, values: ErrorValues = {}) {
    super(errorText(code, values));
    this.code = code;
    this.values = values;
  }

  get kind(): ErrorKind {
    return ERRORS[this.code];
  }
}
