/** Every word that convoy writes on objects, or reads from them. */

const PREFIX = 'convoy.kumodo.io/';

// Annotations that authors write on the objects of a render.
export const SYNC_WAVE = `${PREFIX}sync-wave`;
export const HOOK = `${PREFIX}hook`;
export const HOOK_RUN_AFTER = `${PREFIX}hook-run-after`;
export const HOOK_DELETE_POLICY = `${PREFIX}hook-delete-policy`;
export const HOOK_ON_ROLLBACK = `${PREFIX}hook-on-rollback`;
export const IGNORE_HEALTH = `${PREFIX}ignore-health`;
export const DEADLINE = `${PREFIX}deadline`;
export const PRUNE = `${PREFIX}prune`;
export const ADOPT = `${PREFIX}adopt`;

// Annotations of other tools that mean one of the above.
export const ARGO_SYNC_WAVE = 'argocd.argoproj.io/sync-wave';
export const ARGO_HOOK = 'argocd.argoproj.io/hook';
export const ARGO_HOOK_DELETE_POLICY = 'argocd.argoproj.io/hook-delete-policy';
export const HELM_HOOK = 'helm.sh/hook';
export const HELM_HOOK_WEIGHT = 'helm.sh/hook-weight';
export const HELM_HOOK_DELETE_POLICY = 'helm.sh/hook-delete-policy';
export const HELM_RESOURCE_POLICY = 'helm.sh/resource-policy';

// What convoy writes on the objects that it applies.
export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';
export const MANAGED_BY = 'convoy';
/** Label: 16 hex digits, by which a server filters. Never proof of ownership; RELEASE_ID is. */
export const RELEASE_LABEL = `${PREFIX}release`;
/** Annotation: `<installation>/<namespace>/<name>`. */
export const RELEASE_ID = `${PREFIX}release-id`;
/** Annotation of a hook object: `<render12>-<attempt>`, by which a restart knows its own run. */
export const HOOK_RUN = `${PREFIX}hook-run`;

// Annotations of a Release.
export const ROLLBACK_TO = `${PREFIX}rollback-to`;
export const SYNC_REQUESTED = `${PREFIX}sync-requested`;
export const SKIP_HOOKS = `${PREFIX}skip-hooks`;
export const ORPHAN = `${PREFIX}orphan`;

// Annotations and type of the Secrets that keep renders.
export const RENDER_SECRET_TYPE = `${PREFIX}render`;
export const RENDER_REF = `${PREFIX}render-ref`;
/** `<this>/<all>`, from 1. */
export const RENDER_CHUNK = `${PREFIX}render-chunk`;
/** Digest of the inputs that gave the render last: while they are these, nothing is rendered anew. */
export const RENDER_INPUTS = `${PREFIX}render-inputs`;
/** What a person calls the render. */
export const RENDER_REVISION = `${PREFIX}render-revision`;

export const RELEASE_FINALIZER = `${PREFIX}release`;
export const INVENTORY_FINALIZER = `${PREFIX}inventory`;

// Field managers: an apply removes what its manager no longer lists, so no two loops share one.
export const CONTROLLER_MANAGER = 'convoy-controller';
export const OBSERVER_MANAGER = 'convoy-observer';
export const DRIFT_MANAGER = 'convoy-observer-drift';
