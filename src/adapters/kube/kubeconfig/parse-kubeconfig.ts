import { load, YAMLException } from 'js-yaml';
import { asList, asString, isMap, type JsonMap } from '../../../core/object/fields.ts';
import { TransportError } from '../../../ports/errors.ts';

/** One context, cluster or user, with the place that relative paths in it start from. */
export interface KubeconfigEntry {
  readonly body: JsonMap;
  /** What messages call the file. */
  readonly where: string;
  /** Folder of the file; '' for a kubeconfig that is no file. */
  readonly folder: string;
}

export interface Kubeconfig {
  /** What messages call it: `kubeconfig /home/a/.kube/config`. */
  readonly where: string;
  /** '' where none is set. */
  readonly currentContext: string;
  readonly contexts: ReadonlyMap<string, KubeconfigEntry>;
  readonly clusters: ReadonlyMap<string, KubeconfigEntry>;
  readonly users: ReadonlyMap<string, KubeconfigEntry>;
  /** False: it came from somebody else (a Secret), so it may neither run programs nor name files of this machine. */
  readonly trusted: boolean;
}

export interface KubeconfigOrigin {
  readonly where: string;
  readonly folder: string;
  readonly trusted: boolean;
}

/** The error of every fault in a kubeconfig; `text` is one line that says where, what and what to do. */
export function credentialsError(text: string, options?: ErrorOptions): TransportError {
  return new TransportError('credentials', text, options);
}

function parseYaml(text: string, where: string): unknown {
  try {
    return load(text);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    // Only the reason: the message of the parser quotes lines, and lines hold tokens.
    const line = error.mark === undefined ? '' : `line ${error.mark.line + 1}: `;
    throw credentialsError(`${where}: ${line}not YAML (${error.reason}); mend it or write it anew`);
  }
}

function entries(
  document: JsonMap,
  list: 'contexts' | 'clusters' | 'users',
  key: 'context' | 'cluster' | 'user',
  origin: KubeconfigOrigin,
): Map<string, KubeconfigEntry> {
  const value = document[list];
  if (value !== undefined && value !== null && !Array.isArray(value)) {
    throw credentialsError(`${origin.where}: ${list} is not a list; write it as kubectl does`);
  }
  const found = new Map<string, KubeconfigEntry>();
  for (const [index, item] of asList(value).entries()) {
    const name = isMap(item) ? asString(item['name']) : '';
    if (!isMap(item) || name === '') {
      throw credentialsError(`${origin.where}: ${list}[${index}] has no name; give it one or remove it`);
    }
    const body = item[key] ?? {};
    if (!isMap(body)) throw credentialsError(`${origin.where}: ${key} of "${name}" is not a mapping; mend it`);
    // The first of one name counts, as in kubectl.
    if (!found.has(name)) found.set(name, { body, where: origin.where, folder: origin.folder });
  }
  return found;
}

/**
 * A kubeconfig from its text (YAML or JSON). What single entries mean is read when they are used, so that a broken user of
 * another context disturbs nobody.
 *
 * @throws TransportError (`credentials`) that names the file and the line; the text itself is never quoted
 */
export function parseKubeconfig(text: string, origin: KubeconfigOrigin): Kubeconfig {
  const { where } = origin;
  if (text.split('\n').every((line) => /^\s*(?:#|---\s*$|$)/.test(line))) {
    throw credentialsError(`${where}: is empty; write one, or name another with --kubeconfig`);
  }
  const document = parseYaml(text, where);
  if (!isMap(document)) throw credentialsError(`${where}: is not a kubeconfig; it starts with \`kind: Config\``);
  const kind = document['kind'];
  if (kind !== undefined && kind !== '' && kind !== 'Config') {
    throw credentialsError(`${where}: its kind is ${JSON.stringify(kind)}, not Config; name a kubeconfig`);
  }
  return {
    where,
    currentContext: asString(document['current-context']),
    contexts: entries(document, 'contexts', 'context', origin),
    clusters: entries(document, 'clusters', 'cluster', origin),
    users: entries(document, 'users', 'user', origin),
    trusted: origin.trusted,
  };
}

function union<Value>(maps: readonly ReadonlyMap<string, Value>[]): Map<string, Value> {
  const all = new Map<string, Value>();
  for (const map of maps) {
    for (const [name, value] of map) if (!all.has(name)) all.set(name, value);
  }
  return all;
}

/** Several kubeconfigs as one, by the law of kubectl: the first that names an entry, or sets current-context, counts. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const [first] = configs;
  if (first === undefined) throw new RangeError('no kubeconfig to merge');
  if (configs.length === 1) return first;
  return {
    where: configs.map((config) => config.where).join(' + '),
    currentContext: configs.find((config) => config.currentContext !== '')?.currentContext ?? '',
    contexts: union(configs.map((config) => config.contexts)),
    clusters: union(configs.map((config) => config.clusters)),
    users: union(configs.map((config) => config.users)),
    trusted: configs.every((config) => config.trusted),
  };
}
