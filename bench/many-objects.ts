/**
 * `convoy health` on 10,000 Deployments of 1.4 KB, as whole processes, beside the parser of the same file alone.
 * Run `make build` first. Options: --objects N (default 10000), --runs N (default 5).
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { dump } from 'js-yaml';

const { values } = parseArgs({
  options: { objects: { type: 'string', default: '10000' }, runs: { type: 'string', default: '5' } },
});
const bundle = join(import.meta.dirname, '..', 'dist', 'convoy.cjs');
const folder = mkdtempSync(join(tmpdir(), 'convoy-many-'));

/** A Deployment as the API server returns it, about 1.4 KB of JSON; one in fifty is rolling out. */
function deployment(index: number): object {
  const ready = index % 50 === 0 ? 2 : 3;
  const since = '2026-01-01T00:00:00Z';
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: `web-${index}`,
      namespace: `shop-${index % 40}`,
      generation: 3,
      uid: `0c7f9d0e-7c4e-4a31-9d2c-${String(index).padStart(12, '0')}`,
      resourceVersion: String(100_000 + index),
      creationTimestamp: since,
      labels: { app: 'web', 'app.kubernetes.io/name': 'web' },
      annotations: { 'deployment.kubernetes.io/revision': '3' },
    },
    spec: {
      replicas: 3,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          containers: [
            {
              name: 'web',
              image: 'registry.example.com/shop/web:2.1',
              ports: [{ containerPort: 8080, protocol: 'TCP' }],
              resources: { limits: { memory: '128Mi' }, requests: { cpu: '100m', memory: '64Mi' } },
              env: ['LOG_LEVEL', 'FEATURES', 'REGION'].map((name) => ({ name, value: 'some value' })),
            },
          ],
          restartPolicy: 'Always',
          terminationGracePeriodSeconds: 30,
        },
      },
    },
    status: {
      observedGeneration: 3,
      replicas: 3,
      readyReplicas: ready,
      updatedReplicas: 3,
      availableReplicas: ready,
      conditions: [
        {
          type: 'Available',
          status: 'True',
          lastTransitionTime: since,
          reason: 'MinimumReplicasAvailable',
          message: 'Deployment has minimum availability.',
        },
        {
          type: 'Progressing',
          status: 'True',
          lastTransitionTime: since,
          reason: 'NewReplicaSetAvailable',
          message: `ReplicaSet "web-${index}-7f9c" has successfully progressed.`,
        },
      ],
    },
  };
}

const list = {
  apiVersion: 'v1',
  kind: 'List',
  items: Array.from({ length: Number(values.objects) }, (_, index) => deployment(index)),
};
const json = join(folder, 'many.json');
const yaml = join(folder, 'many.yaml');
writeFileSync(json, JSON.stringify(list));
writeFileSync(yaml, dump(list, { noRefs: true }));

const LIBRARY = join(import.meta.dirname, '..', 'node_modules', 'js-yaml', 'dist', 'js-yaml.cjs.js');
const read = (file: string): string => `require('node:fs').readFileSync(${JSON.stringify(file)}, 'utf8')`;

/** A process, and the case whose time is its floor. */
const CASES: readonly { name: string; args: readonly string[]; floor?: number; goal: string }[] = [
  { name: 'JSON.parse alone', args: ['-e', `JSON.parse(${read(json)})`], goal: '' },
  { name: 'convoy health -f many.json', args: [bundle, 'health', '-f', json], floor: 0, goal: '≤ 1.5 s, ≤ 400 MB' },
  { name: 'js-yaml alone', args: ['-e', `require(${JSON.stringify(LIBRARY)}).load(${read(yaml)})`], goal: '' },
  { name: 'convoy health -f many.yaml', args: [bundle, 'health', '-f', yaml], floor: 2, goal: '≤ 3 × js-yaml' },
];

/** Prints the memory of a process that does not do so itself. */
const preload = join(folder, 'peak.cjs');
writeFileSync(
  preload,
  `process.on('exit', () => require('node:fs').writeSync(2, process.resourceUsage().maxRSS + '\\n'));`,
);

interface Measured {
  readonly seconds: number;
  readonly megabytes: number;
}

function once(args: readonly string[]): Measured {
  const start = performance.now();
  const ran = spawnSync(process.execPath, ['--require', preload, ...args], { encoding: 'utf8', maxBuffer: 1 << 28 });
  const seconds = (performance.now() - start) / 1000;
  if (ran.status === null || ran.status > 1) throw new Error(ran.stderr);
  return { seconds, megabytes: Number(ran.stderr.trim().split('\n').at(-1)) / 1024 };
}

function best(measured: readonly Measured[]): Measured {
  return measured.reduce((a, b) => (b.seconds < a.seconds ? b : a));
}

try {
  const runs = CASES.map((): Measured[] => []);
  for (let run = 0; run < Number(values.runs); run += 1) {
    for (const [place, { args }] of CASES.entries()) runs[place]?.push(once(args));
  }
  const results = runs.map(best);
  const size = (file: string): string => `${(readFileSync(file).length / 1e6).toFixed(1)} MB`;
  console.log(`${list.items.length} Deployments: ${size(json)} of JSON, ${size(yaml)} of YAML; best of ${values.runs}`);
  console.log('time     ratio  memory   goal                command');
  for (const [place, { name, floor, goal }] of CASES.entries()) {
    const { seconds, megabytes } = results[place] ?? { seconds: Number.NaN, megabytes: Number.NaN };
    const ratio = floor === undefined ? '' : (seconds / (results[floor]?.seconds ?? Number.NaN)).toFixed(1);
    const cells = [
      `${seconds.toFixed(2)} s`.padEnd(7),
      ratio.padEnd(5),
      `${megabytes.toFixed(0)} MB`.padEnd(7),
      goal.padEnd(18),
    ];
    console.log(`${cells.join('  ')}  ${name}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
