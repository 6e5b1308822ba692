import type { RuleSet } from '../../core/health/rule.ts';
import { asMap, asString } from '../../core/object/fields.ts';
import type { ResourceType } from '../../ports/cluster.ts';
import { ApiError } from '../../ports/errors.ts';
import type { Check } from '../printers/live-checks.ts';
import { checkInstallation } from './check-installation.ts';
import type { ClusterConnection } from './connection.ts';
import { typesWithRules, unknownVersions } from './kinds-with-rules.ts';
import { within } from './within.ts';

export interface CheckOptions {
  /** Access is checked to this namespace; '' for all. */
  readonly namespace: string;
  readonly sets: readonly RuleSet[];
  /** ms for one request. */
  readonly timeout: number | undefined;
}

/** ms by which clocks may differ: the Date of an answer has whole seconds, and the answer was on its way. */
const SKEW = 5_000;

/** Checks a cluster, one thing after the other. @throws ApiError, TransportError when it cannot be read at all */
export async function* checkCluster(connection: ClusterConnection, options: CheckOptions): AsyncGenerator<Check> {
  const { cluster, clock } = connection;
  const start = clock.now();
  const version = asMap(await within(connection, options.timeout, cluster.raw('GET', '/version')));
  const took = Math.round(clock.now() - start);
  yield { state: 'ok', subject: 'server', text: `${asString(version['gitVersion'])}, answered in ${took} ms` };
  yield checkClock(connection.clockSkew());
  const types = await within(connection, options.timeout, cluster.discovery.all());
  yield* checkKinds(types, options.sets);
  for (const { group, reason } of await cluster.discovery.broken()) {
    const text = `the API group ${group} does not answer (${reason}); look at its APIService: kubectl get apiservices`;
    yield { state: 'warning', subject: 'discovery', text };
  }
  yield* checkInstallation(connection, types, options);
  yield* checkAccess(connection, typesWithRules(types, options.sets), options);
}

function checkClock(skew: number | undefined): Check {
  const subject = 'clock';
  if (skew === undefined) return { state: 'warning', subject, text: 'the server does not tell its time' };
  const seconds = Math.round(Math.abs(skew) / 1000);
  if (Math.abs(skew) <= SKEW) return { state: 'ok', subject, text: 'the same as that of the server' };
  const text = `the server is ${seconds} s ${skew > 0 ? 'ahead' : 'behind'}: ages and deadlines are wrong by as much`;
  return { state: 'warning', subject, text: `${text}; set both clocks by NTP` };
}

function* checkKinds(types: readonly ResourceType[], sets: readonly RuleSet[]): Generator<Check> {
  const unknown = unknownVersions(types, sets);
  for (const { kind, served, known } of unknown) {
    const text = `${kind} is served as ${served.join(', ')}, and its rules know ${known.join(', ')}`;
    yield { state: 'warning', subject: 'versions', text: `${text}; add a rule for it with --rules` };
  }
  const count = typesWithRules(types, sets).length;
  yield { state: 'ok', subject: 'versions', text: `${count} kinds that can be judged are served` };
}

const VERBS = ['get', 'list', 'watch'] as const;

/** One review: may whoever asks do this? `undefined`: the server does not say. */
async function mayI(
  { cluster }: ClusterConnection,
  { group, resource }: ResourceType,
  verb: string,
  { namespace, timeout }: CheckOptions,
): Promise<boolean | undefined> {
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { group, resource, verb, ...(namespace === '' ? {} : { namespace }) } },
  };
  const call = timeout === undefined ? {} : { timeout };
  try {
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const answer = asMap(await cluster.raw('POST', path, review, call));
    return asMap(answer['status'])['allowed'] === true;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

async function* checkAccess(
  connection: ClusterConnection,
  types: readonly ResourceType[],
  options: CheckOptions,
): AsyncGenerator<Check> {
  const subject = 'access';
  const where = options.namespace === '' ? 'all namespaces' : `namespace ${options.namespace}`;
  const asked = types.filter((type) => type.namespaced || options.namespace === '');
  let granted = 0;
  for (const type of asked) {
    const answers = await Promise.all(VERBS.map((verb) => mayI(connection, type, verb, options)));
    if (answers.includes(undefined)) {
      const text = 'the server does not tell what you may do (SelfSubjectAccessReview failed); ask its administrator';
      yield { state: 'warning', subject, text };
      return;
    }
    const missing = VERBS.filter((_, place) => answers[place] === false);
    if (missing.length === 0) granted += 1;
    else {
      const name = type.group === '' ? type.resource : `${type.resource}.${type.group}`;
      const text = `you may not ${missing.join(', ')} ${name} in ${where}; ask for a Role or ClusterRole that allows it`;
      yield { state: 'problem', subject, text };
    }
  }
  const text = `you may get, list and watch ${granted} of ${asked.length} kinds in ${where}`;
  yield { state: granted === 0 && asked.length > 0 ? 'problem' : 'ok', subject, text };
}
