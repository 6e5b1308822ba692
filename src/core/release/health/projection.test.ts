import { describe, expect, it } from 'vitest';
import { compileRuleSets } from '../../health/index.ts';
import { ruleSet, widget, widgetRule } from '../../health/widget-rules.fixture.ts';
import { differs, projectionFor } from './projection.ts';

const WIDGET = widget({
  metadata: {
    name: 'one',
    namespace: 'shop',
    resourceVersion: '7',
    annotations: { note: 'long text' },
    labels: { app: 'one', 'convoy.kumodo.io/release': '0123456789abcdef' },
  },
  spec: { replicas: 3, template: { image: 'x' }, parts: [{ name: 'a', size: 1 }] },
  status: { conditions: [{ type: 'Ready', status: 'True', message: 'fine' }], phase: 'Done', log: 'long text' },
});

function kept(...sources: readonly string[]): Record<string, unknown> {
  const rules = compileRuleSets([ruleSet(sources.map((healthy, index) => widgetRule({ name: `r${index}`, healthy })))]);
  const { project } = projectionFor('example.test', 'Widget', rules.select('example.test/v1', 'Widget'));
  const { spec, status } = project(WIDGET);
  return { spec, status };
}

describe('what is kept of an object', () => {
  it('without a rule: what names it, its version, and the label of its Release', () => {
    expect(projectionFor('example.test', 'Widget', []).project(WIDGET)).toEqual({
      apiVersion: 'example.test/v1',
      kind: 'Widget',
      metadata: {
        name: 'one',
        namespace: 'shop',
        resourceVersion: '7',
        labels: { 'convoy.kumodo.io/release': '0123456789abcdef' },
      },
      spec: {},
      status: {},
    });
  });

  it('with rules: what they read together', () => {
    expect(kept('status.phase == "Done"', 'spec.replicas > 0')).toEqual({
      spec: { replicas: 3 },
      status: { phase: 'Done' },
    });
  });

  it('of lists each element, as far as it is read, and of sizes only the number', () => {
    expect(kept('spec.parts.all(p, p.name != "")').spec).toEqual({ parts: [{ name: 'a' }] });
    expect(kept('size(spec.parts) == 1').spec).toEqual({ parts: [null] });
  });

  it('conditions whole, since the newest of a type counts', () => {
    expect(kept('conditions.exists(c, c.type == "Ready")').status).toMatchObject({
      conditions: [{ type: 'Ready', status: 'True', message: 'fine' }],
    });
  });

  it('everything, where a rule takes the object whole', () => {
    const rules = compileRuleSets([ruleSet([widgetRule({ healthy: 'object == object' })])]);
    expect(projectionFor('example.test', 'Widget', rules.select('example.test/v1', 'Widget')).project(WIDGET)).toBe(
      WIDGET,
    );
  });
});

describe('two versions of an object', () => {
  const { project } = projectionFor('example.test', 'Widget', []);
  const seen = (metadata: object, status: object = {}) =>
    project({ ...WIDGET, metadata: { ...(WIDGET['metadata'] as object), ...metadata }, status });

  it('do not differ when only the version, or a field that nobody reads, is another', () => {
    expect(differs(seen({}), seen({ resourceVersion: '8', annotations: {} }, { log: 'more' }))).toBe(false);
  });

  it('differ in their generation, their deletion and what is read', () => {
    expect(differs(seen({}), seen({ generation: 2 }))).toBe(true);
    expect(differs(seen({}), seen({ deletionTimestamp: '2026-01-01T00:00:00Z' }))).toBe(true);
    expect(differs(seen({}), seen({}, { observedGeneration: 1 }))).toBe(true);
  });
});
