import { type ApiObject, type ManagedFields, type Metadata, sameJson, timestamp } from '../objects/api-object.ts';
import { StatusError } from '../objects/status-error.ts';
import type { MergeShape } from '../resources/resource.ts';
import {
  difference,
  type FieldSet,
  fieldsOf,
  fieldText,
  fromFieldsV1,
  rootPlace,
  toFieldsV1,
  touches,
} from './field-set.ts';
import { mergeApplied, withoutFields } from './structured-merge.ts';

export interface Writer {
  readonly manager: string;
  /** Of the object as it was written: `apps/v1`. */
  readonly apiVersion: string;
  readonly subresource: string;
  /** ms since 1970. */
  readonly now: number;
}

/** What can be managed: all but what the server keeps for itself. */
function manageable(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  for (const name of Object.keys(object)) {
    if (name !== 'apiVersion' && name !== 'kind' && name !== 'metadata') data[name] = object[name];
  }
  const { labels, annotations, ownerReferences, finalizers } = (object['metadata'] ?? {}) as Partial<Metadata>;
  if (labels ?? annotations ?? ownerReferences ?? finalizers) {
    data['metadata'] = {
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
      ...(finalizers === undefined ? {} : { finalizers }),
    };
  }
  return data;
}

interface Entry {
  readonly record: ManagedFields;
  readonly fields: FieldSet;
}

/** What forms say; they are never changed, and many records share one. */
const readForms = new WeakMap<object, FieldSet>();

function fieldsOfRecord({ fieldsV1 }: ManagedFields): FieldSet {
  let fields = readForms.get(fieldsV1);
  if (fields === undefined) {
    fields = fromFieldsV1(fieldsV1);
    readForms.set(fieldsV1, fields);
  }
  return fields;
}

/** The form of a set that nobody changes from then on. */
function formOf(fields: FieldSet): Record<string, unknown> {
  const form = toFieldsV1(fields);
  if (!readForms.has(form)) readForms.set(form, fields);
  return form;
}

function entriesOf(object: ApiObject | undefined): Entry[] {
  return (object?.metadata.managedFields ?? []).map((record) => ({ record, fields: fieldsOfRecord(record) }));
}

function isBy({ record }: Entry, operation: 'Apply' | 'Update', { manager, subresource }: Writer): boolean {
  return record.manager === manager && record.operation === operation && (record.subresource ?? '') === subresource;
}

function record(operation: 'Apply' | 'Update', writer: Writer, fields: FieldSet): ManagedFields {
  return {
    manager: writer.manager,
    operation,
    apiVersion: writer.apiVersion,
    time: timestamp(writer.now),
    fieldsType: 'FieldsV1',
    fieldsV1: formOf(fields),
    ...(writer.subresource === '' ? {} : { subresource: writer.subresource }),
  };
}

/** The set without some fields; the very same set when it has none of them. */
function minus(set: FieldSet, remove: (path: string) => boolean): FieldSet {
  let kept: FieldSet | undefined;
  for (const path of set) {
    if (!remove(path)) continue;
    kept ??= new Set(set);
    kept.delete(path);
  }
  return kept ?? set;
}

/** The entry, with its record written anew only when its fields changed. */
function withFields(entry: Entry, fields: FieldSet): ManagedFields[] {
  if (fields.size === 0) return [];
  return fields.size === entry.fields.size ? [entry.record] : [{ ...entry.record, fieldsV1: formOf(fields) }];
}

/**
 * `managedFields` after a create, an update or a patch: what the writer changed is theirs alone from now on, what is gone is
 * nobody's.
 */
export function fieldsAfterUpdate(
  before: ApiObject | undefined,
  after: ApiObject,
  shape: MergeShape,
  writer: Writer,
): ManagedFields[] {
  const wanted = manageable(after);
  const old = before === undefined ? {} : manageable(before);
  const { changed, gone } = difference(old, wanted, rootPlace(shape));
  const entries = entriesOf(before);
  const own = entries.find((entry) => isBy(entry, 'Update', writer));
  const lost = (path: string): boolean => changed.has(path) || gone.has(path);
  const others = entries.flatMap((entry) => (entry === own ? [] : withFields(entry, minus(entry.fields, lost))));
  const mine = new Set([...minus(own?.fields ?? new Set(), (path) => gone.has(path)), ...changed]);
  if (mine.size === 0) return others;
  if (own === undefined || mine.size !== own.fields.size || [...changed].some((path) => !own.fields.has(path))) {
    return [...others, record('Update', writer, mine)];
  }
  return [...others, changed.size === 0 ? own.record : { ...own.record, time: timestamp(writer.now) }];
}

/**
 * Server-side apply. Returns the object with `managedFields`; the very same `live` when nothing changes. Throws 409 with one
 * cause for each field that another manager holds with another value, unless forced.
 */
export function applyFields(
  live: ApiObject | undefined,
  applied: ApiObject,
  shape: MergeShape,
  writer: Writer,
  force: boolean,
): ApiObject {
  const config = manageable(applied);
  const root = rootPlace(shape);
  const wanted = fieldsOf(config, root);
  const entries = entriesOf(live);
  const own = entries.find((entry) => isBy(entry, 'Apply', writer));
  const others = entries.filter((entry) => entry !== own);
  const liveData = live === undefined ? {} : manageable(live);
  let merged = mergeApplied(liveData, config, root);
  const { changed } = difference(liveData, merged, root);
  refuseConflicts(others, changed, wanted, live, force);
  const kept = others.map((entry) => ({
    entry,
    fields: force ? minus(entry.fields, (path) => changed.has(path)) : entry.fields,
  }));
  const held = (path: string): boolean => kept.some(({ fields }) => touches(fields, path));
  const dropped = minus(own?.fields ?? new Set(), (path) => touches(wanted, path) || held(path));
  merged = dropped.size === 0 ? merged : (withoutFields(merged, dropped, root) ?? {});
  const data = merged as Record<string, unknown>;
  const next: ApiObject = {
    ...data,
    apiVersion: applied.apiVersion,
    kind: applied.kind,
    metadata: { ...systemMetadata(live ?? applied), ...(data['metadata'] as object | undefined) },
  };
  const sameFields = own !== undefined && sameJson(formOf(own.fields), formOf(wanted));
  if (live !== undefined && sameFields && sameJson(manageable(live), manageable(next))) return live;
  next.metadata.managedFields = [
    ...(wanted.size === 0 ? [] : [record('Apply', writer, wanted)]),
    ...kept.flatMap(({ entry, fields }) => withFields(entry, fields)),
  ];
  return next;
}

function systemMetadata(object: ApiObject): ApiObject['metadata'] {
  const { labels: _, annotations: __, finalizers: ___, ownerReferences: ____, ...system } = object.metadata;
  return system;
}

function refuseConflicts(
  others: readonly Entry[],
  changed: FieldSet,
  wanted: FieldSet,
  live: ApiObject | undefined,
  force: boolean,
): void {
  if (force) return;
  const conflicts = others.flatMap(({ record: { manager, operation, apiVersion, time, subresource }, fields }) =>
    [...fields]
      .filter((path) => changed.has(path) && wanted.has(path))
      .map((path) => ({
        reason: 'FieldManagerConflict',
        message:
          operation === 'Apply'
            ? `conflict with "${manager}"`
            : `conflict with "${manager}"${subresource === undefined ? '' : ` with subresource "${subresource}"`} using ${apiVersion} at ${time}`,
        field: fieldText(path),
      })),
  );
  if (conflicts.length === 0) return;
  const lines = conflicts.map(({ message, field }) => `${message}: ${field}`);
  const count = conflicts.length === 1 ? '1 conflict' : `${conflicts.length} conflicts`;
  throw new StatusError('Conflict', `Apply failed with ${count}: ${lines.join('\n')}`, {
    ...(live === undefined ? {} : { name: live.metadata.name }),
    causes: conflicts,
  });
}
