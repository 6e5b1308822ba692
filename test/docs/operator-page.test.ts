import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseManifests } from '../../src/apps/parse-manifests.ts';
import { definitionOf, OWN_KINDS } from '../../src/core/api/index.ts';
import { asMap, asString } from '../../src/core/object/fields.ts';
import * as names from '../../src/core/release/names.ts';
import { PrometheusTelemetry } from '../../src/http/operations/prometheus-telemetry.ts';
import { emptyApi } from '../../src/sandbox/api/object-api.fixture.ts';
import { serveDefinitions } from '../../src/sandbox/crd/serve-definitions.ts';
import { run } from '../cli/memory-io.ts';

const FOLDER = join(import.meta.dirname, '../../docs/spec');
const page = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

describe('docs/spec/operator.md', () => {
  it.each(['operator', 'install'])('names every flag of `convoy %s`', async (command) => {
    const { out } = await run([command, '--help']);
    const flags = [...out.matchAll(/^ +(?:-\w, )?(--[\w-]+)/gm)].map(([, flag = '']) => flag);
    expect(flags.length).toBeGreaterThan(5);
    const known = ['--help', '--dry-run', '--output'];
    expect(flags.filter((flag) => !known.includes(flag) && !page('operator.md').includes(flag))).toEqual([]);
  });

  it('names every metric of its own', async () => {
    const telemetry = new PrometheusTelemetry({ releases: () => [], inventories: () => [], queues: () => new Map() });
    const metrics = [...(await telemetry.text()).matchAll(/^# HELP (convoy_\w+)/gm)].map(([, name = '']) => name);
    expect(metrics.length).toBeGreaterThan(8);
    expect(metrics.filter((name) => !page('operator.md').includes(`\`${name}`))).toEqual([]);
  });
});

describe('docs/spec/release.md', () => {
  it('names every annotation that authors write', () => {
    const written = [
      names.SYNC_WAVE,
      names.HOOK,
      names.HOOK_RUN_AFTER,
      names.HOOK_DELETE_POLICY,
      names.HOOK_ON_ROLLBACK,
      names.IGNORE_HEALTH,
      names.DEADLINE,
      names.PRUNE,
      names.ADOPT,
      names.SYNC_REQUESTED,
      names.ROLLBACK_TO,
      names.ORPHAN,
      names.SKIP_HOOKS,
    ];
    expect(written.filter((name) => !page('release.md').includes(`\`${name}`))).toEqual([]);
  });
});

describe('the examples of docs/spec', () => {
  const { api, resource } = emptyApi();
  const BY = { manager: 'test' };
  const blocks = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) =>
      [...page(name).matchAll(/^```yaml\n(apiVersion: convoy\.kumodo\.io[\s\S]*?)^```$/gm)].map(
        ([, text = ''], index) => [`${name}, block ${index + 1}`, text] as const,
      ),
    );

  beforeAll(() => {
    serveDefinitions(api);
    api.create(resource('v1', 'Namespace'), '', { metadata: { name: 'shop' } }, BY);
    for (const own of OWN_KINDS) {
      api.create(resource('apiextensions.k8s.io/v1', 'CustomResourceDefinition'), '', definitionOf(own), BY);
    }
  });

  it.each(blocks)('%s: is accepted by the API server, every field of it', async (_, text) => {
    const { objects, problems } = await parseManifests('example', text);
    expect(problems).toEqual([]);
    for (const { object } of objects) {
      const type = resource(asString(object['apiVersion']), asString(object['kind']));
      const { name, namespace } = asMap(object['metadata']);
      const unique = {
        ...object,
        metadata: { ...asMap(object['metadata']), name: `${asString(name)}-${objects.length}` },
      };
      const where = type.namespaced ? asString(namespace) || 'shop' : '';
      api.remove(type, where, api.create(type, where, unique, { ...BY, fieldValidation: 'Strict' }).metadata.name);
    }
  });
});
