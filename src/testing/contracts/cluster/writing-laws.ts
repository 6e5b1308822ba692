import { expect } from 'vitest';
import { all, at, configMap, deployment, law, nameOf, one, refusal, TYPES, versionOf, withMetadata } from './law.ts';

export const WRITING_LAWS = [
  law('a created object gets uid, version and time, and is read back as it was answered', async (world) => {
    const created = await world.cluster.create(all(world), configMap('a', { key: 'value' }));
    expect(at(created, 'metadata')).toMatchObject({
      name: 'a',
      namespace: world.namespace,
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      resourceVersion: expect.stringMatching(/^\d+$/),
      creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    expect(await world.cluster.get(one(world, 'a'))).toEqual(created);
  }),

  law('text of every script and control character is read back as it was written', async (world) => {
    const data = { text: 'ä€😀\u2028\u0000\t"\\', empty: '', 'a.b-c_D': 'x' };
    await world.cluster.create(all(world), configMap('a', data));
    expect(at(await world.cluster.get(one(world, 'a')), 'data')).toEqual(data);
  }),

  law('an object that is not there is NotFound, and the message names resource and object', async (world) => {
    const { code, reason, message } = await refusal(world.cluster.get(one(world, 'none')));
    expect([code, reason]).toEqual([404, 'NotFound']);
    expect(message).toContain('configmaps "none" not found');
  }),

  law('creating what is there is AlreadyExists', async (world) => {
    await world.cluster.create(all(world), configMap('a'));
    const { code, reason, message } = await refusal(world.cluster.create(all(world), configMap('a')));
    expect([code, reason]).toEqual([409, 'AlreadyExists']);
    expect(message).toContain('configmaps "a" already exists');
  }),

  law('generateName gives a new name with that prefix each time', async (world) => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'made-' } };
    const [first = '', second = ''] = [
      nameOf(await world.cluster.create(all(world), object)),
      nameOf(await world.cluster.create(all(world), object)),
    ];
    expect(first).toMatch(/^made-[a-z0-9]{5}$/);
    expect(second).toMatch(/^made-[a-z0-9]{5}$/);
    expect(second).not.toBe(first);
  }),

  law('an object without a name is Invalid, and the cause names the field', async (world) => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} };
    const { code, reason, causes } = await refusal(world.cluster.create(all(world), object));
    expect([code, reason]).toEqual([422, 'Invalid']);
    expect(causes).toEqual([expect.objectContaining({ reason: 'FieldValueRequired', field: 'metadata.name' })]);
  }),

  law('a name that is no DNS name is Invalid, and the cause names the field', async (world) => {
    const { code, reason, causes } = await refusal(world.cluster.create(all(world), configMap('Not_A_Name')));
    expect([code, reason]).toEqual([422, 'Invalid']);
    expect(causes).toEqual([expect.objectContaining({ reason: 'FieldValueInvalid', field: 'metadata.name' })]);
  }),

  law('a label value that is none is Invalid, and the cause names the field', async (world) => {
    const object = configMap('a', {}, { labels: { app: 'no label value!' } });
    const { code, causes } = await refusal(world.cluster.create(all(world), object));
    expect(code).toBe(422);
    expect(causes.map(({ field }) => field)).toEqual(['metadata.labels']);
  }),

  law('a key of a ConfigMap that is in its data and its binary data is Invalid', async (world) => {
    const object = { ...configMap('a', { k: 'x' }), binaryData: { k: 'eA==' } };
    const { code } = await refusal(world.cluster.create(all(world), object));
    expect(code).toBe(422);
  }),

  law('a key of a ConfigMap that is none is Invalid, and the cause names it', async (world) => {
    const { code, causes } = await refusal(world.cluster.create(all(world), configMap('a', { 'a/b': 'x' })));
    expect(code).toBe(422);
    expect(causes.map(({ field }) => field)).toEqual(['data[a/b]']);
  }),

  law('every broken rule of an object is a cause of its own', async (world) => {
    const broken = deployment('a', { image: undefined }, { replicas: -1 });
    const { code, causes } = await refusal(world.cluster.create(all(world, TYPES.deployments), broken));
    expect(code).toBe(422);
    expect(causes.map(({ field }) => field).sort()).toEqual([
      'spec.replicas',
      'spec.template.spec.containers[0].image',
    ]);
  }),

  law('an object of another namespace than the path is BadRequest', async (world) => {
    const object = configMap('a', {}, { namespace: 'default' });
    const { code, reason } = await refusal(world.cluster.create(all(world), object));
    expect([code, reason]).toEqual([400, 'BadRequest']);
  }),

  law('an object of another name than the path is BadRequest', async (world) => {
    await world.cluster.create(all(world), configMap('a'));
    const { code, reason } = await refusal(world.cluster.update(one(world, 'a'), configMap('b')));
    expect([code, reason]).toEqual([400, 'BadRequest']);
  }),

  law('an object of another kind than the path is BadRequest', async (world) => {
    const object = { ...configMap('a'), kind: 'Secret' };
    const { code, reason } = await refusal(world.cluster.create(all(world), object));
    expect([code, reason]).toEqual([400, 'BadRequest']);
  }),

  law('a namespace that is not there takes no object: NotFound names the namespace', async (world) => {
    const path = { ...all(world), namespace: 'none-such' };
    const { code, reason, message } = await refusal(world.cluster.create(path, configMap('a')));
    expect([code, reason]).toEqual([404, 'NotFound']);
    expect(message).toContain('namespaces "none-such" not found');
  }),

  law('an update with a version of the past is Conflict and changes nothing', async (world) => {
    const old = await world.cluster.create(all(world), configMap('a', { n: '1' }));
    const current = await world.cluster.update(one(world, 'a'), { ...old, data: { n: '2' } });
    const { code, reason } = await refusal(world.cluster.update(one(world, 'a'), { ...old, data: { n: '3' } }));
    expect([code, reason]).toEqual([409, 'Conflict']);
    expect(await world.cluster.get(one(world, 'a'))).toEqual(current);
  }),

  law('an update without a version replaces what is there', async (world) => {
    await world.cluster.create(all(world), configMap('a', { n: '1', gone: 'x' }));
    await world.cluster.update(one(world, 'a'), configMap('a', { n: '2' }));
    expect(at(await world.cluster.get(one(world, 'a')), 'data')).toEqual({ n: '2' });
  }),

  law('an update of what is not there is NotFound', async (world) => {
    const { code, reason } = await refusal(world.cluster.update(one(world, 'a'), configMap('a')));
    expect([code, reason]).toEqual([404, 'NotFound']);
  }),

  law('an update with the uid of another object is Conflict', async (world) => {
    const created = await world.cluster.create(all(world), configMap('a'));
    const other = withMetadata(created, { uid: '00000000-0000-4000-8000-000000000000' });
    const { code, reason } = await refusal(world.cluster.update(one(world, 'a'), other));
    expect([code, reason]).toEqual([409, 'Conflict']);
  }),

  law('an update that changes nothing keeps the version', async (world) => {
    const created = await world.cluster.create(all(world), configMap('a', { n: '1' }));
    expect(versionOf(await world.cluster.update(one(world, 'a'), created))).toBe(versionOf(created));
  }),

  law('what the server alone writes is not changed by an update', async (world) => {
    const created = await world.cluster.create(all(world), configMap('a'));
    const forged = withMetadata(created, { creationTimestamp: '2001-01-01T00:00:00Z', deletionTimestamp: null });
    const updated = await world.cluster.update(one(world, 'a'), forged);
    expect(at(updated, 'metadata', 'creationTimestamp')).toBe(at(created, 'metadata', 'creationTimestamp'));
  }),

  law('the generation counts changes of the spec, not of the metadata', async (world) => {
    const path = one(world, 'a', TYPES.deployments);
    const created = await world.cluster.create(path, deployment('a'));
    expect(at(created, 'metadata', 'generation')).toBe(1);
    const labelled = await world.cluster.patch(path, 'merge', { metadata: { labels: { team: 'x' } } });
    expect(at(labelled, 'metadata', 'generation')).toBe(1);
    const changed = await world.cluster.patch(path, 'merge', { spec: { minReadySeconds: 5 } });
    expect(at(changed, 'metadata', 'generation')).toBe(2);
  }),

  law('a Deployment is answered with its defaults', async (world) => {
    const created = await world.cluster.create(all(world, TYPES.deployments), deployment('a'));
    expect(created['spec']).toMatchObject({
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: {
        spec: {
          restartPolicy: 'Always',
          terminationGracePeriodSeconds: 30,
          containers: [{ imagePullPolicy: 'IfNotPresent', terminationMessagePath: '/dev/termination-log' }],
        },
      },
    });
  }),

  law('the selector of a Deployment cannot be changed', async (world) => {
    const path = one(world, 'a', TYPES.deployments);
    await world.cluster.create(path, deployment('a'));
    const spec = {
      selector: { matchLabels: { app: 'b' } },
      template: { metadata: { labels: { app: 'b' } } },
    };
    const { code, causes } = await refusal(world.cluster.patch(path, 'merge', { spec }));
    expect(code).toBe(422);
    expect(causes.map(({ field }) => field)).toEqual(['spec.selector']);
  }),

  law('an immutable ConfigMap keeps its data', async (world) => {
    await world.cluster.create(all(world), { ...configMap('a', { n: '1' }), immutable: true });
    const { code, causes } = await refusal(world.cluster.patch(one(world, 'a'), 'merge', { data: { n: '2' } }));
    expect(code).toBe(422);
    expect(causes.map(({ field }) => field)).toEqual(['data']);
  }),

  law('stringData of a Secret is stored as data', async (world) => {
    const path = one(world, 'a', { group: '', version: 'v1', resource: 'secrets' });
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, stringData: { word: 'open' } };
    const created = await world.cluster.create(path, secret);
    expect(created).toMatchObject({ type: 'Opaque', data: { word: 'b3Blbg==' } });
    expect(created).not.toHaveProperty('stringData');
  }),

  law('a dry run answers as the write would and stores nothing', async (world) => {
    const answered = await world.cluster.create(all(world), configMap('a', { n: '1' }), { dryRun: true });
    expect(at(answered, 'data')).toEqual({ n: '1' });
    expect((await refusal(world.cluster.get(one(world, 'a')))).code).toBe(404);
    const stored = await world.cluster.create(all(world), configMap('a', { n: '1' }));
    await world.cluster.patch(one(world, 'a'), 'merge', { data: { n: '2' } }, { dryRun: true });
    expect(await world.cluster.get(one(world, 'a'))).toEqual(stored);
  }),

  law('a dry run is refused as the write would be', async (world) => {
    const { code } = await refusal(world.cluster.create(all(world), configMap('Not_A_Name'), { dryRun: true }));
    expect(code).toBe(422);
  }),

  law('a request above 3 MiB is RequestEntityTooLarge', async (world) => {
    const object = configMap('a', { large: 'x'.repeat(3 * 1024 * 1024) });
    const { code, reason } = await refusal(world.cluster.create(all(world), object));
    expect([code, reason]).toEqual([413, 'RequestEntityTooLarge']);
  }),

  law('a ConfigMap above 1 MiB is Invalid', async (world) => {
    const object = configMap('a', { large: 'x'.repeat(1024 * 1024 + 1) });
    const { code, reason } = await refusal(world.cluster.create(all(world), object));
    expect([code, reason]).toEqual([422, 'Invalid']);
  }),

  law('writers that race by the version each win once and lose no write', async (world) => {
    await world.cluster.create(all(world), configMap('a', { n: '0' }));
    const raise = async (): Promise<void> => {
      for (;;) {
        const current = await world.cluster.get(one(world, 'a'));
        const n = String(Number(at(current, 'data', 'n')) + 1);
        try {
          await world.cluster.update(one(world, 'a'), { ...current, data: { n } });
          return;
        } catch (error) {
          if ((await refusal(Promise.reject(error))).reason !== 'Conflict') throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, raise));
    expect(at(await world.cluster.get(one(world, 'a')), 'data', 'n')).toBe('8');
  }),
];
