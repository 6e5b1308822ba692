import { FakeClock } from '../../testing/fake-clock.ts';
import { emptyApi } from '../api/object-api.fixture.ts';
import type { ObjectApi } from '../api/object-api.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { startControllers } from './start-controllers.ts';

export interface SimulatedWorld {
  readonly api: ObjectApi;
  /** Lets the controllers do all that can be done at this moment. */
  settle(): void;
  /** Lets the controllers work while so many ms pass. */
  pass(milliseconds: number): Promise<void>;
  create(object: Record<string, unknown>): ApiObject;
  change(kind: string, name: string, change: (draft: ApiObject) => void): void;
  remove(kind: string, name: string, propagation?: 'Background' | 'Foreground' | 'Orphan'): void;
  list(kind: string): ApiObject[];
  /** The object with that name, without a type: a test says what it expects of it. */
  get(kind: string, name: string): ApiObject | undefined;
  stop(): void;
}

const BY = { manager: 'test' };
/** Small enough that every stage of a pod is seen when it begins. */
const STEP = 100;

/** A simulated cluster of three nodes without HTTP, on a clock that stands until it is moved. */
export function simulatedWorld(): SimulatedWorld {
  const clock = new FakeClock(1);
  const { api } = emptyApi(undefined, () => clock.now());
  const controllers = startControllers(api, { clock, nodes: 3 });
  const resourceOf = (kind: string) => {
    const found = api.registry.all().find((one) => one.kind === kind);
    if (found === undefined) throw new Error(`${kind} is not served`);
    return found;
  };
  const spaceOf = (kind: string): string => (resourceOf(kind).namespaced ? 'default' : '');
  return {
    api,
    settle: () => controllers.settle(),
    pass: async (milliseconds) => {
      controllers.settle();
      for (let left = milliseconds; left > 0; left -= STEP) {
        await clock.advance(Math.min(STEP, left));
        controllers.settle();
      }
    },
    create: (object) => {
      const kind = String(object['kind']);
      return api.create(resourceOf(kind), spaceOf(kind), object, BY);
    },
    change: (kind, name, change) => {
      api.change(resourceOf(kind), spaceOf(kind), name, (draft) => void change(draft), BY);
    },
    remove: (kind, name, propagation = 'Background') => {
      api.remove(resourceOf(kind), spaceOf(kind), name, { propagation });
    },
    list: (kind) => {
      const { group, resource } = resourceOf(kind);
      return [...api.store.all(`${group}/${resource}`, spaceOf(kind))];
    },
    get: (kind, name) => api.find(resourceOf(kind), spaceOf(kind), name),
    stop: () => controllers.stop(),
  };
}
