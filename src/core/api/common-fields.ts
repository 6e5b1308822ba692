import { choice, integer, list, object, optional, text, texts, time } from './schema.ts';

/** Go durations as Kubernetes writes them: `30s`, `5m`, `1h30m`. */
const DURATION = '^([0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h))+$';

/** A duration that the API server checks, with a default. */
export function duration<const Default extends string>(description: string, fallback: Default, least?: string) {
  return text(description, {
    maxLength: 64,
    pattern: DURATION,
    default: fallback,
    ...(least === undefined
      ? {}
      : { rules: [{ rule: `duration(self) >= duration('${least}')`, message: `must be at least ${least}` }] }),
  });
}

/** As in apimachinery; only typed, because an invalid one has to reach "cannot assess". */
export function labelSelector(description: string) {
  return object(
    {
      matchLabels: optional(texts('Labels that must be there.', { maxProperties: 64 })),
      matchExpressions: optional(
        list(
          object({
            key: text('The label.', { maxLength: 317 }),
            operator: text('In, NotIn, Exists or DoesNotExist.', { maxLength: 64 }),
            values: optional(list(text('A value.', { maxLength: 63 }), 'For In and NotIn.', { maxItems: 100 })),
          }),
          'All of them must hold.',
          { maxItems: 64 },
        ),
      ),
    },
    description,
    { atomic: true },
  );
}

/** metav1.Condition; a map by type, so that each writer owns its own. */
export const conditions = list(
  object({
    type: text('What the condition speaks of.', { maxLength: 316 }),
    status: choice(['True', 'False', 'Unknown'], 'Whether it holds.'),
    observedGeneration: optional(integer('The generation it was decided for.', { minimum: 0 })),
    lastTransitionTime: time('When the status changed last.'),
    reason: text('Why, in one word for machines.', { maxLength: 1024 }),
    message: text('Why, for people.', { maxLength: 32_768 }),
  }),
  'What holds at present.',
  { maxItems: 16, mapKeys: ['type'] },
);
