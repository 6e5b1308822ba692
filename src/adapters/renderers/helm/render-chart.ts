import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plainLine } from '../../../core/errors/index.ts';
import { isMap } from '../../../core/object/fields.ts';
import { secretTexts } from '../../../core/source/index.ts';
import { type RenderedObject, type RenderRequest, SourceError } from '../../../ports/renderer.ts';
import { type ParseManifests, ProgramError, type RunProgram, type Scratch } from '../../../ports/source-tools.ts';
import { helmFailure } from './helm-failure.ts';
import { splitOutput } from './split-output.ts';

type ChartRequest = Extract<RenderRequest, { kind: 'chart' }>;

export interface ChartRendererOptions {
  readonly run: RunProgram;
  /** Path or name of the binary, found by `searchPath`. */
  readonly program: string;
  readonly searchPath: string;
  readonly scratch: Scratch;
  readonly parseManifests: ParseManifests;
  /** Bytes of what a chart is rendered to. */
  readonly maxBytes: number;
}

/** A proxy that nobody listens at: whatever in Helm would ask the network (a schema by URL) fails at once. */
const NO_NETWORK = 'http://127.0.0.1:9';

/** JSON that Helm reads as YAML; integers beyond 2^53 as they are. */
function valuesText(values: unknown): string {
  return JSON.stringify(values, (_key, value: unknown) =>
    // JSON.rawJSON is in V8, but not in the types of es2024.
    typeof value === 'bigint' ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(value)) : value,
  );
}

/** Renders charts by the helm binary, as a client only: no cluster, no network, nothing of our own environment. */
export class ChartRenderer {
  readonly #options: ChartRendererOptions;

  constructor(options: ChartRendererOptions) {
    this.#options = options;
  }

  async render(request: ChartRequest, signal: AbortSignal): Promise<RenderedObject[]> {
    if (!isMap(request.values))
      throw new SourceError('the values of the chart are no map; write key: value', 'terminal');
    await refuseForeignSchemas(request.artifact.path);
    const output = await this.#options.scratch((folder) => this.#template(request, folder, signal));
    return this.#objects(output, signal);
  }

  async #template(request: ChartRequest, folder: string, signal: AbortSignal): Promise<string> {
    const { program, run, searchPath, maxBytes } = this.#options;
    const values = join(folder, 'values.json');
    await writeFile(values, valuesText(request.values), { mode: 0o600 });
    await mkdir(join(folder, 'plugins'));
    const env = {
      PATH: searchPath,
      HOME: folder,
      TMPDIR: folder,
      HELM_CACHE_HOME: join(folder, 'cache'),
      HELM_CONFIG_HOME: join(folder, 'config'),
      HELM_DATA_HOME: join(folder, 'data'),
      HELM_PLUGINS: join(folder, 'plugins'),
      KUBECONFIG: '/dev/null',
      HTTP_PROXY: NO_NETWORK,
      HTTPS_PROXY: NO_NETWORK,
    };
    const args = [
      'template',
      '--include-crds',
      '--no-hooks=false',
      '--skip-tests',
      `--namespace=${request.namespace}`,
      `--values=${values}`,
      ...(request.kubeVersion === '' ? [] : [`--kube-version=${request.kubeVersion}`]),
      ...request.apiVersions.map((version) => `--api-versions=${version}`),
      ...(request.upgrade ? ['--is-upgrade'] : []),
      '--',
      request.releaseName,
      request.artifact.path,
    ];
    try {
      const { code, stdout, stderr } = await run(program, args, { cwd: folder, env, signal, maxOutput: maxBytes });
      if (code !== 0) throw helmFailure(stderr, [...secretTexts(request.values), folder, request.artifact.path]);
      return stdout.toString('utf8');
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      const message =
        error.fault === 'missing'
          ? `helm was not found (${program}); put Helm 3.14 or newer on the PATH of convoy (https://helm.sh/docs/intro/install)`
          : `the chart renders to more than the ${maxBytes} bytes that are allowed`;
      throw new SourceError(message, error.fault === 'missing' ? 'retry' : 'terminal', { cause: error });
    }
  }

  async #objects(output: string, signal: AbortSignal): Promise<RenderedObject[]> {
    const found: RenderedObject[] = [];
    const documents = new Map<string, number>();
    for (const { source, text } of splitOutput(output)) {
      signal.throwIfAborted();
      const { objects, problems } = await this.#options.parseManifests(`${source} as rendered`, text);
      const [problem] = problems;
      if (problem !== undefined) throw new SourceError(problem, 'terminal');
      const document = (documents.get(source) ?? 0) + 1;
      documents.set(source, document);
      for (const { object } of objects) found.push({ object, source, document, line: 0 });
    }
    return found;
  }
}

/** The first reference in a JSON schema that leads out of it. */
function foreignReference(schema: unknown): string | undefined {
  if (Array.isArray(schema)) return schema.map(foreignReference).find((one) => one !== undefined);
  if (!isMap(schema)) return undefined;
  const { $ref } = schema;
  if (typeof $ref === 'string' && !$ref.startsWith('#')) return $ref;
  return foreignReference(Object.values(schema));
}

/** The schema in a file; undefined where there is none that could be read: Helm says what is wrong with it. */
async function schemaIn(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** A schema of values may name another by address: Helm would fetch it, or read it off our disk. */
async function refuseForeignSchemas(chart: string): Promise<void> {
  const address = foreignReference(await schemaIn(join(chart, 'values.schema.json')));
  if (address !== undefined) {
    throw new SourceError(
      `values.schema.json of the chart refers to another schema (${plainLine(address)}), which is not fetched; write it into the chart`,
      'terminal',
    );
  }
  const subcharts = await readdir(join(chart, 'charts'), { withFileTypes: true }).catch(() => []);
  for (const entry of subcharts) if (entry.isDirectory()) await refuseForeignSchemas(join(chart, 'charts', entry.name));
}
