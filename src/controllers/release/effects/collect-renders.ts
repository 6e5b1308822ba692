import { AGAIN, isNotFound, type Step } from '../failures.ts';
import { SECRETS } from '../paths.ts';
import type { Visit } from '../visit.ts';

/** Deletes the Secrets of renders that nobody can come back to. */
export async function collectRenders(visit: Visit, renderRefs: readonly string[]): Promise<Step> {
  const { memory, release, home } = visit;
  const { namespace } = release.metadata;
  for (const { renderRef, secrets } of memory.stored ?? []) {
    if (!renderRefs.includes(renderRef)) continue;
    for (const name of secrets) {
      try {
        await home.delete({ type: SECRETS, namespace, name });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }
  memory.stored = memory.stored?.filter(({ renderRef }) => !renderRefs.includes(renderRef));
  return AGAIN;
}
