import { createHash } from 'node:crypto';
import { API_VERSION, definitionOf, OWN_KINDS } from '../../src/core/api/index.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';
import { ownerOf } from '../../src/core/release/ownership.ts';
import type { ObjectApi } from '../../src/sandbox/api/object-api.ts';
import type { ApiObject } from '../../src/sandbox/objects/api-object.ts';

export const INSTALLATION = 'bench';
const BY = { manager: 'convoy-controller' };
const RENDER = `sha256:${'0123456789ab'.padEnd(64, '0')}`;
/** Of the objects of a Release so many have a rule; the others are ConfigMaps, which nobody reads. */
const JUDGED = 2;

const WIDGETS: KubernetesObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.test' },
  spec: {
    group: 'example.test',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

const RULES: KubernetesObject = {
  apiVersion: API_VERSION,
  kind: 'GlobalHealthRuleSet',
  metadata: { name: 'bench', labels: {} },
  spec: {
    preamble: 'Standard',
    rules: [
      {
        name: 'ready',
        apiVersion: 'example.test/v1',
        resources: ['widgets'],
        healthy: 'conditions.exists(c, c.type == "Ready" && c.status == "True")',
        message: 'conditions.filter(c, c.type == "Ready").map(c, c.message).join(", ")',
      },
    ],
  },
};

/** Writes Releases whose attempt is over, with their inventories and their objects: what an observer finds when it starts. */
export class BenchWorld {
  readonly #api: ObjectApi;

  constructor(api: ObjectApi) {
    this.#api = api;
    for (const definition of [...OWN_KINDS.map(definitionOf), WIDGETS]) this.create(definition);
    this.create(RULES);
  }

  create(object: KubernetesObject): ApiObject {
    const resource = this.#api.registry.byKind(String(object['apiVersion']), String(object['kind']));
    if (resource === undefined) throw new Error(`${object['kind']} is not served`);
    return this.#api.create(resource, resource.namespaced ? 'default' : '', object, BY);
  }

  release(name: string, resources: number): void {
    this.create({
      apiVersion: API_VERSION,
      kind: 'Release',
      metadata: { name },
      spec: { source: { inline: { manifests: 'x' } }, healthAssessment: { globalRuleSetSelector: {} } },
    });
    const { label } = ownerOf(INSTALLATION, 'default', name, (text) => createHash('sha256').update(text).digest('hex'));
    const labels = { 'convoy.kumodo.io/release': label };
    const entries = Array.from({ length: resources }, (_, index) => this.#object(`${name}-${index}`, index, labels));
    const uid = this.#attempt(name, resources);
    for (let page = 1; (page - 1) * 100 < resources; page += 1) {
      this.create({
        apiVersion: API_VERSION,
        kind: 'ReleaseInventory',
        metadata: { name: page === 1 ? name : `${name}-${uid.replaceAll('-', '').slice(0, 8)}-${page}` },
        spec: { release: name, page, entries: entries.slice((page - 1) * 100, page * 100) },
      });
    }
  }

  setReady(name: string, ready: boolean): void {
    const type = this.#api.registry.byKind('example.test/v1', 'Widget');
    if (type === undefined) throw new Error('Widgets are served');
    const message = ready ? 'works' : 'does not work';
    const condition = { type: 'Ready', status: ready ? 'True' : 'False', reason: 'Played', message };
    const write = { ...BY, manager: 'player', subresource: 'status' };
    const change = (draft: ApiObject): void => {
      draft['status'] = { observedGeneration: 1, conditions: [condition] };
    };
    this.#api.change(type, 'default', name, change, write);
  }

  #object(name: string, index: number, labels: object): object {
    const judged = index < JUDGED;
    const [apiVersion, kind] = judged ? ['example.test/v1', 'Widget'] : ['v1', 'ConfigMap'];
    const content = judged ? { spec: { size: index, notes: 'x'.repeat(500) } } : { data: { text: 'x'.repeat(500) } };
    const { uid, generation } = this.create({ apiVersion, kind, metadata: { name, labels }, ...content }).metadata;
    if (judged) this.setReady(name, true);
    return {
      group: judged ? 'example.test' : '',
      kind,
      namespace: 'default',
      name,
      version: 'v1',
      resource: `${kind?.toLowerCase()}s`,
      wave: 0,
      renderRef: RENDER,
      uid,
      generation: generation ?? 0,
      appliedAt: '2026-01-01T00:00:00Z',
    };
  }

  #attempt(name: string, total: number): string {
    const type = this.#api.registry.byKind(API_VERSION, 'Release');
    if (type === undefined) throw new Error('Releases are served');
    const time = '2026-01-01T00:00:00Z';
    const lastAttempted = { renderRef: RENDER, revision: 'bench', time, attempt: 1, total, phase: 'Done' };
    const change = (draft: ApiObject): void => {
      draft['status'] = { observedGeneration: 1, lastAttempted };
    };
    return this.#api.change(type, 'default', name, change, { ...BY, subresource: 'status' }).metadata.uid;
  }
}
