/**
 * Makes src/sandbox/protobuf/messages.gen.ts: under which numbers the fields of Kubernetes' types stand in protobuf, read from the
 * tags of the Go structs, which also tell which zero values say something. Needs Go, whose module cache holds the sources:
 *
 *   go mod download k8s.io/api@VERSION k8s.io/apimachinery@VERSION k8s.io/kube-aggregator@VERSION
 *   node scripts/generate-sandbox-protobuf.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_IN_KINDS } from '../src/sandbox/resources/built-in-kinds.ts';
import { moduleFolder } from './generate-schemas.ts';

export const PROTOBUF_OUTPUT = join(import.meta.dirname, '../src/sandbox/protobuf/messages.gen.ts');

const VERSION = 'v0.36.3';
const API = `k8s.io/api@${VERSION}`;
const MACHINERY = `k8s.io/apimachinery@${VERSION}`;
const AGGREGATOR = `k8s.io/kube-aggregator@${VERSION}`;

/** Where the types of a package stand: module, folder. CRDs are left out: their schemas have forms of their own in JSON. */
const PACKAGES: Readonly<Record<string, readonly [module: string, folder: string]>> = {
  'meta.v1': [MACHINERY, 'pkg/apis/meta/v1'],
  'apiregistration.v1': [AGGREGATOR, 'pkg/apis/apiregistration/v1'],
  ...Object.fromEntries(
    [
      'core/v1',
      'apps/v1',
      'batch/v1',
      'autoscaling/v1',
      'autoscaling/v2',
      'policy/v1',
      'networking/v1',
      'discovery/v1',
      'coordination/v1',
      'storage/v1',
      'scheduling/v1',
      'rbac/v1',
      'events/v1',
      'authentication/v1',
      'authorization/v1',
    ].map((folder) => [folder.replace('/', '.'), [API, folder] as const]),
  ),
};

/** The package that holds the types of a group. */
const GROUPS: Readonly<Record<string, string>> = {
  '': 'core',
  'networking.k8s.io': 'networking',
  'discovery.k8s.io': 'discovery',
  'coordination.k8s.io': 'coordination',
  'storage.k8s.io': 'storage',
  'scheduling.k8s.io': 'scheduling',
  'rbac.authorization.k8s.io': 'rbac',
  'events.k8s.io': 'events',
  'apiregistration.k8s.io': 'apiregistration',
};

/** Kinds that are sent and not kept. */
const SENT: Readonly<Record<string, string>> = {
  DeleteOptions: 'meta.v1.DeleteOptions',
  'policy/v1 Eviction': 'policy.v1.Eviction',
  'autoscaling/v1 Scale': 'autoscaling.v1.Scale',
  'authentication.k8s.io/v1 SelfSubjectReview': 'authentication.v1.SelfSubjectReview',
  'authentication.k8s.io/v1 TokenReview': 'authentication.v1.TokenReview',
  'authorization.k8s.io/v1 LocalSubjectAccessReview': 'authorization.v1.LocalSubjectAccessReview',
  'authorization.k8s.io/v1 SelfSubjectAccessReview': 'authorization.v1.SelfSubjectAccessReview',
  'authorization.k8s.io/v1 SelfSubjectRulesReview': 'authorization.v1.SelfSubjectRulesReview',
  'authentication.k8s.io/v1 TokenRequest': 'authentication.v1.TokenRequest',
  'authorization.k8s.io/v1 SubjectAccessReview': 'authorization.v1.SubjectAccessReview',
};

/** Go types with a form of their own. */
const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  'types.UID': 'string',
  'types.NodeName': 'string',
  bool: 'bool',
  int: 'int',
  int32: 'int',
  int64: 'int',
  '[]byte': 'bytes',
  'meta.v1.Time': 'time',
  'meta.v1.MicroTime': 'microtime',
  'resource.Quantity': 'quantity',
  'intstr.IntOrString': 'int|string',
  'runtime.RawExtension': 'any',
  'meta.v1.FieldsV1': 'any',
};

interface Source {
  /** Fields by the name of a struct, each `NUMBER JSON-NAME TYPE`. */
  readonly structs: Map<string, string[]>;
  /** What other named types stand for. */
  readonly named: Map<string, string>;
}

const FIELD = /^\t(?:(\w+)\s+)?(\S+)\s+`json:"([^"]*)".*?protobuf:"\w+,(\d+),/;

function qualified(type: string, own: string): string {
  const [, package_, name] = /^(\w+)\.(\w+)$/.exec(type) ?? [];
  if (name === undefined) return `${own}.${type}`;
  const known: Readonly<Record<string, string>> = {
    metav1: 'meta.v1',
    v1: 'core.v1',
    corev1: 'core.v1',
    apiv1: 'core.v1',
  };
  return `${known[package_ ?? ''] ?? package_}.${name}`;
}

function readPackage(own: string, text: string, { structs, named }: Source): void {
  let fields: string[] | undefined;
  for (const line of text.split('\n')) {
    const [, struct] = /^type (\w+) struct \{/.exec(line) ?? [];
    const [, name, other] = /^type (\w+) ([^{]+)$/.exec(line) ?? [];
    if (struct !== undefined) {
      fields = [];
      structs.set(`${own}.${struct}`, fields);
    } else if (name !== undefined && other !== undefined) named.set(`${own}.${name}`, other.trim());
    else if (line.startsWith('}')) fields = undefined;
    const [, , type, json = '', number] = fields === undefined ? [] : (FIELD.exec(line) ?? []);
    if (fields === undefined || type === undefined) continue;
    const [jsonName = '', ...options] = json.split(',');
    fields.push(`${number} ${options.includes('inline') ? '' : jsonName} ${options.includes('omitempty')} ${type}`);
  }
}

/** A Go type as the table writes it: `string`, `[string`, `{quantity`, `core.v1.Container`; `!` before what is never absent. */
function written(type: string, own: string, source: Source): string {
  if (type.startsWith('*')) return written(type.slice(1), own, source);
  if (SCALARS[type] !== undefined) return SCALARS[type];
  if (type.startsWith('[]')) return `[${written(type.slice(2), own, source)}`;
  const [, value] = /^map\[\w+\](.+)$/.exec(type) ?? [];
  if (value !== undefined) return `{${written(value, own, source)}`;
  const name = qualified(type, own);
  const scalar = SCALARS[name];
  if (scalar !== undefined) return scalar;
  if (source.structs.has(name)) return name;
  const meaning = source.named.get(name);
  if (meaning === undefined) throw new Error(`${type} of ${own} is no type that is known`);
  // Lists that are types of their own are messages with the list under 1.
  return meaning.startsWith('[]') ? `(${written(meaning, own, source)}` : written(meaning, own, source);
}

function packageOf(type: string): string {
  return type.split('.').slice(0, 2).join('.');
}

/** The content of the generated file. `folder` finds the folder of a module. */
export function generateProtobuf(folder: (module: string) => string): string {
  const source: Source = { structs: new Map(), named: new Map() };
  for (const [name, [module, path]] of Object.entries(PACKAGES)) {
    readPackage(name, readFileSync(join(folder(module), path, 'types.go'), 'utf8'), source);
  }
  const kinds: Record<string, string> = { ...SENT };
  for (const { group, version, kind } of BUILT_IN_KINDS) {
    if (group === 'apiextensions.k8s.io') continue;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    kinds[`${apiVersion} ${kind}`] = `${GROUPS[group] ?? group}.${version}.${kind}`;
  }
  const types: Record<string, string> = {};
  const visit = (type: string): void => {
    if (types[type] !== undefined) return;
    const fields = source.structs.get(type);
    if (fields === undefined) throw new Error(`there is no struct ${type}`);
    types[type] = '';
    const lines = fields.map((field) => {
      const [number, name, optional, go = ''] = field.split(' ');
      const form = written(go, packageOf(type), source);
      const inner = form.replace(/^[[{(]+/, '');
      if (source.structs.has(inner)) visit(inner);
      return `${number}:${name}:${go.startsWith('*') || optional === 'false' ? '!' : ''}${form}`;
    });
    types[type] = lines.join(',');
  };
  for (const type of Object.values(kinds)) visit(type);
  const lines = (record: Readonly<Record<string, string>>): string =>
    Object.keys(record)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${JSON.stringify(record[key])}`)
      .join(',\n');
  return [
    `// Made by scripts/generate-sandbox-protobuf.ts from ${API}, ${MACHINERY} and ${AGGREGATOR}. Do not edit.`,
    '',
    '/** Kinds, and the fields of their types by number, as JSON: read on first use, for most clients send JSON. */',
    `export const MESSAGES_JSON = \`{"kinds":{\n${lines(kinds)}\n},"types":{\n${lines(types)}\n}}\`;`,
    '',
  ].join('\n');
}

/** Finds modules in Go's cache; undefined when one is not there. */
export function protobufSources(): ((module: string) => string) | undefined {
  const folders = new Map([API, MACHINERY, AGGREGATOR].map((module) => [module, moduleFolder(module)]));
  if ([...folders.values()].includes(undefined)) return undefined;
  return (module) => folders.get(module) ?? '';
}

if (import.meta.main) {
  const sources = protobufSources();
  if (sources === undefined) {
    console.error(`not in Go's module cache; run: go mod download ${API} ${MACHINERY} ${AGGREGATOR}`);
    process.exitCode = 2;
  } else {
    writeFileSync(PROTOBUF_OUTPUT, generateProtobuf(sources));
    console.log(`wrote ${PROTOBUF_OUTPUT}`);
  }
}
