import {
  GLOBAL_HEALTH_RULE_SETS,
  GROUP,
  HEALTH_RULE_SETS,
  OWN_KINDS,
  type OwnKind,
  VERSION,
} from '../../core/api/index.ts';
import { readConditions } from '../../core/conditions/conditions.ts';
import { asList, asMap, asString, field, isMap, type JsonMap } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { ResourceType } from '../../ports/cluster.ts';
import type { Check } from '../printers/live-checks.ts';
import type { CheckOptions } from './check-cluster.ts';
import type { ClusterConnection } from './connection.ts';
import { isNotFound, isRefusal } from './failures.ts';

const DEFINITIONS = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
const MEND = '`convoy install --only crds | kubectl apply --server-side -f -`';
const RULES_MEND = '`convoy install --only rules | kubectl apply --server-side -f -`';
const SUBJECT = 'convoy';

/** Checks what convoy has in a cluster: its definitions, and whether the rules of its rule sets compile. */
export async function* checkInstallation(
  connection: ClusterConnection,
  types: readonly ResourceType[],
  options: CheckOptions,
): AsyncGenerator<Check> {
  const served = OWN_KINDS.filter(({ kind }) => types.some((type) => type.group === GROUP && type.kind === kind));
  if (served.length === 0) {
    yield { state: 'ok', subject: SUBJECT, text: 'is not installed here, and `convoy health` needs none' };
    return;
  }
  for (const { plural } of OWN_KINDS.filter((own) => !served.includes(own))) {
    yield { state: 'problem', subject: SUBJECT, text: `${plural}.${GROUP} is not defined; ${MEND}` };
  }
  yield* checkDefinitions(connection, served, options);
  yield* checkRuleSets(connection, options);
}

async function* checkDefinitions(
  { cluster }: ClusterConnection,
  served: readonly OwnKind[],
  { timeout }: CheckOptions,
): AsyncGenerator<Check> {
  let good = 0;
  for (const own of served) {
    const name = `${own.plural}.${GROUP}`;
    try {
      const path = { type: DEFINITIONS, namespace: '', name };
      const definition = await cluster.get(path, timeout === undefined ? {} : { timeout });
      const check = compared(own, definition);
      if (check === undefined) good += 1;
      else yield check;
    } catch (error) {
      if (!isRefusal(error) && !isNotFound(error)) throw error;
      const text = 'you may not read definitions, so their versions were not compared; ask for the right to get them';
      yield { state: 'warning', subject: SUBJECT, text };
      return;
    }
  }
  yield { state: 'ok', subject: SUBJECT, text: `${good} of ${served.length} definitions are of this version` };
}

/** Fields tell whose version a definition is of: what this one knows and the cluster lacks, or the other way round. */
function compared({ plural, spec, status }: OwnKind, definition: KubernetesObject): Check | undefined {
  const versions = asList(field(definition['spec'], 'versions')).map(asMap);
  const version = versions.find(({ name }) => name === VERSION);
  const schema = asMap(field(field(field(version, 'schema'), 'openAPIV3Schema'), 'properties'));
  const wanted = [
    ...fieldsOf(spec.openApi, 'spec'),
    ...(status === undefined ? [] : fieldsOf(status.openApi, 'status')),
  ];
  const found = new Set([...fieldsOf(asMap(schema['spec']), 'spec'), ...fieldsOf(asMap(schema['status']), 'status')]);
  const lacking = wanted.find((path) => !found.has(path));
  if (lacking !== undefined) {
    const text = `the definition of ${plural} is of an older version, without ${lacking}; ${MEND}`;
    return { state: 'problem', subject: SUBJECT, text };
  }
  const known = new Set(wanted);
  const more = [...found].find((path) => !known.has(path));
  if (more === undefined) return undefined;
  const text = `the definition of ${plural} is of a newer version, with ${more}; bring this convoy up to date`;
  return { state: 'warning', subject: SUBJECT, text };
}

function fieldsOf(schema: JsonMap, path: string): readonly string[] {
  const items = schema['items'];
  if (isMap(items)) return fieldsOf(items, `${path}[]`);
  const properties = Object.entries(asMap(schema['properties']));
  return properties.flatMap(([name, property]) => {
    const below = `${path}.${name}`;
    return [below, ...(isMap(property) ? fieldsOf(property, below) : [])];
  });
}

async function* checkRuleSets(
  connection: ClusterConnection,
  { namespace, timeout }: CheckOptions,
): AsyncGenerator<Check> {
  const call = timeout === undefined ? {} : { timeout };
  let good = 0;
  let waiting = 0;
  let seen = 0;
  let refused = false;
  for (const path of [
    { type: GLOBAL_HEALTH_RULE_SETS, namespace: '' },
    { type: HEALTH_RULE_SETS, namespace },
  ]) {
    const sets = await readSets(connection, path, call);
    refused ||= sets === undefined;
    seen += sets?.length ?? 0;
    for (const set of sets ?? []) {
      const ready = readConditions(field(set['status'], 'conditions')).find(({ type }) => type === 'Ready');
      const metadata = asMap(set['metadata']);
      const where = asString(metadata['namespace']);
      const name = `${where === '' ? '' : `${where}/`}${asString(metadata['name'])}`;
      if (ready?.status === 'True') good += 1;
      else if (ready === undefined) waiting += 1;
      else {
        const text = `the rule set ${name}: ${ready.message.split('\n')[0] ?? ''}; see \`kubectl describe\` of it`;
        yield { state: 'problem', subject: SUBJECT, text };
      }
    }
  }
  if (waiting > 0) {
    const text = `nobody has looked at ${waiting === 1 ? '1 rule set' : `${waiting} rule sets`} yet; check that the operator runs: kubectl get pods -A -l app.kubernetes.io/name=convoy`;
    yield { state: 'warning', subject: SUBJECT, text };
  }
  if (good > 0) {
    yield { state: 'ok', subject: SUBJECT, text: good === 1 ? '1 rule set compiles' : `${good} rule sets compile` };
  } else if (seen === 0 && !refused) {
    const text = `there is no rule set, so no Release is assessed; ${RULES_MEND}`;
    yield { state: 'warning', subject: SUBJECT, text };
  }
}

/** Undefined where they may not be read: access is a check of its own. */
async function readSets(
  { listAll }: ClusterConnection,
  path: Parameters<ClusterConnection['listAll']>[0],
  call: { readonly timeout?: number },
): Promise<readonly KubernetesObject[] | undefined> {
  try {
    return await listAll(path, call);
  } catch (error) {
    if (isRefusal(error)) return undefined;
    if (isNotFound(error)) return [];
    throw error;
  }
}
