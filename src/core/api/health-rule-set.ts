import { conditions } from './common-fields.ts';
import { choice, type Infer, integer, list, object, optional, text, truth } from './schema.ts';

const cel = (description: string) => text(description, { maxLength: 16_384, minLength: 1 });

const rule = object(
  {
    name: optional(text('Unique in the set; default: its index.', { maxLength: 63 })),
    apiVersion: text('API version of the objects, e.g. `apps/v1`; `*` and `group/*` only in generic sets.'),
    resources: list(text('A plural resource name; `*` only in generic sets.'), 'What the rule applies to.', {
      maxItems: 100,
    }),
    variables: optional(
      list(
        object({
          name: text('Read as `variables.NAME`.', { maxLength: 63, pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }),
          expression: cel('CEL.'),
        }),
        'Named sub-expressions, each seeing those before it.',
        { maxItems: 64 },
      ),
    ),
    related: optional(
      list(
        object({
          name: text('Bound as `related.NAME`.', { maxLength: 63, pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }),
          apiVersion: text('API version.'),
          resource: text('Plural resource name; never secrets.'),
          object: cel('CEL, string: the name of the object.'),
        }),
        'Objects that the rule wants to see, by name.',
        { maxItems: 3 },
      ),
    ),
    healthy: cel('CEL, bool: the object works.'),
    message: optional(cel('CEL, string: what is wrong. Evaluated only when healthy is false.')),
    failed: optional(cel('CEL, bool: it will not recover by itself.')),
    suspended: optional(cel('CEL, bool: it waits because somebody asked it to.')),
    reason: optional(cel('CEL, string: NoSignal, NoStatus or empty.')),
    links: optional(
      list(text('An address.', { maxLength: 2048 }), 'Documentation of the fields that are read.', { maxItems: 16 }),
    ),
    ignore: optional(
      list(text('A path.', { maxLength: 1024 }), 'Fields whose changes do not matter.', { maxItems: 64 }),
    ),
  },
  'Says of some kinds whether an object of them works.',
);

export const ruleSetSpec = object({
  preamble: choice(['None', 'Standard'], 'Standard: deletion and a stale status are judged before the rules.', {
    default: 'None',
  }),
  generic: truth('A fallback: applies only where no rule of another set does.', { default: false }),
  rules: list(rule, 'The rules.', { maxItems: 200 }),
});

export const ruleSetStatus = object({
  observedGeneration: optional(integer('The generation that was compiled.')),
  conditions: optional(conditions),
});

export type RuleSetSpec = Infer<typeof ruleSetSpec>;
export type RuleSetStatus = Infer<typeof ruleSetStatus>;
