import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_VERSION, definitionOf, GROUP, OWN_KINDS, readRelease, VERSION } from '../../core/api/index.ts';
import { asList, type JsonMap } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { Cluster, ResourcePath } from '../../ports/cluster.ts';
import { at, refusal, TYPES } from './cluster/law.ts';

const NAMESPACE = 'own-kinds';

function pathOf(kind: string): ResourcePath {
  const own = OWN_KINDS.find((one) => one.kind === kind);
  if (own === undefined) throw new Error(`${kind} is no kind of convoy's`);
  const type = { group: GROUP, version: VERSION, resource: own.plural };
  return { type, namespace: own.scope === 'Cluster' ? '' : NAMESPACE };
}

const INLINE = { inline: { manifests: 'kind: ConfigMap' } };

function release(spec: JsonMap, name = 'a'): KubernetesObject {
  return { apiVersion: API_VERSION, kind: 'Release', metadata: { name }, spec };
}

function withPolicy(syncPolicy: JsonMap): KubernetesObject {
  return release({ source: INLINE, syncPolicy });
}

function ruleSet(rule: JsonMap, spec: JsonMap = {}): KubernetesObject {
  const rules = [{ apiVersion: 'example.com/v1', resources: ['widgets'], ...rule }];
  return { apiVersion: API_VERSION, kind: 'HealthRuleSet', metadata: { name: 'a' }, spec: { rules, ...spec } };
}

/** What is refused: the object, the field that the answer names, and what it says of it. */
const REFUSED: readonly [string, KubernetesObject, string, RegExp][] = [
  [
    'two sources',
    release({ source: { ...INLINE, configMap: { name: 'x' } } }),
    'spec.source',
    /write exactly one of inline, configMap, git, oci and helm/,
  ],
  ['no source', release({ source: {} }), 'spec.source', /write exactly one of inline, configMap, git, oci and helm/],
  ['no source at all', release({}), 'spec.source', /Required value/],
  [
    'manifests and objects',
    release({ source: { inline: { manifests: 'x', objects: [{}] } } }),
    'spec.source.inline',
    /write either manifests or objects/,
  ],
  [
    'a branch and a tag',
    release({ source: { git: { url: 'https://x', ref: { branch: 'main', tag: 'v1' } } } }),
    'spec.source.git.ref',
    /name one of branch, tag, semver and commit/,
  ],
  [
    'a kustomization on top of what is in the Release',
    release({ source: INLINE, kustomize: { namePrefix: 'a-' } }),
    'spec',
    /kustomize works on git and oci alone/,
  ],
  [
    'a commit that is none',
    release({ source: { git: { url: 'https://x', ref: { commit: 'main' } } } }),
    'spec.source.git.ref.commit',
    /should match/,
  ],
  [
    'an artifact without tag, semver or digest',
    release({ source: { oci: { url: 'oci://registry.example/app' } } }),
    'spec.source.oci',
    /name one of tag, semver and digest/,
  ],
  [
    'an artifact with two of them',
    release({ source: { oci: { url: 'oci://registry.example/app', tag: '1', semver: '^1' } } }),
    'spec.source.oci',
    /name one of tag, semver and digest/,
  ],
  [
    'an artifact that is no oci://',
    release({ source: { oci: { url: 'registry.example/app', tag: '1' } } }),
    'spec.source.oci.url',
    /should match '\^oci:\/\/\.\+'/,
  ],
  [
    'a chart from nowhere',
    release({ source: { helm: { chart: 'web', repo: {} } } }),
    'spec.source.helm.repo',
    /write either url or git/,
  ],
  [
    'a name of more than 200 characters',
    release({ source: INLINE }, 'a'.repeat(201)),
    'metadata.name',
    /Too long: may not be more than 200/,
  ],
  ['a duration without a unit', withPolicy({ interval: '5' }), 'spec.syncPolicy.interval', /should match/],
  ['a duration in words', withPolicy({ timeout: 'five minutes' }), 'spec.syncPolicy.timeout', /should match/],
  ['an interval of no time', withPolicy({ interval: '0s' }), 'spec.syncPolicy.interval', /must be at least 1s/],
  [
    'a word that is no choice',
    withPolicy({ conflicts: 'Ignore' }),
    'spec.syncPolicy.conflicts',
    /supported values: "Abort", "Force"/,
  ],
  [
    'a drift path that is no JSON pointer',
    withPolicy({ drift: { ignore: [{ paths: ['spec.replicas'] }] } }),
    'spec.syncPolicy.drift.ignore[0].paths[0]',
    /should match '\^\/'/,
  ],
  [
    'a history of no rows',
    release({ source: INLINE, historyLimit: 0 }),
    'spec.historyLimit',
    /greater than or equal to 1/,
  ],
  ['a rule without healthy', ruleSet({}), 'spec.rules[0].healthy', /Required value/],
  ['a rule of an empty healthy', ruleSet({ healthy: '' }), 'spec.rules[0].healthy', /at least 1 chars long/],
  ['a preamble of another name', ruleSet({ healthy: 'true' }, { preamble: 'Full' }), 'spec.preamble', /"Standard"/],
];

/** What is accepted although something is wrong with it: it has to reach "cannot assess". */
const ACCEPTED: readonly [string, KubernetesObject][] = [
  [
    'a selector that no selector is',
    release({
      source: INLINE,
      healthAssessment: { globalRuleSetSelector: { matchExpressions: [{ key: 'a b', operator: 'Like' }] } },
    }),
  ],
  ['a deadline that is no duration', release({ source: INLINE, healthAssessment: { deadline: 'soon' } })],
  ['a deadline of no time', release({ source: INLINE, healthAssessment: { deadline: '0s' } })],
  ['a rule that does not compile', ruleSet({ healthy: 'status.' })],
  ['a health assessment without a selector', release({ source: INLINE, healthAssessment: {} })],
  ['a name of 200 characters', release({ source: INLINE }, 'a'.repeat(200))],
];

/** Defines convoy's kinds; resolves when they are served. */
export async function defineOwnKinds(cluster: Cluster): Promise<void> {
  const path = { type: TYPES.customResourceDefinitions, namespace: '' };
  for (const own of OWN_KINDS) {
    const object = definitionOf(own) as KubernetesObject;
    await cluster.apply({ ...path, name: `${own.plural}.${GROUP}` }, object, { fieldManager: 'convoy', force: true });
  }
  const limit = AbortSignal.timeout(30_000);
  for (const own of OWN_KINDS) {
    const fieldSelector = `metadata.name=${own.plural}.${GROUP}`;
    for await (const event of cluster.watch(path, { fieldSelector, signal: limit })) {
      const established = asList('object' in event ? at(event.object, 'status', 'conditions') : []).some(
        (condition) => at(condition, 'type') === 'Established' && at(condition, 'status') === 'True',
      );
      if (established) break;
    }
    while ((await cluster.discovery.kind(GROUP, own.kind)) === undefined && !limit.aborted) {
      cluster.discovery.invalidate();
    }
  }
}

/** What an API server that has convoy's definitions says to what people write. */
export function ownKindsContract(name: string, clusterOf: () => Cluster): void {
  describe(`convoy's kinds on ${name}`, () => {
    let cluster: Cluster;
    const create = (object: KubernetesObject): Promise<KubernetesObject> =>
      cluster.create(pathOf(String(object['kind'])), object);

    beforeAll(async () => {
      cluster = clusterOf();
      await defineOwnKinds(cluster);
      await cluster.create(
        { type: TYPES.namespaces, namespace: '' },
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
      );
    });

    afterAll(async () => {
      for (const { kind } of OWN_KINDS) await cluster.deleteCollection(pathOf(kind));
    });

    it.each(REFUSED)('%s is refused, and the answer says where and why', async (_, object, where, why) => {
      const { code, causes } = await refusal(create(object));
      expect(code).toBe(422);
      const cause = causes.find(({ field }) => field === where);
      expect(cause, JSON.stringify(causes)).toBeDefined();
      expect(cause?.message).toMatch(why);
    });

    it('a misspelled field is refused by its name', async () => {
      const { code, message } = await refusal(create(release({ source: INLINE, syncPolcy: {} })));
      expect(code).toBe(400);
      expect(message).toContain('unknown field "spec.syncPolcy"');
    });

    it.each(ACCEPTED)('%s is accepted', async (_, object) => {
      const path = pathOf(String(object['kind']));
      const created = await create(object);
      await cluster.delete({ ...path, name: String(at(object, 'metadata', 'name')) });
      expect(at(created, 'metadata', 'uid')).toBeDefined();
    });

    it('the defaults are those that the reader fills in', async () => {
      const created = await create(release({ source: INLINE, healthAssessment: {} }, 'defaults'));
      const stored = readRelease(created);
      const unstored = readRelease(release({ source: INLINE, healthAssessment: {} }, 'defaults'));
      if (!('value' in stored && 'value' in unstored)) throw new Error('a Release cannot be read');
      expect(unstored.value.spec).toEqual(stored.value.spec);
      expect(at(created, 'spec', 'syncPolicy')).toEqual({
        interval: '5m',
        retryInterval: '30s',
        timeout: '10m',
        prune: true,
        allowEmpty: false,
        force: false,
        conflicts: 'Force',
        drift: { mode: 'Correct' },
      });
    });

    it('an object keeps what Kubernetes kinds of others hold inside', async () => {
      const objects = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: '1' } }];
      const created = await create(release({ source: { inline: { objects } } }, 'objects'));
      expect(at(created, 'spec', 'source', 'inline', 'objects')).toEqual(objects);
    });
  });
}
