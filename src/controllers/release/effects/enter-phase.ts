import { type Action, phaseEntered } from '../../../core/release/attempt/index.ts';
import { AGAIN, type Step } from '../failures.ts';
import type { Visit } from '../visit.ts';

/** Tells how far the attempt has come. */
export async function enterPhase(visit: Visit, action: Extract<Action, { kind: 'enter-phase' }>): Promise<Step> {
  const { phase, wave } = action;
  const before = visit.release.status.lastAttempted;
  await visit.writeStatus(phaseEntered(visit.release, phase, wave));
  if (before?.phase === 'Waves' && before.wave !== undefined && phase === 'Waves') {
    visit.tell('Normal', 'WaveHealthy', 'Apply', `wave ${before.wave} is applied and healthy; wave ${wave} follows`);
  }
  return AGAIN;
}
