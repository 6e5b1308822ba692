import { describe, expect, it } from 'vitest';
import { emptyApi } from '../api/object-api.fixture.ts';
import { StatusError } from '../objects/status-error.ts';
import { widget, widgetDefinition } from './crd.fixture.ts';
import { serveDefinitions } from './serve-definitions.ts';

const BY = { manager: 'test' };

function served(spec: Record<string, unknown>) {
  const { api, resource } = emptyApi();
  serveDefinitions(api);
  const definitions = resource('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  api.create(definitions, '', widgetDefinition(spec), BY);
  const widgets = resource('shop.example.com/v1', 'Widget');
  const create = (its: Record<string, unknown>, options = {}) =>
    api.create(widgets, 'default', widget(its), { ...BY, ...options });
  return { api, definitions, widgets, create };
}

function message(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return error.message;
    throw error;
  }
  return 'was taken';
}

describe('a custom resource', () => {
  it('is pruned and gets its defaults', () => {
    const { create } = served({
      properties: {
        size: { type: 'integer', default: 3 },
        parts: { type: 'array', items: { type: 'object', properties: { on: { type: 'boolean', default: true } } } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    });
    expect(create({ other: 1, parts: [{ x: 1 }, { on: false }], free: { any: { thing: 1 } } })['spec']).toEqual({
      size: 3,
      parts: [{ on: true }, { on: false }],
      free: { any: { thing: 1 } },
    });
  });

  it('with an unknown field is refused where the client is strict', () => {
    const { create } = served({ properties: { size: { type: 'integer' } } });
    expect(message(() => create({ sice: 1 }, { fieldValidation: 'Strict' }))).toBe(
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.sice"',
    );
    expect(message(() => create({ size: 1 }, { fieldValidation: 'Strict' }))).toBe('was taken');
  });

  it.each([
    [{ type: 'integer' }, 'x', 'spec.a: Invalid value: "string": spec.a in body must be of type integer: "string"'],
    [
      { type: 'integer', minimum: 2 },
      1,
      'spec.a: Invalid value: 1: spec.a in body should be greater than or equal to 2',
    ],
    [
      { type: 'number', maximum: 2, exclusiveMaximum: true },
      2,
      'spec.a: Invalid value: 2: spec.a in body should be less than 2',
    ],
    [{ type: 'string', enum: ['a', 'b'] }, 'c', 'spec.a: Unsupported value: "c": supported values: "a", "b"'],
    [{ type: 'string', pattern: '^a+$' }, 'b', 'spec.a: Invalid value: "b": spec.a in body should match \'^a+$\''],
    [{ type: 'string', maxLength: 1 }, '😀😀', 'spec.a: Too long: may not be more than 1 bytes'],
    [
      { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      ['a', 'a'],
      'spec.a[1]: Duplicate value: "a"',
    ],
    [{ type: 'object', required: ['b'], properties: { b: { type: 'string' } } }, {}, 'spec.a.b: Required value'],
    [
      { 'x-kubernetes-int-or-string': true },
      true,
      'spec.a: Invalid value: "boolean": spec.a in body must be of type integer,string: "boolean"',
    ],
    [
      { type: 'string', not: { enum: ['x'] } },
      'x',
      'spec.a: Invalid value: "x": spec.a in body must not validate the schema (not)',
    ],
  ])('that does not fit %j is refused', (schema, value, expected) => {
    const { create } = served({ properties: { a: schema } });
    expect(message(() => create({ a: value }))).toBe(`Widget.shop.example.com "w" is invalid: ${expected}`);
  });

  it('is checked by the CEL rules of its schema, those about changes only when it changes', () => {
    const { api, widgets, create } = served({
      properties: {
        low: { type: 'integer' },
        high: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'may only grow' }] },
      },
      'x-kubernetes-validations': [
        { rule: 'self.low <= self.high', messageExpression: "'low ' + string(self.low) + ' is above high'" },
      ],
    });
    expect(message(() => create({ low: 2, high: 1 }))).toContain('spec: Invalid value: low 2 is above high');
    create({ low: 1, high: 5 });
    const update = (high: number) =>
      api.change(widgets, 'default', 'w', (draft) => ({ ...draft, spec: { low: 1, high } }), BY);
    expect(message(() => update(4))).toContain('spec.high: Invalid value: may only grow');
    expect(message(() => update(6))).toBe('was taken');
  });

  it('is applied by several managers along the list types of its schema', () => {
    const parts = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, size: { type: 'integer' } },
      },
    };
    const { api, widgets } = served({ properties: { parts, whole: { type: 'array', items: { type: 'string' } } } });
    const apply = (manager: string, spec: Record<string, unknown>) =>
      api.apply(widgets, 'default', 'w', widget(spec), { manager, force: false }).object['spec'];
    apply('one', { parts: [{ name: 'a', size: 1 }], whole: ['x'] });
    expect(apply('two', { parts: [{ name: 'b', size: 2 }] })).toEqual({
      parts: [
        { name: 'a', size: 1 },
        { name: 'b', size: 2 },
      ],
      whole: ['x'],
    });
    expect(message(() => apply('two', { whole: ['y'] }))).toContain('conflict with "one": .spec.whole');
  });

  it('shows the columns of its definition', () => {
    const { api, widgets } = served({ properties: { size: { type: 'integer' } } });
    api.create(widgets, 'default', widget({ size: 4 }), BY);
    const status = {
      conditions: [
        { type: 'Other', status: 'False' },
        { type: 'Ready', status: 'True' },
      ],
    };
    const object = api.change(widgets, 'default', 'w', (draft) => ({ ...draft, status }), {
      ...BY,
      subresource: 'status',
    });
    expect(widgets.columns.map(({ cell }) => cell(object, 0))).toEqual(['w', 4, 'True']);
  });
});

describe('an update of a custom resource', () => {
  it('without a version is refused', () => {
    const { api, widgets, create } = served({ properties: { size: { type: 'integer' } } });
    const made = create({ size: 1 });
    expect(message(() => api.update(widgets, 'default', 'w', widget({ size: 2 }), BY))).toContain(
      'must be specified for an update',
    );
    expect(message(() => api.update(widgets, 'default', 'w', { ...made, spec: { size: 2 } }, BY))).toBe('was taken');
  });
});

describe('a definition', () => {
  it('is established at once, and takes its objects with it when it goes', () => {
    const { api, definitions, create } = served({});
    expect(api.get(definitions, '', 'widgets.shop.example.com')['status']).toMatchObject({
      conditions: [
        { type: 'NamesAccepted', status: 'True' },
        { type: 'Established', status: 'True' },
      ],
      storedVersions: ['v1'],
    });
    create({});
    api.remove(definitions, '', 'widgets.shop.example.com');
    expect(api.registry.byKind('shop.example.com/v1', 'Widget')).toBeUndefined();
    expect([...api.store.all('shop.example.com/widgets')]).toEqual([]);
  });

  it('with a rule that does not compile is refused, with its place', () => {
    const rules = {
      'x-kubernetes-validations': [{ rule: 'self.sice > 1' }],
      properties: { size: { type: 'integer' } },
    };
    const text = message(() => served(rules));
    expect(text).toContain('spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule');
    expect(text).toContain('compilation failed');
  });

  it('whose name is not its plural and its group is refused', () => {
    const { api, resource } = emptyApi();
    serveDefinitions(api);
    const definition = { ...widgetDefinition({}), metadata: { name: 'other' } };
    const create = () =>
      api.create(resource('apiextensions.k8s.io/v1', 'CustomResourceDefinition'), '', definition, BY);
    expect(message(create)).toContain('must be spec.names.plural+"."+spec.group');
  });
});
