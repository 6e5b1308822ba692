import { conditions, duration, labelSelector } from './common-fields.ts';
import { anyMap, choice, type Infer, integer, list, object, optional, text, time, truth } from './schema.ts';

const secretRef = optional(
  object({ name: text('A Secret in the namespace of the Release.') }, 'Credentials for the source.'),
);
const path = optional(text('A folder in the source; default: its root.', { maxLength: 1024 }));

const git = {
  url: text('https://, ssh:// or file:// address of the repository.', { maxLength: 2048, minLength: 1 }),
  ref: optional(
    object(
      {
        branch: optional(text('The newest commit of this branch.')),
        tag: optional(text('The commit of this tag.')),
        semver: optional(text('The highest tag in this range, e.g. `~1.4`.')),
        commit: optional(text('This commit, 40 or 64 hex digits.', { pattern: '^[0-9a-f]{40}([0-9a-f]{24})?$' })),
      },
      'Which commit; default: the head of the default branch.',
      {
        rules: [
          {
            rule: '[has(self.branch), has(self.tag), has(self.semver), has(self.commit)].filter(set, set).size() <= 1',
            message: 'name one of branch, tag, semver and commit',
          },
        ],
      },
    ),
  ),
  path,
  secretRef,
};

const ociVersion = {
  tag: optional(text('The artifact with this tag.', { maxLength: 128 })),
  semver: optional(text('The highest tag in this range, e.g. `^2`.')),
  digest: optional(text('This artifact: `sha256:…`.', { pattern: '^sha256:[0-9a-f]{64}$' })),
};

const source = object(
  {
    inline: optional(
      object(
        {
          manifests: optional(text('YAML documents.', { maxLength: 1_000_000 })),
          objects: optional(list(anyMap('A whole object.'), 'Objects.', { maxItems: 5000 })),
        },
        'Objects in the Release itself.',
        {
          rules: [{ rule: 'has(self.manifests) != has(self.objects)', message: 'write either manifests or objects' }],
        },
      ),
    ),
    configMap: optional(
      object(
        {
          name: text('A ConfigMap in the namespace of the Release.'),
          key: optional(text('Its key; default: every key that ends in .yaml, .yml or .json, sorted.')),
        },
        'Objects in a ConfigMap.',
      ),
    ),
    git: optional(object(git, 'Objects, or a Kustomize folder, in a Git repository.')),
    oci: optional(
      object(
        {
          url: text('oci://registry/repository', { maxLength: 2048, pattern: '^oci://.+' }),
          ...ociVersion,
          path,
          secretRef,
        },
        'Objects, or a Kustomize folder, in an OCI artifact: one layer, tar and gzip.',
        {
          rules: [
            {
              rule: '[has(self.tag), has(self.semver), has(self.digest)].filter(set, set).size() == 1',
              message: 'name one of tag, semver and digest',
            },
          ],
        },
      ),
    ),
    helm: optional(
      object(
        {
          chart: text('The chart: its name in the repository, or its folder in the Git repository.', {
            maxLength: 1024,
            minLength: 1,
          }),
          version: optional(text('A version or a range, e.g. `~1.4`; default: the newest.')),
          repo: object(
            {
              url: optional(
                text('https:// address of a chart repository, or oci://registry/path.', { maxLength: 2048 }),
              ),
              git: optional(object(git, 'A Git repository that holds the chart.')),
              secretRef,
            },
            'Where the chart is.',
            { rules: [{ rule: 'has(self.url) != has(self.git)', message: 'write either url or git' }] },
          ),
          releaseName: optional(text('`.Release.Name`; default: the name of the Release.', { maxLength: 53 })),
          values: optional(anyMap('Values, over those of valuesFrom.')),
          valuesFrom: optional(
            list(
              object({
                kind: choice(['ConfigMap', 'Secret'], 'Where the values are.'),
                name: text('Its name, in the namespace of the Release.'),
                key: text('The key that holds YAML.', { default: 'values.yaml' }),
                optional: truth('Whether it may be absent.', { default: false }),
              }),
              'Values from elsewhere; later ones win.',
              { maxItems: 32 },
            ),
          ),
        },
        'A Helm chart.',
      ),
    ),
  },
  'Where the objects come from: exactly one of them.',
  {
    rules: [
      {
        rule: '[has(self.inline), has(self.configMap), has(self.git), has(self.oci), has(self.helm)].filter(set, set).size() == 1',
        message: 'write exactly one of inline, configMap, git, oci and helm',
      },
    ],
  },
);

const kustomize = object(
  {
    path: optional(text('The folder with the kustomization; default: that of the source.', { maxLength: 1024 })),
    patches: optional(
      list(
        object({
          patch: text('A strategic-merge or JSON 6902 patch, as YAML.', { maxLength: 65_536 }),
          target: optional(
            object({
              group: optional(text('API group.')),
              version: optional(text('API version.')),
              kind: optional(text('Kind.')),
              name: optional(text('Name.')),
              namespace: optional(text('Namespace.')),
              labelSelector: optional(text('As kubectl writes it.', { maxLength: 1024 })),
            }),
          ),
        }),
        'Patches, in their order.',
        { maxItems: 100 },
      ),
    ),
    images: optional(
      list(
        object({
          name: text('The image as it is written in the source.', { maxLength: 512 }),
          newName: optional(text('Instead of the name.', { maxLength: 512 })),
          newTag: optional(text('Instead of the tag.', { maxLength: 128 })),
          digest: optional(text('Instead of the tag.', { maxLength: 128 })),
        }),
        'Images to replace.',
        { maxItems: 100 },
      ),
    ),
    namePrefix: optional(text('Before every name.')),
    nameSuffix: optional(text('Behind every name.')),
    namespace: optional(text('The namespace of everything.', { maxLength: 63 })),
  },
  'On top of git and oci, by `kubectl kustomize`.',
);

const drift = object(
  {
    mode: choice(['Correct', 'Warn', 'Off'], 'What happens when the cluster differs.', { default: 'Correct' }),
    ignore: optional(
      list(
        object({
          group: optional(text('API group; unset: any.')),
          kind: optional(text('Kind; unset: any.', { maxLength: 63 })),
          namespace: optional(text('Namespace; unset: any.', { maxLength: 63 })),
          name: optional(text('Name; unset: any.')),
          paths: list(
            text('A JSON pointer, e.g. /spec/replicas.', { maxLength: 1024, pattern: '^/' }),
            'What is ignored.',
            {
              maxItems: 50,
            },
          ),
        }),
        'Fields that belong to somebody else.',
        { maxItems: 50 },
      ),
    ),
  },
  'Changes on the cluster that the Release did not make.',
  { default: {} },
);

const specFields = {
  source,
  kustomize: optional(kustomize),
  target: optional(
    object(
      {
        kubeConfig: optional(
          object({
            secretRef: object({
              name: text('A Secret in the namespace of the Release.'),
              key: optional(text('Its key; default: `value`, else `value.yaml`.')),
            }),
          }),
        ),
        namespace: optional(text('For objects without one; default: the namespace of the Release.', { maxLength: 63 })),
      },
      'The cluster; default: the one the operator runs in.',
    ),
  ),
  serviceAccountName: optional(text('Impersonated for everything that is done on the target.')),
  suspend: truth('Stops fetching, attempts and corrections; health and drift are still reported.', { default: false }),
  dependsOn: optional(
    list(
      object({
        name: text('A Release.', { maxLength: 200 }),
        namespace: optional(text('Default: the same namespace.', { maxLength: 63 })),
      }),
      'Releases that have to be ready before.',
      { maxItems: 100 },
    ),
  ),
  syncPolicy: object(
    {
      interval: duration('How often the source and a healthy Release are looked at.', '5m', '1s'),
      retryInterval: duration('After a failed attempt; doubles up to 10m.', '30s', '1s'),
      timeout: duration('For a whole attempt.', '10m', '1s'),
      prune: truth('Deletes what the render has no more.', { default: true }),
      allowEmpty: truth('Whether a render without objects is meant.', { default: false }),
      force: truth('Recreates an object when a field that cannot change has to change.', { default: false }),
      conflicts: choice(['Abort', 'Force'], 'When another field manager owns a field.', { default: 'Force' }),
      drift,
    },
    'When and how to apply.',
    { default: {} },
  ),
  healthAssessment: optional(
    object(
      {
        globalRuleSetSelector: optional(labelSelector('GlobalHealthRuleSets; unset: none, {}: all.')),
        localRuleSetSelector: optional(
          labelSelector('HealthRuleSets in the namespace of the Release; unset: none, {}: all.'),
        ),
        deadline: optional(text('How long an object may fail before it is Degraded, e.g. `5m`.', { maxLength: 64 })),
        failFast: truth('Degraded at once when a rule says that it will not recover.', { default: false }),
      },
      'Which rules say whether it works; unset: nothing is assessed.',
    ),
  ),
  remediation: optional(
    object(
      {
        retries: integer('Attempts after the first.', { minimum: 0, maximum: 10, default: 0 }),
        rollback: truth('Back to the last healthy render in the end.', { default: false }),
        settle: duration('How long a state has to hold before it counts.', '30s'),
      },
      'What puts it right; unset: nothing does.',
    ),
  ),
  historyLimit: integer('Rows of the history that are kept.', { minimum: 1, maximum: 50, default: 10 }),
};

const spec = object(specFields, '', {
  rules: [
    {
      rule: '!has(self.kustomize) || has(self.source.git) || has(self.source.oci)',
      message: 'kustomize works on git and oci alone; leave it out, or take the objects from one of them',
    },
  ],
});

const rendered = {
  renderRef: text('The digest of the render.', { maxLength: 80 }),
  revision: text('What a person calls it.', { maxLength: 1024 }),
  time: time('When.'),
};

/** Where an attempt stands. */
const phase = choice(
  ['PreSync', 'Waves', 'PostSync', 'Prune', 'Done'],
  'What the attempt is at: hooks before, waves, hooks behind, what goes, or nothing more.',
);

/** How an attempt ended. */
const outcome = choice(
  ['Succeeded', 'ApplyFailed', 'HookFailed', 'WaveDegraded', 'WaveTimedOut', 'PruneFailed', 'Conflict', 'Superseded'],
  'How it ended; unset: it goes on.',
);

const status = object({
  observedGeneration: optional(integer('The generation that was attempted.')),
  conditions: optional(conditions),
  lastAttempted: optional(
    object({
      ...rendered,
      attempt: integer('Counts from 1 for each render.', { minimum: 1 }),
      total: integer('Objects of the render, hooks apart.', { minimum: 0 }),
      phase,
      wave: optional(integer('The wave that is applied or waited for.')),
      outcome: optional(outcome),
      failures: optional(integer('Failed attempts of this render in a row: the back-off.', { minimum: 0 })),
      endedAt: optional(time('When it ended; the back-off starts here.')),
    }),
  ),
  lastApplied: optional(object(rendered, 'The last render that was applied whole.')),
  lastHealthy: optional(object(rendered, 'The last render of which everything was healthy.')),
  held: optional(
    object(
      {
        renderRef: text('What runs.', { maxLength: 80 }),
        from: text('The render that is kept out.', { maxLength: 80 }),
      },
      'After a rollback.',
    ),
  ),
  healthSummary: optional(
    object({
      total: integer('All.'),
      healthy: integer('Healthy.'),
      progressing: integer('Progressing.'),
      degraded: integer('Degraded.'),
      unknown: integer('Unknown, not yet assessed included.'),
      suspended: optional(integer('Never set.')),
    }),
  ),
  history: optional(
    list(
      object({
        renderRef: rendered.renderRef,
        revision: rendered.revision,
        appliedAt: time('When the attempt began.'),
        healthyAt: optional(time('When everything was healthy first.')),
        outcome: optional(outcome),
      }),
      'Newest first.',
      { maxItems: 50 },
    ),
  ),
  hooks: optional(
    list(
      object({
        name: text('Kind and name of the hook.', { maxLength: 512 }),
        phase: choice(['preSync', 'postSync', 'syncFail', 'preDelete', 'postDelete'], 'When it runs.'),
        renderRef: rendered.renderRef,
        state: choice(['Running', 'Succeeded', 'Failed'], 'How it stands.'),
        startedAt: time('When it was created.'),
        completedAt: optional(time('When it ended.')),
        message: optional(text('What it said.', { maxLength: 1024 })),
      }),
      'Hooks of the last attempt.',
      { maxItems: 200 },
    ),
  ),
  lastSyncRequest: optional(text('The request in the annotation sync-requested that was served last.')),
});

export const releaseSpec = spec;
export const releaseStatus = status;
export type ReleaseSpec = Infer<typeof spec>;
export type ReleaseStatus = Infer<typeof status>;
