import { expect } from 'vitest';
import { all, at, configMap, deployment, law, one, refusal, TYPES } from './law.ts';

const MISSPELT = deployment('a', {}, { replicass: 3 });

export const FIELD_VALIDATION_LAWS = [
  law('an unknown field is BadRequest under Strict, the default, and the message names it', async (world) => {
    const { code, reason, message } = await refusal(world.cluster.create(all(world, TYPES.deployments), MISSPELT));
    expect([code, reason]).toEqual([400, 'BadRequest']);
    expect(message).toContain('strict decoding error: unknown field "spec.replicass"');
  }),

  law('an unknown field is a warning under Warn, and is dropped', async (world) => {
    const path = all(world, TYPES.deployments);
    const created = await world.cluster.create(path, MISSPELT, { fieldValidation: 'Warn' });
    expect(created['spec']).not.toHaveProperty('replicass');
    expect(world.warnings).toContain('unknown field "spec.replicass"');
  }),

  law('an unknown field is dropped in silence under Ignore', async (world) => {
    const object = deployment('a', {}, { neverTold: 3 });
    const path = all(world, TYPES.deployments);
    const created = await world.cluster.create(path, object, { fieldValidation: 'Ignore' });
    expect(created['spec']).not.toHaveProperty('neverTold');
    expect(world.warnings.filter((text) => text.includes('neverTold'))).toEqual([]);
  }),

  law('an unknown field is found inside lists', async (world) => {
    const object = deployment('a', { imagee: 'x' });
    const { message } = await refusal(world.cluster.create(all(world, TYPES.deployments), object));
    expect(message).toContain('unknown field "spec.template.spec.containers[0].imagee"');
  }),

  law('an unknown field is found in a patch', async (world) => {
    const path = one(world, 'a', TYPES.deployments);
    await world.cluster.create(path, deployment('a'));
    const { code, message } = await refusal(world.cluster.patch(path, 'merge', { spec: { replicass: 3 } }));
    // The server says Invalid of a merge patch where it says BadRequest of an object.
    expect(code === 422 || code === 400).toBe(true);
    expect(message).toMatch(/unknown field \\*"spec\.replicass/);
  }),

  law('a value of another type than the field is BadRequest, whatever the validation', async (world) => {
    const object = deployment('a', {}, { replicas: 'three' });
    const path = all(world, TYPES.deployments);
    const { code, reason } = await refusal(world.cluster.create(path, object, { fieldValidation: 'Ignore' }));
    expect([code, reason]).toEqual([400, 'BadRequest']);
  }),

  law('a number where a text belongs is BadRequest', async (world) => {
    const { code, reason } = await refusal(world.cluster.create(all(world), configMap('a', { n: 1 })));
    expect([code, reason]).toEqual([400, 'BadRequest']);
  }),

  law('a quantity is written back in its shortest form', async (world) => {
    const limits = { cpu: '1000m', memory: '1024Mi', 'ephemeral-storage': '1.5Gi' };
    const object = deployment('a', { resources: { limits } });
    const created = await world.cluster.create(all(world, TYPES.deployments), object);
    expect(at(created, 'spec', 'template', 'spec', 'containers', 0, 'resources', 'limits')).toEqual({
      cpu: '1',
      memory: '1Gi',
      'ephemeral-storage': '1536Mi',
    });
  }),

  law('a quantity that is none is BadRequest', async (world) => {
    const object = deployment('a', { resources: { limits: { cpu: 'much' } } });
    const { code, message } = await refusal(world.cluster.create(all(world, TYPES.deployments), object));
    expect(code).toBe(400);
    expect(message).toContain('quantities must match the regular expression');
  }),

  law('null is as good as absent', async (world) => {
    const created = await world.cluster.create(all(world), configMap('a', {}, { labels: null }));
    expect(at(created, 'metadata')).not.toHaveProperty('labels');
  }),
];
