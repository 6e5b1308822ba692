import type { Release } from '../../core/api/index.ts';

/** Conditions in the order in which a person wants to hear of them. */
const TOLD = ['Healthy', 'Drifted', 'Ready', 'Stalled'];

/** What became of a Release between two looks at it, a sentence each. `undefined`: it was, or is, not there. */
export function releaseNews(before: Release | undefined, after: Release | undefined): readonly string[] {
  if (after === undefined) return before === undefined ? [] : [`the Release is gone`];
  return [...attemptNews(before, after), ...hookNews(before, after), ...conditionNews(before, after)];
}

function attemptNews(before: Release | undefined, { status }: Release): readonly string[] {
  const attempt = status.lastAttempted;
  const old = before?.status.lastAttempted;
  if (attempt === undefined) return [];
  const isNew = old?.renderRef !== attempt.renderRef || old.attempt !== attempt.attempt;
  const digest = attempt.renderRef.replace('sha256:', '').slice(0, 12);
  return [
    ...(isNew ? [`attempt ${attempt.attempt} of render ${digest} begins: ${attempt.total} objects`] : []),
    ...(attempt.phase === 'Waves' && attempt.wave !== undefined && (isNew || old.wave !== attempt.wave)
      ? [`wave ${attempt.wave} is applied`]
      : []),
    ...(attempt.outcome !== undefined && (isNew || old.outcome !== attempt.outcome)
      ? [`the attempt ends: ${attempt.outcome}`]
      : []),
  ];
}

function hookNews(before: Release | undefined, { status }: Release): readonly string[] {
  const key = ({ name, phase, renderRef, startedAt }: Hook): string => [name, phase, renderRef, startedAt].join('|');
  const old = new Map(before?.status.hooks?.map((hook) => [key(hook), hook.state]));
  return (status.hooks ?? [])
    .filter((hook) => old.get(key(hook)) !== hook.state)
    .map(({ phase, name, state, message = '' }) => {
      const verb = state === 'Running' ? 'runs' : state === 'Succeeded' ? 'has succeeded' : 'has failed';
      return `the ${phase} hook ${name} ${verb}${state === 'Failed' && message !== '' ? `: ${message}` : ''}`;
    });
}

type Hook = NonNullable<Release['status']['hooks']>[number];

function conditionNews(before: Release | undefined, after: Release): readonly string[] {
  const now = saidBy(after);
  const then = before === undefined ? new Map<string, string>() : saidBy(before);
  return TOLD.flatMap((type) => {
    const text = now.get(type);
    return text === undefined || text === then.get(type) ? [] : [text];
  });
}

/** `Healthy is False, Degraded: …` by type. Numbers of what is under way change often and say little: the message is left out. */
function saidBy({ status }: Release): ReadonlyMap<string, string> {
  return new Map(
    (status.conditions ?? []).map(({ type, status: value, reason, message }) => {
      const underWay = ['Progressing', 'Pending', 'NotCompared'].includes(reason);
      return [type, `${type} is ${value}, ${reason}${underWay || message === '' ? '' : `: ${message}`}`];
    }),
  );
}
