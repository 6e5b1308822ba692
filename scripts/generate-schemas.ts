/**
 * Makes src/catalogue/schemas.gen.ts: field names and types of the built-in kinds and of the Gateway API, reduced from
 * what the projects publish. Needs Go, whose module cache is where the documents come from:
 *
 *   go mod download k8s.io/kubernetes@VERSION sigs.k8s.io/gateway-api@VERSION
 *   node scripts/generate-schemas.ts
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { type KindSchemas, mergeKindSchemas } from '../src/core/schema/kind-schemas.ts';
import { reduceSchemaDocument } from '../src/core/schema/reduce-schema.ts';

/** The versions that the checked-in file was made from. */
export const KUBERNETES = 'k8s.io/kubernetes@v1.36.1';
export const GATEWAY_API = 'sigs.k8s.io/gateway-api@v1.4.0';

export const OUTPUT = join(import.meta.dirname, '../src/catalogue/schemas.gen.ts');

/** Versions that a default cluster serves; alphas come and go and would be a third of the file. */
const SERVED = /^(?:\S+\/)?v\d+(?:beta\d+)? /;

/** The folder of a module in Go's cache; undefined when it is not there. */
export function moduleFolder(module: string): string | undefined {
  try {
    const cache = execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' }).trim();
    const folder = join(cache, module);
    return existsSync(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}

function servedKinds({ kinds, types }: KindSchemas): KindSchemas {
  const kept = Object.fromEntries(Object.entries(kinds).filter(([key]) => SERVED.test(key)));
  const used: Record<string, Readonly<Record<string, string>>> = {};
  const visit = (written: string): void => {
    const name = written.replace(/^[[{]+|[\]}!]+$/g, '');
    const fields = types[name];
    if (fields === undefined || used[name]) return;
    used[name] = fields;
    for (const each of Object.values(fields)) visit(each);
  };
  for (const type of Object.values(kept)) visit(type);
  return { kinds: kept, types: used };
}

/**
 * The built-in kinds' `spec` and `status` are Go structs, which the API server writes also when they are empty
 * (`status: {}`): present in every object it returns, though OpenAPI calls them optional.
 */
function withPartsWritten({ kinds, types }: KindSchemas): KindSchemas {
  const written = { ...types };
  for (const type of Object.values(kinds)) {
    const fields = Object.entries(types[type] ?? {});
    written[type] = Object.fromEntries(
      fields.map(([name, each]) => [name, /^(?:spec|status)$/.test(name) && !each.endsWith('!') ? `${each}!` : each]),
    );
  }
  return { kinds, types: written };
}

function readGatewayApi(folder: string): KindSchemas {
  const crds = join(folder, 'config/crd/standard');
  const documents = readdirSync(crds)
    .filter((name) => name.startsWith('gateway.networking.k8s.io_'))
    .sort()
    .map((name) => reduceSchemaDocument(load(readFileSync(join(crds, name), 'utf8'))));
  return mergeKindSchemas(documents.filter((one) => one !== undefined));
}

function sorted(record: Readonly<Record<string, unknown>>): string {
  const lines = Object.keys(record)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${JSON.stringify(record[key])}`);
  return `{\n${lines.join(',\n')}\n}`;
}

/** The content of the generated file from the folders of the two modules. */
export function generateSchemas(kubernetes: string, gatewayApi: string): string {
  const swagger: unknown = JSON.parse(readFileSync(join(kubernetes, 'api/openapi-spec/swagger.json'), 'utf8'));
  const builtIn = reduceSchemaDocument(swagger);
  if (builtIn === undefined) throw new Error('swagger.json holds no definitions');
  const { kinds, types } = servedKinds(mergeKindSchemas([withPartsWritten(builtIn), readGatewayApi(gatewayApi)]));
  return [
    `// Made by scripts/generate-schemas.ts from ${KUBERNETES} and ${GATEWAY_API}. Do not edit.`,
    '',
    '/** KindSchemas as JSON: parsing a string is cheaper than evaluating so large a literal, and only a linter needs it. */',
    `export const SCHEMAS_JSON = \`{"kinds":${sorted(kinds)},"types":${sorted(types)}}\`;`,
    '',
  ].join('\n');
}

if (import.meta.main) {
  const [kubernetes, gatewayApi] = [moduleFolder(KUBERNETES), moduleFolder(GATEWAY_API)];
  if (kubernetes === undefined || gatewayApi === undefined) {
    console.error(`not in Go's module cache; run: go mod download ${KUBERNETES} ${GATEWAY_API}`);
    process.exitCode = 2;
  } else {
    writeFileSync(OUTPUT, generateSchemas(kubernetes, gatewayApi));
    console.log(`wrote ${OUTPUT}`);
  }
}
