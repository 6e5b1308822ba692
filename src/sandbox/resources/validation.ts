import { asList, asMap, asString, field } from '../../core/object/fields.ts';
import { type ApiObject, sameJson } from '../objects/api-object.ts';
import { invalid } from '../objects/status-error.ts';
import { matchesSelector } from '../store/selectors.ts';

export interface Fault {
  readonly field: string;
  readonly message: string;
  readonly reason?: string;
}

const WORKLOADS = new Set(['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet']);

function required(path: string): Fault {
  return { field: path, message: 'Required value', reason: 'FieldValueRequired' };
}

function podFaults(spec: unknown, path: string): Fault[] {
  const containers = asList(field(spec, 'containers'));
  if (containers.length === 0) return [required(`${path}.containers`)];
  return containers.flatMap((container, place) =>
    ['name', 'image']
      .filter((name) => asString(field(container, name)) === '')
      .map((name) => required(`${path}.containers[${place}].${name}`)),
  );
}

function workloadFaults(object: ApiObject, old: ApiObject | undefined): Fault[] {
  const spec = asMap(object['spec']);
  const template = asMap(spec['template']);
  const faults = podFaults(template['spec'], 'spec.template.spec');
  const labels = asMap(field(template['metadata'], 'labels')) as Readonly<Record<string, string>>;
  const { selector } = spec;
  if (Object.keys(asMap(selector)).length === 0) faults.push(required('spec.selector'));
  else if (!matchesSelector(selector, labels)) {
    const message = `Invalid value: ${JSON.stringify(labels)}: \`selector\` does not match template \`labels\``;
    faults.push({ field: 'spec.template.metadata.labels', message });
  }
  if (old !== undefined && !sameJson(field(old['spec'], 'selector'), selector)) {
    faults.push({ field: 'spec.selector', message: `Invalid value: ${JSON.stringify(selector)}: field is immutable` });
  }
  const { replicas } = spec;
  if (typeof replicas === 'number' && replicas < 0) {
    const message = `Invalid value: ${replicas}: must be greater than or equal to 0`;
    faults.push({ field: 'spec.replicas', message });
  }
  return faults;
}

/** Refuses what the simulated controllers could not work with, in the words of Kubernetes. Not all of its validation. */
export function validateBuiltIn(object: ApiObject, old: ApiObject | undefined, group: string): void {
  let faults: Fault[] = [];
  if (WORKLOADS.has(object.kind)) faults = workloadFaults(object, old);
  else if (object.kind === 'Pod') faults = podFaults(object['spec'], 'spec');
  else if (object.kind === 'Job')
    faults = podFaults(field(field(object['spec'], 'template'), 'spec'), 'spec.template.spec');
  if (faults.length > 0) throw invalid(object.kind, group, object.metadata.name, faults);
}
