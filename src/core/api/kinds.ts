import type { JsonMap } from '../object/fields.ts';
import { GLOBAL_HEALTH_RULE_SETS, GROUP, HEALTH_RULE_SETS, INVENTORIES, RELEASES, VERSION } from './group.ts';
import { ruleSetSpec, ruleSetStatus } from './health-rule-set.ts';
import { releaseSpec, releaseStatus } from './release.ts';
import { inventorySpec } from './release-inventory.ts';
import type { Schema } from './schema.ts';

/** A column that `kubectl get` shows. */
interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  /** 1: only in `-o wide`. */
  readonly priority?: number;
}

/** What makes a kind of convoy's. */
export interface OwnKind {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  readonly description: string;
  readonly spec: Schema<unknown>;
  readonly status?: Schema<unknown>;
  /** Characters that its name may have, where the API server's 253 are too many. */
  readonly nameLength?: number;
  readonly columns: readonly Column[];
}

const condition = (type: string, what: 'status' | 'message'): string =>
  `.status.conditions[?(@.type=="${type}")].${what}`;
const AGE: Column = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Since when it is there.',
};

const ruleSetColumns: readonly Column[] = [
  {
    name: 'Ready',
    type: 'string',
    jsonPath: condition('Ready', 'status'),
    description: 'Whether every rule compiles.',
  },
  { name: 'Message', type: 'string', jsonPath: condition('Ready', 'message'), description: 'Why not.', priority: 1 },
  AGE,
];

export const OWN_KINDS: readonly OwnKind[] = [
  {
    kind: 'Release',
    plural: RELEASES.resource,
    singular: 'release',
    shortNames: ['rel'],
    scope: 'Namespaced',
    description: 'Objects that belong together: rendered, applied in waves, watched, remembered.',
    spec: releaseSpec,
    status: releaseStatus,
    // Pages of the inventory and Secrets of renders are named after it.
    nameLength: 200,
    columns: [
      { name: 'Ready', type: 'string', jsonPath: condition('Ready', 'status'), description: 'Whether it is applied.' },
      { name: 'Healthy', type: 'string', jsonPath: condition('Healthy', 'status'), description: 'Whether it works.' },
      { name: 'Revision', type: 'string', jsonPath: '.status.lastApplied.revision', description: 'What is applied.' },
      { name: 'Status', type: 'string', jsonPath: condition('Ready', 'message'), description: 'In words.' },
      {
        name: 'Health',
        type: 'string',
        jsonPath: condition('Healthy', 'message'),
        description: 'In words.',
        priority: 1,
      },
      AGE,
    ],
  },
  {
    kind: 'ReleaseInventory',
    plural: INVENTORIES.resource,
    singular: 'releaseinventory',
    shortNames: ['relinv'],
    scope: 'Namespaced',
    description: 'What a Release applied, and the state of each object. Written by convoy.',
    spec: inventorySpec,
    columns: [
      { name: 'Release', type: 'string', jsonPath: '.spec.release', description: 'The Release.' },
      { name: 'Page', type: 'integer', jsonPath: '.spec.page', description: 'Which page.' },
      AGE,
    ],
  },
  {
    kind: 'HealthRuleSet',
    plural: HEALTH_RULE_SETS.resource,
    singular: 'healthruleset',
    shortNames: ['hrs'],
    scope: 'Namespaced',
    description: 'Health rules for the Releases of a namespace.',
    spec: ruleSetSpec,
    status: ruleSetStatus,
    columns: ruleSetColumns,
  },
  {
    kind: 'GlobalHealthRuleSet',
    plural: GLOBAL_HEALTH_RULE_SETS.resource,
    singular: 'globalhealthruleset',
    shortNames: ['ghrs'],
    scope: 'Cluster',
    description: 'Health rules for the Releases of every namespace.',
    spec: ruleSetSpec,
    status: ruleSetStatus,
    columns: ruleSetColumns,
  },
];

/** The CustomResourceDefinition of a kind, as `convoy install` applies it. */
export function definitionOf(own: OwnKind): JsonMap {
  const { kind, plural, singular, shortNames, scope, description, spec, status, nameLength, columns } = own;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      names: { kind, listKind: `${kind}List`, plural, singular, shortNames, categories: ['convoy'] },
      scope,
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          ...(status === undefined ? {} : { subresources: { status: {} } }),
          additionalPrinterColumns: columns,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description,
              required: ['spec'],
              properties: {
                apiVersion: { type: 'string' },
                kind: { type: 'string' },
                metadata: {
                  type: 'object',
                  ...(nameLength === undefined
                    ? {}
                    : { properties: { name: { type: 'string', maxLength: nameLength } } }),
                },
                spec: spec.openApi,
                ...(status === undefined ? {} : { status: status.openApi }),
              },
            },
          },
        },
      ],
    },
  };
}
