import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseManifests } from '../../src/apps/parse-manifests.ts';
import { definitionOf, OWN_KINDS } from '../../src/core/api/index.ts';
import { asMap, asString, field } from '../../src/core/object/fields.ts';
import { emptyApi } from '../../src/sandbox/api/object-api.fixture.ts';
import { serveDefinitions } from '../../src/sandbox/crd/serve-definitions.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/spec/release.md'), 'utf8');
const { api, resource } = emptyApi();
const BY = { manager: 'test' };

beforeAll(() => {
  serveDefinitions(api);
  api.create(resource('v1', 'Namespace'), '', { metadata: { name: 'shop' } }, BY);
  for (const own of OWN_KINDS) {
    api.create(resource('apiextensions.k8s.io/v1', 'CustomResourceDefinition'), '', definitionOf(own), BY);
  }
});

describe('the examples of docs/spec/release.md', () => {
  const blocks = [...PAGE.matchAll(/^### ([^\n]*)\n```yaml\n([\s\S]*?)^```$/gm)].map(
    ([, title = '', text = '']) => [title, text] as const,
  );

  it('show every source', () => {
    const all = blocks.map(([, text]) => text).join('\n');
    for (const word of ['inline', 'configMap', 'git', 'oci', 'helm', 'kustomize'])
      expect(all).toMatch(new RegExp(`^ +${word}:`, 'm'));
  });

  it.each(blocks)('%s: are accepted by the API server, with every field', async (_title, text) => {
    const { objects, problems } = await parseManifests('release.md', text);
    expect(problems).toEqual([]);
    for (const { object } of objects) {
      const { namespace } = asMap(object['metadata']);
      const type = resource(asString(object['apiVersion']), asString(object['kind']));
      const created = api.create(type, asString(namespace), object, BY);
      expect(created['spec'] ?? {}).toMatchObject(asMap(field(object, 'spec')));
    }
  });
});
