import { field, refOf } from '../../core/object/fields.ts';
import type { KubernetesObject } from '../../core/object/kubernetes-object.ts';
import type { JudgeObjects, JudgeOptions } from '../judge.ts';
import type { JudgedObject } from '../report.ts';
import type { Query } from './connection.ts';
import type { Finding } from './read-queries.ts';
import { apiVersionOf } from './targets.ts';

/** Stands in a report for an object that was named and is not there. */
function standIn({ type, namespace, name = '' }: Query): KubernetesObject {
  const metadata = namespace === '' ? { name } : { name, namespace };
  return { apiVersion: apiVersionOf(type), kind: type.kind, metadata };
}

export function missingText({ type, namespace, name = '' }: Query): string {
  return `there is no ${type.kind} "${name}"${namespace === '' ? '' : ` in namespace ${namespace}`}`;
}

function identityOf(object: KubernetesObject): string {
  const uid = field(object['metadata'], 'uid');
  const { group, kind, namespace, name } = refOf(object);
  return typeof uid === 'string' && uid !== '' ? uid : `${group}/${kind}/${namespace}/${name}`;
}

function byNamespaceAndName(a: KubernetesObject, b: KubernetesObject): number {
  const [one, other] = [refOf(a), refOf(b)];
  const [first, second] = [`${one.namespace}/${one.name}`, `${other.namespace}/${other.name}`];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** The objects of findings, each once: by query, then by namespace and name. */
export function objectsOf(findings: readonly Finding[]): readonly KubernetesObject[] {
  const found = new Map<string, KubernetesObject>();
  for (const finding of findings) {
    const objects = 'objects' in finding ? [...finding.objects].sort(byNamespaceAndName) : [];
    for (const object of objects) found.set(identityOf(object), object);
  }
  return [...found.values()];
}

/** Objects that are context and are not among those judged already. */
function besides(
  context: readonly KubernetesObject[],
  judged: readonly KubernetesObject[],
): readonly KubernetesObject[] {
  const known = new Set(judged.map(identityOf));
  return context.filter((object) => !known.has(identityOf(object)));
}

/** Verdicts for what queries found, with `context` around it. What was named and is not there is Unknown, NotFound. */
export function judgeFindings(
  findings: readonly Finding[],
  context: readonly KubernetesObject[],
  judge: JudgeObjects,
  options: JudgeOptions,
  source: string,
): readonly JudgedObject[] {
  const objects = objectsOf(findings);
  const verdicts = judge(objects, { ...options, context: besides(context, objects) });
  const judged: JudgedObject[] = objects.flatMap((object, index) => {
    const verdict = verdicts[index];
    return verdict === undefined ? [] : [{ index, object, source, ...verdict }];
  });
  for (const finding of findings) {
    if (finding.query.name === undefined || !('objects' in finding) || finding.objects.length > 0) continue;
    judged.push({
      index: judged.length,
      object: standIn(finding.query),
      source,
      verdict: { state: 'Unknown', reason: 'NotFound', message: missingText(finding.query) },
    });
  }
  return judged;
}
