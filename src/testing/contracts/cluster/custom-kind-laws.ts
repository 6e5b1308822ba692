import { expect } from 'vitest';
import { asList } from '../../../core/object/fields.ts';
import { define, definition, GROUP, WIDGETS, widget, widgetsServed } from './custom-kind.ts';
import { all, at, type Law, law, one, refusal, TYPES, versionOf, type World } from './law.ts';

/** A law about Widgets. */
function widgetLaw(title: string, run: (world: World) => Promise<void>): Law {
  return law(title, async (world) => {
    await widgetsServed(world);
    await run(world);
  });
}

const create = (world: World, spec: Readonly<Record<string, unknown>>, options = {}) =>
  world.cluster.create(all(world, WIDGETS), widget('a', spec), options);
const path = (world: World) => one(world, 'a', WIDGETS);

export const CUSTOM_KIND_LAWS = [
  law('a kind that is defined is served and discovered, by short name too', async (world) => {
    await define(world, definition('gadgets', 'Gadget'));
    expect(await world.cluster.discovery.find('gax')).toMatchObject({
      group: GROUP,
      version: 'v1',
      resource: 'gadgets',
      kind: 'Gadget',
      namespaced: true,
      subresources: expect.arrayContaining(['scale', 'status']),
    });
    const gadgets = { group: GROUP, version: 'v1', resource: 'gadgets' };
    const object = { ...widget('a', { size: 1 }), kind: 'Gadget' };
    await world.cluster.create(all(world, gadgets), object);
    expect((await world.cluster.list(all(world, gadgets))).items).toHaveLength(1);
  }),

  law('a definition of another name than plural and group is Invalid', async (world) => {
    const wrong = { ...definition('trinkets', 'Trinket'), metadata: { name: 'trinkets' } };
    const { code, causes } = await refusal(
      world.cluster.create({ type: TYPES.customResourceDefinitions, namespace: '' }, wrong),
    );
    expect(code).toBe(422);
    expect(causes.map(({ field }) => field)).toContain('metadata.name');
  }),

  law('a definition whose list says nothing of its items is Invalid', async (world) => {
    const spec = { type: 'object', properties: { parts: { type: 'array' } } };
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
    const wrong = definition('doodads', 'Doodad', { schema, subresources: {} });
    const { code, causes } = await refusal(
      world.cluster.create({ type: TYPES.customResourceDefinitions, namespace: '' }, wrong),
    );
    expect(code).toBe(422);
    expect(causes.map(({ field }) => field).join()).toContain('properties[parts].items');
  }),

  law('a definition with properties and additional ones is Invalid', async (world) => {
    const text = { type: 'string' };
    const spec = { type: 'object', properties: { a: text }, additionalProperties: text };
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
    const wrong = definition('doodads', 'Doodad', { schema, subresources: {} });
    const { code, causes } = await refusal(
      world.cluster.create({ type: TYPES.customResourceDefinitions, namespace: '' }, wrong),
    );
    expect(code).toBe(422);
    expect(causes.map(({ field }) => field).join()).toContain('additionalProperties');
  }),

  law('a definition whose schema lacks a type is Invalid', async (world) => {
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { properties: {} } } } };
    const wrong = definition('doodads', 'Doodad', { schema, subresources: {} });
    const { code, causes } = await refusal(
      world.cluster.create({ type: TYPES.customResourceDefinitions, namespace: '' }, wrong),
    );
    expect(code).toBe(422);
    expect(causes.map(({ field }) => field).join()).toContain('properties[spec].type');
  }),

  law('a definition with a rule that says nothing, or a message that is no CEL, is Invalid', async (world) => {
    const refused = async (rule: Readonly<Record<string, unknown>>): Promise<string[]> => {
      const spec = { type: 'object', 'x-kubernetes-validations': [rule] };
      const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
      const wrong = definition('gizmos', 'Gizmo', { schema, subresources: {} });
      const { code, causes } = await refusal(
        world.cluster.create({ type: TYPES.customResourceDefinitions, namespace: '' }, wrong),
      );
      expect(code).toBe(422);
      return causes.map(({ field }) => field.replace(/^.*x-kubernetes-validations/, ''));
    };
    expect(await refused({ message: 'nothing' })).toEqual(['[0].rule']);
    expect(await refused({ rule: 'true', messageExpression: 'self +' })).toEqual(['[0].messageExpression']);
  }),

  law('a definition whose rule is no CEL is Invalid', async (world) => {
    const spec = { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.none ==' }] };
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
    const wrong = definition('gizmos', 'Gizmo', { schema, subresources: {} });
    const { code, causes } = await refusal(
      world.cluster.create({ type: TYPES.customResourceDefinitions, namespace: '' }, wrong),
    );
    expect(code).toBe(422);
    expect(causes.map(({ field }) => field).join()).toContain('x-kubernetes-validations[0].rule');
  }),

  widgetLaw('a default is filled in', async (world) => {
    expect((await create(world, { size: 1 }))['spec']).toEqual({ size: 1, color: 'red' });
  }),

  widgetLaw('a field out of bounds is Invalid, and the cause names it', async (world) => {
    for (const spec of [{ size: 11 }, { size: 0 }]) {
      const { code, reason, causes } = await refusal(create(world, spec));
      expect([code, reason]).toEqual([422, 'Invalid']);
      expect(causes).toEqual([expect.objectContaining({ reason: 'FieldValueInvalid', field: 'spec.size' })]);
    }
  }),

  widgetLaw('a field of another type is Invalid, and the cause names it', async (world) => {
    const { code, causes } = await refusal(create(world, { size: 'large' }));
    expect(code).toBe(422);
    expect(causes).toContainEqual(expect.objectContaining({ reason: 'FieldValueTypeInvalid', field: 'spec.size' }));
  }),

  widgetLaw('a field that is required and missing is Invalid, and the cause names it', async (world) => {
    const { causes } = await refusal(create(world, {}));
    expect(causes).toContainEqual(expect.objectContaining({ reason: 'FieldValueRequired', field: 'spec.size' }));
  }),

  widgetLaw('a value outside an enumeration is Invalid, and the cause names the field', async (world) => {
    const { causes } = await refusal(create(world, { size: 2, color: 'blue' }));
    expect(causes).toContainEqual(expect.objectContaining({ reason: 'FieldValueNotSupported', field: 'spec.color' }));
  }),

  widgetLaw('two elements of one key in a list by key are Invalid', async (world) => {
    const { causes } = await refusal(create(world, { size: 1, parts: [{ name: 'x' }, { name: 'x' }] }));
    expect(causes).toContainEqual(expect.objectContaining({ reason: 'FieldValueDuplicate', field: 'spec.parts[1]' }));
  }),

  widgetLaw('an unknown field is BadRequest under Strict and pruned under Ignore', async (world) => {
    const { code, message } = await refusal(create(world, { size: 1, sise: 2 }));
    expect(code).toBe(400);
    expect(message).toContain('strict decoding error: unknown field "spec.sise"');
    const created = await create(world, { size: 1, sise: 2 }, { fieldValidation: 'Ignore' });
    expect(created['spec']).toEqual({ size: 1, color: 'red' });
  }),

  widgetLaw('unknown fields are kept where the schema says so', async (world) => {
    const free = { anything: { at: ['all', 1, null] } };
    expect(at(await create(world, { size: 1, free }), 'spec', 'free')).toEqual(free);
  }),

  widgetLaw('a rule of CEL that fails is Invalid with its message', async (world) => {
    const { code, causes } = await refusal(create(world, { size: 1, color: 'green' }));
    expect(code).toBe(422);
    expect(causes).toEqual([
      expect.objectContaining({
        field: 'spec',
        message: expect.stringContaining('what is green must be larger than 1'),
      }),
    ]);
  }),

  widgetLaw('a rule over the old value is asked at updates alone', async (world) => {
    await create(world, { size: 1, fixed: 'x' });
    const { code, message } = await refusal(world.cluster.patch(path(world), 'merge', { spec: { fixed: 'y' } }));
    expect(code).toBe(422);
    expect(message).toContain('fixed cannot be changed');
    await world.cluster.patch(path(world), 'merge', { spec: { size: 2 } });
  }),

  widgetLaw('status is written through its subresource alone, and spec beside it', async (world) => {
    const created = await world.cluster.create(all(world, WIDGETS), {
      ...widget('a', { size: 1 }),
      status: { phase: 'forged' },
    });
    expect(created).not.toHaveProperty('status');
    await world.cluster.patch(path(world), 'merge', { status: { phase: 'forged' } });
    expect(await world.cluster.get(path(world))).not.toHaveProperty('status');
    const patch = { spec: { size: 9 }, status: { phase: 'done' } };
    const told = await world.cluster.patch(path(world), 'merge', patch, { subresource: 'status' });
    expect(told).toMatchObject({ spec: { size: 1 }, status: { phase: 'done' } });
    const resized = await world.cluster.update(path(world), { ...told, spec: { size: 3 }, status: {} });
    expect(resized).toMatchObject({ spec: { size: 3 }, status: { phase: 'done' } });
  }),

  widgetLaw('the generation counts the spec, not the status', async (world) => {
    await create(world, { size: 1 });
    const status = { status: { phase: 'done' } };
    const told = await world.cluster.patch(path(world), 'merge', status, { subresource: 'status' });
    expect(at(told, 'metadata', 'generation')).toBe(1);
    const resized = await world.cluster.patch(path(world), 'merge', { spec: { size: 2 } });
    expect(at(resized, 'metadata', 'generation')).toBe(2);
  }),

  widgetLaw('an update without a version is refused', async (world) => {
    await create(world, { size: 1 });
    const { code, causes } = await refusal(world.cluster.update(path(world), widget('a', { size: 2 })));
    expect(code).toBe(422);
    expect(causes.map(({ field }) => field)).toEqual(['metadata.resourceVersion']);
  }),

  widgetLaw('scale reads and writes the fields that the definition names', async (world) => {
    await create(world, { size: 2 });
    const scale = await world.cluster.get(path(world), { subresource: 'scale' });
    expect(scale).toMatchObject({ apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 2 } });
    await world.cluster.patch(path(world), 'merge', { spec: { replicas: 4 } }, { subresource: 'scale' });
    expect(at(await world.cluster.get(path(world)), 'spec', 'size')).toBe(4);
  }),

  widgetLaw('a strategic patch is UnsupportedMediaType', async (world) => {
    await create(world, { size: 1 });
    const { code, reason } = await refusal(world.cluster.patch(path(world), 'strategic', { spec: { size: 2 } }));
    expect([code, reason]).toEqual([415, 'UnsupportedMediaType']);
  }),

  widgetLaw('an apply merges a list by its key and replaces one without', async (world) => {
    const spec = { size: 1, parts: [{ name: 'x', n: 1 }], plain: ['x'] };
    await world.cluster.apply(path(world), widget('a', spec), { fieldManager: 'one' });
    const other = { size: 1, parts: [{ name: 'y', n: 2 }] };
    const both = await world.cluster.apply(path(world), widget('a', other), { fieldManager: 'two' });
    expect(at(both, 'spec', 'parts')).toEqual([
      { name: 'x', n: 1 },
      { name: 'y', n: 2 },
    ]);
    const { causes } = await refusal(
      world.cluster.apply(path(world), widget('a', { ...other, plain: ['y'] }), { fieldManager: 'two' }),
    );
    expect(causes.map(({ field }) => field)).toEqual(['.spec.plain']);
  }),

  widgetLaw('an apply of the status is owned apart from the spec', async (world) => {
    await world.cluster.apply(path(world), widget('a', { size: 1 }), { fieldManager: 'one' });
    const told = await world.cluster.apply(
      path(world),
      { apiVersion: `${GROUP}/v1`, kind: 'Widget', metadata: { name: 'a' }, status: { phase: 'done' } },
      { fieldManager: 'one', subresource: 'status' },
    );
    expect(told).toMatchObject({ spec: { size: 1 }, status: { phase: 'done' } });
    const entries = asList(at(told, 'metadata', 'managedFields')).map((entry) => at(entry, 'subresource') ?? '');
    expect(entries.toSorted()).toEqual(['', 'status']);
    const again = await world.cluster.apply(path(world), widget('a', { size: 1 }), { fieldManager: 'one' });
    expect(versionOf(again)).toBe(versionOf(told));
  }),

  widgetLaw('a Table has the columns of the definition', async (world) => {
    await create(world, { size: 3 });
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { body } = await world.request(`/apis/${GROUP}/v1/namespaces/${world.namespace}/widgets`, accept);
    expect(asList(body['columnDefinitions']).map((column) => at(column, 'name'))).toEqual(['Name', 'Size']);
    expect(at(body, 'rows', 0, 'cells')).toEqual(['a', 3]);
  }),
];
