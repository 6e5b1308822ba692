import { asList, field } from '../../../core/object/fields.ts';
import type { RenderObject } from '../../../core/release/index.ts';
import { isNotFound } from '../failures.ts';
import { pathOfRendered } from '../paths.ts';
import type { Visit } from '../visit.ts';

/** Whether Namespaces are Active and definitions Established; discovery is asked anew then. */
export async function madeRoom(visit: Visit, stage: readonly RenderObject[]): Promise<boolean> {
  const { cluster } = await visit.target();
  for (const object of stage) {
    try {
      const live = await cluster.get(pathOfRendered(object), { signal: visit.signal });
      const ready = object.ref.kind === 'Namespace' ? isActive(live['status']) : isEstablished(live['status']);
      if (!ready) return false;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }
  if (stage.some(({ ref }) => ref.kind === 'CustomResourceDefinition')) cluster.discovery.invalidate();
  return true;
}

function isActive(status: unknown): boolean {
  return field(status, 'phase') === 'Active';
}

function isEstablished(status: unknown): boolean {
  return asList(field(status, 'conditions')).some(
    (condition) => field(condition, 'type') === 'Established' && field(condition, 'status') === 'True',
  );
}
