import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { plainLine } from '../../../core/errors/index.ts';
import { asList, asMap, asString, isMap, type JsonMap } from '../../../core/object/fields.ts';
import { insidePathFrom } from '../../../core/source/index.ts';
import { SourceError } from '../../../ports/renderer.ts';
import type { ParseManifests, ParseYaml } from '../../../ports/source-tools.ts';

/** Names of a kustomization, as Kustomize looks for them. */
export const KUSTOMIZATION_FILES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** Kustomizations that one build reads; far more than any tree that people look after. */
const MOST_KUSTOMIZATIONS = 1000;
/** Bytes of one kustomization. */
const LARGEST = 1 << 20;

/**
 * What the fields of a kustomization may name. A field that is not in this table is refused, in any other spelling too: what a
 * future Kustomize reads by a new field is not known to stay inside.
 * - `plain` nothing outside of itself
 * - `folders` files, and folders with kustomizations
 * - `files` files
 * - `patches` files, or the text of a patch
 * - `plugins` files that configure plugins, or their text; only those that are built in are allowed
 * - `entries` maps, which name files by `path`, `files`, `envs` or `env`
 */
const FIELDS: Readonly<Record<string, 'plain' | 'folders' | 'files' | 'patches' | 'plugins' | 'entries'>> = {
  apiVersion: 'plain',
  kind: 'plain',
  metadata: 'plain',
  namespace: 'plain',
  namePrefix: 'plain',
  nameSuffix: 'plain',
  commonLabels: 'plain',
  commonAnnotations: 'plain',
  labels: 'plain',
  images: 'plain',
  imageTags: 'plain',
  replicas: 'plain',
  vars: 'plain',
  generatorOptions: 'plain',
  buildMetadata: 'plain',
  sortOptions: 'plain',
  inventory: 'plain',
  resources: 'folders',
  bases: 'folders',
  components: 'folders',
  crds: 'files',
  configurations: 'files',
  patchesStrategicMerge: 'patches',
  generators: 'plugins',
  transformers: 'plugins',
  validators: 'plugins',
  patches: 'entries',
  patchesJson6902: 'entries',
  replacements: 'entries',
  openapi: 'entries',
  configMapGenerator: 'entries',
  secretGenerator: 'entries',
};

/** Fields of an entry that name files. Kustomize reads field names in any case, and so do we. */
const NAMING = new Set(['path', 'files', 'envs', 'env']);
const HELM = /^helm/i;
const FUNCTION = /^config\.(kubernetes|k8s)\.io\/function$/;
/** What Kustomize would fetch: a URL, an address of Git, a host before a path. */
const REMOTE =
  /^[a-z][\w+.-]*:|^[\w.-]+@|[?&](ref|version)=|^(www\.)?(github\.com|gitlab\.com|bitbucket\.org)\/|\.git(\/|$)/i;

export interface CheckOptions {
  readonly parseYaml: ParseYaml;
  readonly parseManifests: ParseManifests;
}

function refused(message: string): SourceError {
  return new SourceError(message, 'terminal');
}

/** The kustomization of a folder; undefined when it has none. */
export async function findKustomization(folder: string): Promise<string | undefined> {
  for (const name of KUSTOMIZATION_FILES) {
    const isFile = await stat(join(folder, name)).then(
      (stats) => stats.isFile(),
      () => false,
    );
    if (isFile) return name;
  }
  return undefined;
}

/**
 * Reads a kustomization and all that it leads to, before Kustomize does, and refuses what would leave the source or run something:
 * remote bases and files, paths outside, Helm charts, plugins that are not built in, functions.
 */
export class KustomizationCheck {
  readonly #root: string;
  readonly #options: CheckOptions;
  readonly #seen = new Set<string>();

  constructor(root: string, options: CheckOptions) {
    this.#root = root;
    this.#options = options;
  }

  /** @param path of a folder below the root. @throws SourceError */
  async folder(path: string): Promise<void> {
    if (this.#seen.has(path)) return;
    this.#seen.add(path);
    if (this.#seen.size > MOST_KUSTOMIZATIONS)
      throw refused(`more than ${MOST_KUSTOMIZATIONS} kustomizations lead to each other`);
    const name = await findKustomization(join(this.#root, path));
    if (name === undefined)
      throw refused(`${path || 'the source'} has no kustomization.yaml; add one, or name its files`);
    const file = path === '' ? name : `${path}/${name}`;
    const kustomization = await this.#read(file);
    for (const [field, value] of Object.entries(kustomization)) await this.#field(path, file, field, value);
  }

  async #read(file: string): Promise<JsonMap> {
    const text = await readFile(join(this.#root, file));
    if (text.length > LARGEST) throw refused(`${file} is larger than ${LARGEST} bytes`);
    let value: unknown;
    try {
      value = this.#options.parseYaml(text.toString('utf8'));
    } catch (error) {
      throw refused(`${file}: ${plainLine(error instanceof Error ? error.message : 'is no YAML')}`);
    }
    if (!isMap(value)) throw refused(`${file} is no map; a kustomization has fields like resources:`);
    return value;
  }

  async #field(folder: string, file: string, field: string, value: unknown): Promise<void> {
    if (HELM.test(field)) throw refused(`${file}: ${plainLine(field)} is not allowed; write the chart as source.helm`);
    const kind = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
    const place = `${file}: ${plainLine(field)}`;
    switch (kind) {
      case 'plain':
        return;
      case 'folders':
      case 'files':
        for (const one of asList(value)) await this.#reference(folder, one, place, kind);
        return;
      case 'patches':
        for (const one of asList(value)) if (!isInline(one)) await this.#reference(folder, one, place, 'files');
        return;
      case 'plugins':
        for (const one of asList(value)) await this.#plugin(folder, one, place);
        return;
      case 'entries':
        for (const one of Array.isArray(value) ? value : [value]) await this.#entry(folder, one, place);
        return;
      case undefined:
        throw refused(`${file}: ${plainLine(field)} is no field of a kustomization that is allowed`);
    }
  }

  async #entry(folder: string, entry: unknown, place: string): Promise<void> {
    for (const [key, value] of Object.entries(asMap(entry))) {
      if (!NAMING.has(key.toLowerCase())) continue;
      for (const one of Array.isArray(value) ? value : [value]) {
        // `name=path` gives the file another name.
        const path = typeof one === 'string' && key.toLowerCase() === 'files' ? one.slice(one.indexOf('=') + 1) : one;
        if (path !== '' && path !== null) await this.#reference(folder, path, place, 'files');
      }
    }
  }

  async #plugin(folder: string, value: unknown, place: string): Promise<void> {
    let text: string | Uint8Array;
    if (isInline(value)) {
      text = value;
    } else {
      const path = await this.#reference(folder, value, place, 'files');
      text = await readFile(join(this.#root, path));
    }
    const { objects, problems } = await this.#options.parseManifests(place, text);
    if (problems[0] !== undefined) throw refused(problems[0]);
    for (const { object } of objects) {
      const { apiVersion, kind, metadata } = object;
      const annotations = Object.keys(asMap(asMap(metadata)['annotations']));
      const isBuiltin = apiVersion === 'builtin' && !annotations.some((name) => FUNCTION.test(name));
      if (!isBuiltin || HELM.test(asString(kind))) {
        throw refused(`${place}: the plugin ${plainLine(asString(kind))} is not built in, and so not run`);
      }
      await this.#entry(folder, object, place);
    }
  }

  /** Checks one path as Kustomize would follow it; returns it as seen from the root. */
  async #reference(folder: string, value: unknown, place: string, kind: 'folders' | 'files'): Promise<string> {
    if (typeof value !== 'string') throw refused(`${place} names what is no path`);
    const shown = plainLine(value.replace(/\/\/[^/@]*@/, '//')).slice(0, 200);
    if (REMOTE.test(value))
      throw refused(`${place}: ${shown} is remote, which is not fetched; copy it into the source`);
    const path = insidePathFrom(folder, value);
    if (path === undefined) throw refused(`${place}: ${shown} leads out of the source`);
    const stats = await stat(join(this.#root, path)).catch(() => undefined);
    if (stats?.isDirectory() && kind === 'folders') await this.folder(path);
    else if (!stats?.isFile())
      throw refused(`${place}: there is no ${kind === 'files' ? 'file' : 'file or folder'} ${shown}`);
    return path;
  }
}

/** Where a path may stand, the text itself stands if it has lines or is a map. */
function isInline(value: unknown): value is string {
  return (
    typeof value === 'string' && !/^\s*[\w+.-]*:\/\//.test(value) && (value.includes('\n') || /^\s*[[{]/.test(value))
  );
}
