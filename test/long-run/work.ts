/**
 * Compiles and evaluates for a long time in one process and tells its heap after garbage collection, early on the way and at the
 * end. Started with --expose-gc: `work.ts COMPILES EVALUATIONS`; prints one line of JSON.
 */
import { createEnvironment, type Program } from '../../src/cel/index.ts';

const [compiles = 0, evaluations = 0] = process.argv.slice(2).map(Number);

/** A rule that differs from every other, so that no cache answers; every seventh is wrong. */
function source(index: number): string {
  if (index % 7 === 0) return `obj.spec.replicas + + ${index} ==`;
  const shape = index % 3;
  if (shape === 0) return `has(obj.spec.replicas) && obj.spec.replicas == ${index}`;
  if (shape === 1) return `obj.status.conditions.exists(c, c.type == "Type${index}" && c.status == "True")`;
  return `obj.metadata.name.matches("^web-${index}[a-z]*$") || obj.?status.?replicas.orValue(${index}) > 2`;
}

const OBJECTS = [
  {
    metadata: { name: 'web' },
    spec: { replicas: 3 },
    status: { conditions: [{ type: 'Ready', status: 'True' }], replicas: 1 },
  },
  { metadata: { name: 'web-1', labels: {} }, spec: {}, status: { replicas: 4, conditions: [] } },
  { metadata: {}, spec: { replicas: 'three' } },
  {},
];

/** Rules that a controller keeps for its life: they build values, fail, search, and are simple. */
const KEPT = [
  'has(obj.status.replicas) && obj.status.replicas == obj.spec.replicas',
  'obj.status.conditions.filter(c, c.status == "True").map(c, c.type + "!").size() > 0',
  'obj.?spec.?replicas.orValue(1) > 0 || obj.nothing',
  'obj.metadata.name.startsWith("web") ? {"name": obj.metadata.name} : {"name": "none"}',
];

function heap(): number {
  if (!globalThis.gc) throw new Error('run with --expose-gc');
  for (let time = 0; time < 4; time += 1) globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/**
 * The heap at each tenth of the steps. The host drops code that has not run for a while, in steps of megabytes: so `early` is the highest from
 * the first to the third tenth, when all caches are full, and `late` the lowest of the last three. What is left of a leak between them is the
 * growth of half a run.
 */
function flat(steps: number, step: (index: number) => void): { readonly early: number; readonly late: number } {
  const heaps: number[] = [];
  const tenth = Math.max(1, Math.floor(steps / 10));
  for (let index = 1; index <= steps; index += 1) {
    step(index);
    if (index % tenth === 0) heaps.push(heap());
  }
  return { early: Math.max(...heaps.slice(0, 3)), late: Math.min(...heaps.slice(-3)) };
}

const environments = ([false, 'eager'] as const).map((codegen) =>
  createEnvironment({ variables: { obj: 'dyn' }, codegen }),
);
const compiling = flat(compiles, (index) => {
  const compiled = environments[index % 2]!.compile(source(index));
  if (compiled.ok) compiled.program.evaluate({ obj: OBJECTS[index % OBJECTS.length] });
});
const programs: Program[] = environments.flatMap((environment) =>
  KEPT.map((rule) => {
    const compiled = environment.compile(rule);
    if (!compiled.ok) throw new Error(compiled.issues.map(({ message }) => message).join());
    return compiled.program;
  }),
);
const evaluating = flat(evaluations, (index) => {
  programs[index % programs.length]!.evaluate({ obj: OBJECTS[(index >> 3) % OBJECTS.length] });
});
console.log(JSON.stringify({ compiling, evaluating }));
