import { beforeEach, describe, expect, it } from 'vitest';
import { DriftReconciler } from '../../src/controllers/observer/drift/drift-reconciler.ts';
import { sha256 } from '../../src/controllers/release/index.ts';
import { ReleaseWorld } from '../../src/controllers/release/release-world.fixture.ts';
import { asMap, field } from '../../src/core/object/fields.ts';
import type { KubernetesObject } from '../../src/core/object/kubernetes-object.ts';
import { Indexer } from '../../src/runtime/indexer.ts';
import { INVENTORY_INDEXES } from '../../src/runtime/inventory-index.ts';
import type { ApiObject } from '../../src/sandbox/objects/api-object.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const web = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'app', image: 'example.org/web:1' }] },
    },
  },
};
const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { mode: 'fast' } };
const migration = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'migrate', annotations: { 'convoy.kumodo.io/hook': 'syncFail' } },
  spec: {
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'example.org/migrate:1' }] } },
  },
};

/** The release controller and the drift loop on one cluster. */
class Both {
  readonly world = new ReleaseWorld();
  readonly drift: DriftReconciler;
  asked = 0;
  readonly #releases = new Indexer();
  readonly #inventories = new Indexer(INVENTORY_INDEXES);
  #changes = 0;

  constructor() {
    const { world } = this;
    this.drift = new DriftReconciler({
      clock: world.clock,
      home: world.cluster,
      targets: { of: () => world.target() },
      releases: this.#releases,
      inventories: this.#inventories,
      // Every object may have changed.
      contents: {
        of: async (_, { entries }) => new Map(entries.map((entry) => [keyOf(entry), `${this.#changes}`])),
        leave: () => {},
      },
      events: world.services.events,
      requestSync: () => {
        this.asked += 1;
        world.request('Drift');
      },
      sha256,
      installation: world.services.installation,
    });
  }

  async start(spec: object = {}): Promise<void> {
    this.world.release([web, settings, migration], { ...spec });
    await this.world.run();
    expect(field(field(this.release()['status'], 'lastAttempted'), 'outcome')).toBe('Succeeded');
    this.world.transcript = [];
  }

  /** The drift loop looks at everything, and the controller does what it is asked for. */
  async look(ms = 31 * SECOND): Promise<void> {
    await this.world.clock.advance(ms);
    this.#changes += 1;
    this.#releases.set(this.release());
    for (const page of this.world.api.store.all('convoy.kumodo.io/releaseinventories')) this.#inventories.set(page);
    await this.drift.reconcile('shop/web', new AbortController().signal);
    await this.world.run();
  }

  release(): ApiObject {
    return this.world.api.get(this.world.resource('convoy.kumodo.io/v1alpha1', 'Release'), 'shop', 'web');
  }

  live(object: KubernetesObject): ApiObject {
    const { apiVersion, kind, metadata } = object;
    return this.world.api.get(
      this.world.resource(String(apiVersion), String(kind)),
      'shop',
      String(field(metadata, 'name')),
    );
  }

  edit(object: KubernetesObject, manager: string, change: (draft: ApiObject) => void): void {
    const { apiVersion, kind, metadata } = object;
    const resource = this.world.resource(String(apiVersion), String(kind));
    this.world.api.change(resource, 'shop', String(field(metadata, 'name')), (draft) => void change(draft), {
      manager,
    });
  }

  replicas(): unknown {
    return field(this.live(web)['spec'], 'replicas');
  }

  drifted(): string {
    const conditions = (field(this.release()['status'], 'conditions') ?? []) as readonly Record<string, string>[];
    const { status, reason } = conditions.find(({ type }) => type === 'Drifted') ?? {};
    return `${status} ${reason}`;
  }
}

function keyOf({
  group,
  kind,
  namespace,
  name,
}: {
  group: string;
  kind: string;
  namespace: string;
  name: string;
}): string {
  return `${group}|${kind}|${namespace}|${name}`;
}

function scale(replicas: number): (draft: ApiObject) => void {
  return (draft) => {
    draft['spec'] = { ...asMap(draft['spec']), replicas };
  };
}

let both: Both;
beforeEach(() => {
  both = new Both();
});

describe('what kubectl changed', () => {
  it('is put right once, without hooks and without an attempt', async () => {
    await both.start();
    const attempted = field(both.release()['status'], 'lastAttempted');
    both.edit(web, 'kubectl-edit', scale(9));
    await both.look();
    expect(both.replicas()).toBe(3);
    await both.look();
    await both.look(60 * MINUTE);
    expect(both.asked).toBe(1);
    expect(both.drifted()).toBe('False InSync');
    expect(both.world.transcript.filter((line) => line.includes('jobs'))).toEqual([]);
    expect(field(both.release()['status'], 'lastAttempted')).toEqual(attempted);
    expect(both.world.faults).toEqual([]);
  });

  it('is brought back when it was deleted', async () => {
    await both.start();
    both.world.api.remove(both.world.resource('v1', 'ConfigMap'), 'shop', 'settings');
    await both.look();
    expect(both.live(settings)['data']).toEqual({ mode: 'fast' });
    await both.look();
    expect(both.drifted()).toBe('False InSync');
  });

  it('stays where the Release leaves the field to others, when something else is put right', async () => {
    await both.start({ syncPolicy: { drift: { ignore: [{ kind: 'Deployment', paths: ['/spec/replicas'] }] } } });
    both.edit(web, 'kubectl-scale', scale(6));
    both.edit(settings, 'kubectl-edit', (draft) => Object.assign(draft, { data: { mode: 'slow' } }));
    await both.look();
    expect([both.replicas(), both.live(settings)['data']]).toEqual([6, { mode: 'fast' }]);
    await both.look();
    expect(both.drifted()).toBe('False InSync');
  });

  it('stays where an autoscaler scales, when something else is put right', async () => {
    await both.start();
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    both.world.create({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { maxReplicas: 9, scaleTargetRef },
    });
    both.edit(web, 'kube-controller-manager', scale(7));
    both.edit(settings, 'kubectl-edit', (draft) => Object.assign(draft, { data: { mode: 'slow' } }));
    await both.look();
    expect([both.replicas(), both.live(settings)['data']]).toEqual([7, { mode: 'fast' }]);
    await both.look();
    expect(both.drifted()).toBe('False InSync');
  });

  it('stays where nothing may be taken from others: told, not tried again and again', async () => {
    await both.start({ syncPolicy: { conflicts: 'Abort' } });
    both.edit(web, 'kubectl-edit', scale(9));
    await both.look();
    await both.look();
    expect([both.replicas(), both.asked, both.drifted()]).toEqual([9, 0, 'True Drifted']);
  });
});

describe('a rival controller', () => {
  it('ends the corrections of its object, not those of others', async () => {
    await both.start();
    for (let count = 0; count < 7; count += 1) {
      both.edit(web, 'rival', scale(1));
      await both.look();
    }
    expect([both.asked, both.drifted(), both.replicas()]).toEqual([5, 'True DriftFight', 1]);
    both.edit(settings, 'kubectl-edit', (draft) => Object.assign(draft, { data: { mode: 'slow' } }));
    await both.look();
    expect([both.asked, both.live(settings)['data']]).toEqual([6, { mode: 'fast' }]);
    both.edit(web, 'rival', scale(1));
    await both.look();
    expect([both.asked, both.drifted()]).toEqual([6, 'True DriftFight']);
    expect(both.world.faults).toEqual([]);
  });
});
