import { asMap, asString, field } from '../../object/fields.ts';
import type { KubernetesObject } from '../../object/kubernetes-object.ts';
import { withLiveValues } from '../attempt/live-values.ts';
import { canonicalJson } from '../canonical.ts';
import { fieldsOfValue, fieldText, holds, lastOtherWriter, otherHolders, ownFields, union } from '../managed-fields.ts';
import { MANAGED_BY_LABEL, RELEASE_ID, RELEASE_LABEL } from '../names.ts';
import { type Owner, withOwner } from '../ownership.ts';
import { type Difference, differencesIn } from './compare-fields.ts';

/** A field that another manager holds with another value, as a 409 tells it. */
export interface FieldConflict {
  readonly manager: string;
  /** `.spec.replicas` */
  readonly field: string;
}

/** The cluster, as far as one object is concerned. What it throws goes through. */
export interface DriftReader {
  /** Undefined: the object is not there. */
  read(): Promise<KubernetesObject | undefined>;
  /** What a server-side apply by convoy-controller would give; nothing is written. A forced one has no conflicts. */
  dryRun(
    object: KubernetesObject,
    force: boolean,
  ): Promise<{ readonly object: KubernetesObject } | { readonly conflicts: readonly FieldConflict[] }>;
  /** Whether an autoscaler sets its replicas. Asked only where these differ. */
  isScaled(live: KubernetesObject): Promise<boolean>;
}

/** One field that is not as it was rendered. */
export interface PathDrift {
  /** `.spec.replicas` */
  readonly path: string;
  /** Who holds it instead; '' when nobody does. */
  readonly manager: string;
  /** JSON; undefined: it is not there. Values of Secrets are masked. */
  readonly live: string | undefined;
  readonly wanted: string | undefined;
}

/** What a comparison found. */
export type Comparison =
  | { readonly kind: 'same' }
  /** It is not on the cluster. */
  | { readonly kind: 'missing' }
  | {
      readonly kind: 'drifted';
      readonly paths: readonly PathDrift[];
      /**
       * Everything that differs is held by ourselves: the server changes what we apply (an admission webhook that is not idempotent),
       * and to apply it again changes nothing.
       */
      readonly unheld: boolean;
      /** Who else wrote the object last; '' when nobody did. */
      readonly lastWriter: string;
    };

export interface CompareOptions {
  /** Undefined: the marks of ownership are taken as they are on the cluster. */
  readonly owner: Owner | undefined;
  /** JSON pointers. */
  readonly ignored: readonly string[];
}

const REPLICAS = '/spec/replicas';

/** Compares an object on the cluster with what the render makes of it now. */
export async function compareObject(
  reader: DriftReader,
  rendered: KubernetesObject,
  { owner, ignored }: CompareOptions,
): Promise<Comparison> {
  const live = await reader.read();
  if (live === undefined) return { kind: 'missing' };
  // It goes; once it has gone it is missing. What is applied until then is lost.
  if (field(live['metadata'], 'deletionTimestamp') !== undefined) return { kind: 'same' };
  const scaled = replicasDiffer(rendered, live) && !ignored.includes(REPLICAS) && (await reader.isScaled(live));
  const wanted = withLiveValues(rendered, live, scaled ? [...ignored, REPLICAS] : ignored);
  const applied = owner === undefined ? withMarksOf(wanted, live) : withOwner(wanted, owner);
  const first = await reader.dryRun(applied, false);
  const conflicts = 'conflicts' in first ? first.conflicts : [];
  // What a forced apply would give tells the values, and what differs beside the conflicts.
  const second = 'object' in first ? first : await reader.dryRun(applied, true);
  return found(rendered, live, 'object' in second ? second.object : live, conflicts);
}

function found(
  rendered: KubernetesObject,
  live: KubernetesObject,
  result: KubernetesObject,
  conflicts: readonly FieldConflict[],
): Comparison {
  const own = ownFields(live);
  const sets = ownFields(result);
  const fields = Object.keys(sets).length === 0 ? fieldsOfValue(rendered) : union(sets, own);
  const differences = differencesIn(fields, live, result);
  const paths = differences.map((difference) => pathDrift(difference, live, conflicts));
  const told = new Set(paths.map(({ path }) => path));
  for (const { manager, field: path } of conflicts) {
    if (!told.has(path)) paths.push({ path, manager, live: undefined, wanted: undefined });
  }
  if (paths.length === 0) return { kind: 'same' };
  return {
    kind: 'drifted',
    paths,
    unheld: conflicts.length === 0 && differences.every(({ path }) => holds(own, path)),
    lastWriter: lastOtherWriter(live),
  };
}

function pathDrift(
  { path, live, wanted }: Difference,
  object: KubernetesObject,
  conflicts: readonly FieldConflict[],
): PathDrift {
  const text = fieldText(path);
  const told = conflicts.find(
    ({ field: where }) => where === text || where.startsWith(`${text}.`) || where.startsWith(`${text}[`),
  );
  const secret = isSecretValue(object, path);
  return {
    path: text,
    manager: told?.manager ?? otherHolders(object, path).join(', '),
    live: shown(live, secret),
    wanted: shown(wanted, secret),
  };
}

const MASK = '"***"';

function shown(value: unknown, secret: boolean): string | undefined {
  if (value === undefined) return undefined;
  return secret ? MASK : canonicalJson(value);
}

/** Of a Secret nothing is shown but labels and the fields that say what it is. */
function isSecretValue(object: KubernetesObject, [first, second]: readonly string[]): boolean {
  if (object['kind'] !== 'Secret' || object['apiVersion'] !== 'v1') return false;
  if (first === 'f:type' || first === 'f:immutable') return false;
  return first !== 'f:metadata' || (second !== 'f:labels' && second !== 'f:ownerReferences');
}

function replicasDiffer(rendered: KubernetesObject, live: KubernetesObject): boolean {
  const wanted = field(rendered['spec'], 'replicas');
  return wanted !== undefined && canonicalJson(wanted) !== canonicalJson(field(live['spec'], 'replicas'));
}

/** For who does not know the installation: whether the marks are right is then not compared. */
function withMarksOf(object: KubernetesObject, live: KubernetesObject): KubernetesObject {
  const metadata = asMap(object['metadata']);
  return {
    ...object,
    metadata: {
      ...metadata,
      ...marked(metadata, live, 'labels', [MANAGED_BY_LABEL, RELEASE_LABEL]),
      ...marked(metadata, live, 'annotations', [RELEASE_ID]),
    },
  };
}

function marked(
  metadata: KubernetesObject,
  live: KubernetesObject,
  kind: 'labels' | 'annotations',
  names: readonly string[],
): KubernetesObject {
  const there = asMap(field(live['metadata'], kind));
  const marks = names.filter((name) => asString(there[name]) !== '').map((name) => [name, there[name]] as const);
  return marks.length === 0 ? {} : { [kind]: { ...asMap(metadata[kind]), ...Object.fromEntries(marks) } };
}
