import { asList, asMap, asString, field } from '../../core/object/fields.ts';
import { type ApiObject, sameJson } from '../objects/api-object.ts';
import { invalid } from '../objects/status-error.ts';
import { matchesSelector } from '../store/selectors.ts';
import { parseSchedule } from './cron-schedule.ts';

export interface Fault {
  readonly field: string;
  readonly message: string;
  readonly reason?: string;
}

const WORKLOADS = new Set(['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet']);

function required(path: string, why = ''): Fault {
  return { field: path, message: `Required value${why === '' ? '' : `: ${why}`}`, reason: 'FieldValueRequired' };
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

/** What one ConfigMap or Secret may hold, in bytes. */
const DATA_LIMIT = 1024 * 1024;
const KEY = /^[-._a-zA-Z0-9]+$/;

/** IsConfigMapKey of k8s.io/apimachinery: a key is a file's name in a volume. */
function keyFaults(object: ApiObject): Fault[] {
  return ['data', 'binaryData'].flatMap((part) =>
    Object.keys(asMap(object[part])).flatMap((key) => {
      const fault = (why: string): Fault => ({ field: `${part}[${key}]`, message: `Invalid value: "${key}": ${why}` });
      if (key.length > 253) return [fault('must be no more than 253 characters')];
      if (!KEY.test(key)) {
        const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
        return [
          fault(
            `${rule} (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
          ),
        ];
      }
      if (key === '.' || key.startsWith('..'))
        return [fault(key === '.' ? "must not be '.'" : "must not start with '..'")];
      return part === 'binaryData' && Object.hasOwn(asMap(object['data']), key)
        ? [fault('duplicate of key present in data')]
        : [];
    }),
  );
}

function dataFaults(object: ApiObject, old: ApiObject | undefined): Fault[] {
  const values = [...Object.values(asMap(object['data'])), ...Object.values(asMap(object['binaryData']))];
  const size = values.reduce<number>((sum, value) => sum + Buffer.byteLength(asString(value)), 0);
  const faults = keyFaults(object);
  if (size > DATA_LIMIT)
    faults.push({
      field: 'data',
      message: `Too long: may not be more than ${DATA_LIMIT} bytes`,
      reason: 'FieldValueTooLong',
    });
  if (old?.['immutable'] !== true) return faults;
  for (const name of ['data', 'binaryData', 'immutable']) {
    if (sameJson(object[name], old[name])) continue;
    faults.push({
      field: name,
      message: 'Forbidden: field is immutable when `immutable` is set',
      reason: 'FieldValueForbidden',
    });
  }
  return faults;
}

/**
 * What an Event must say (ValidateEventCreate of k8s.io/kubernetes): one of events.k8s.io, or one with an exact time, names who
 * reports what was done; another one lies in the namespace of what it is about.
 */
function eventFaults(event: ApiObject, group: string): Fault[] {
  const isNew = group === 'events.k8s.io';
  const named = (core: string, events: string): string => (isNew ? events : core);
  const about = asString(field(event[named('involvedObject', 'regarding')], 'namespace'));
  const { namespace = '' } = event.metadata;
  const astray: Fault = {
    field: 'involvedObject.namespace',
    message: `Invalid value: "${about}": does not match event.namespace`,
  };
  if (!isNew && event['eventTime'] === undefined) {
    return about === namespace || (about === '' && namespace === 'default') ? [] : [astray];
  }
  const must = [
    'eventTime',
    named('reportingComponent', 'reportingController'),
    'reportingInstance',
    'action',
    'reason',
  ];
  const faults = must.filter((name) => asString(event[name]) === '').map((name) => required(name));
  if (about === '' && !['default', 'kube-system'].includes(namespace)) faults.push(astray);
  const type = asString(event['type']);
  if (!['Normal', 'Warning'].includes(type)) {
    faults.push({ field: 'type', message: `Invalid value: "": has invalid value: ${type}` });
  }
  return faults;
}

/** A Job's pods end: they must not be started again for ever. */
function jobFaults(spec: unknown, path: string): Fault[] {
  const template = field(field(spec, 'template'), 'spec');
  const below = `${path}.template.spec`;
  const faults = podFaults(template, below);
  const restartPolicy = asString(field(template, 'restartPolicy'));
  if (['OnFailure', 'Never'].includes(restartPolicy)) return faults;
  const message = `Unsupported value: "${restartPolicy}": supported values: "OnFailure", "Never"`;
  return [...faults, { field: `${below}.restartPolicy`, message, reason: 'FieldValueNotSupported' }];
}

function cronJobFaults({ spec: given }: ApiObject): Fault[] {
  const spec = asMap(given);
  const [schedule, timeZone] = [asString(spec['schedule']), spec['timeZone']];
  const faults = jobFaults(field(spec['jobTemplate'], 'spec'), 'spec.jobTemplate.spec');
  if (schedule === '') return [...faults, required('spec.schedule')];
  const wrong = (name: string, value: unknown, error: unknown): Fault => ({
    field: `spec.${name}`,
    message: `Invalid value: ${JSON.stringify(value)}: ${error instanceof Error ? error.message : String(error)}`,
  });
  try {
    parseSchedule(schedule);
  } catch (error) {
    return [...faults, wrong('schedule', schedule, error)];
  }
  try {
    if (typeof timeZone === 'string') parseSchedule(schedule, timeZone);
  } catch {
    faults.push(wrong('timeZone', timeZone, `unknown time zone ${String(timeZone)}`));
  }
  return faults;
}

function autoscalerFaults({ spec: given }: ApiObject): Fault[] {
  const spec = asMap(given);
  const [minReplicas, maxReplicas] = [Number(spec['minReplicas']), Number(spec['maxReplicas'] ?? 0)];
  const invalidCount = (name: string, value: number, why: string): Fault => ({
    field: `spec.${name}`,
    message: `Invalid value: ${value}: ${why}`,
  });
  const faults: Fault[] = [];
  if (minReplicas < 1) faults.push(invalidCount('minReplicas', minReplicas, 'must be greater than or equal to 1'));
  if (maxReplicas === 0) faults.push(required('spec.maxReplicas', 'must be set and greater than 0'));
  if (maxReplicas < 0) faults.push(invalidCount('maxReplicas', maxReplicas, 'must be greater than or equal to 1'));
  if (maxReplicas < minReplicas) {
    faults.push(invalidCount('maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`'));
  }
  const scaled = asMap(spec['scaleTargetRef']);
  const unnamed = ['kind', 'name'].filter((name) => asString(scaled[name]) === '');
  faults.push(...unnamed.map((name) => required(`spec.scaleTargetRef.${name}`)));
  const apiVersion = asString(scaled['apiVersion']);
  if (scaled['kind'] !== 'ReplicationController' && !apiVersion.includes('/')) {
    const message = `Invalid value: "${apiVersion}": apiVersion must specify API group`;
    faults.push({ field: 'spec.scaleTargetRef.apiVersion', message });
  }
  return faults;
}

function claimFaults({ spec: given }: ApiObject): Fault[] {
  const { accessModes, resources } = asMap(given);
  const faults = asList(accessModes).length === 0 ? [required('spec.accessModes')] : [];
  const storage = field(field(resources, 'requests'), 'storage');
  return storage === undefined ? [...faults, required('spec.resources[storage]')] : faults;
}

function budgetFaults({ spec }: ApiObject): Fault[] {
  const { minAvailable, maxUnavailable } = asMap(spec);
  if (minAvailable === undefined || maxUnavailable === undefined) return [];
  const message = `Invalid value: ${JSON.stringify(spec)}: minAvailable and maxUnavailable cannot be both set`;
  return [{ field: 'spec', message }];
}

/** By name and version the aggregator finds it; without its priorities discovery has no order. */
function apiServiceFaults({ metadata, spec: given }: ApiObject): Fault[] {
  const spec = asMap(given);
  const name = `${asString(spec['version'])}.${asString(spec['group'])}`;
  const faults: Fault[] = [];
  // The legacy group has no name.
  if (asString(spec['group']) === '' && spec['version'] !== 'v1') {
    faults.push(required('spec.group', 'only v1 may have an empty group and it better be legacy kube'));
  }
  if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(asString(spec['version']))) {
    faults.push({ field: 'spec.version', message: `Invalid value: "${asString(spec['version'])}": a DNS-1035 label` });
  }
  if (metadata.name !== name) {
    const message = `Invalid value: "${metadata.name}": must be \`spec.version+"."+spec.group\`: "${name}"`;
    faults.push({ field: 'metadata.name', message });
  }
  for (const [priority, most] of [
    ['groupPriorityMinimum', 20_000],
    ['versionPriority', 1_000],
  ] as const) {
    const value = Number(spec[priority] ?? 0);
    if (value > 0 && value <= most) continue;
    const message = `Invalid value: ${value}: must be positive and less than ${most}`;
    faults.push({ field: `spec.${priority}`, message });
  }
  const { service } = spec;
  if (service === undefined) return faults;
  const unnamed = ['namespace', 'name'].filter((one) => asString(field(service, one)) === '');
  return [...faults, ...unnamed.map((one) => required(`spec.service.${one}`))];
}

const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

/** What is wrong with the metadata of an object of any kind. */
export function metadataFaults({ metadata }: ApiObject, old: ApiObject | undefined): Fault[] {
  const faults: Fault[] = Object.values(metadata.labels ?? {})
    .filter((value) => value.length > 63 || !LABEL_VALUE.test(value))
    .map((value) => ({
      field: 'metadata.labels',
      message: `Invalid value: "${value}": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`,
    }));
  if (old?.metadata.deletionTimestamp === undefined) return faults;
  const added = (metadata.finalizers ?? []).filter((one) => !old.metadata.finalizers?.includes(one));
  if (added.length > 0) {
    const message = `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers ${JSON.stringify(added)}`;
    faults.push({ field: 'metadata.finalizers', message, reason: 'FieldValueForbidden' });
  }
  return faults;
}

/** Refuses what the simulated controllers could not work with, in the words of Kubernetes. Not all of its validation. */
export function validateBuiltIn(object: ApiObject, old: ApiObject | undefined, group: string): void {
  let faults: Fault[] = [];
  if (WORKLOADS.has(object.kind)) faults = workloadFaults(object, old);
  else if (object.kind === 'ConfigMap' || object.kind === 'Secret') faults = dataFaults(object, old);
  else if (object.kind === 'Event' && old === undefined) faults = eventFaults(object, group);
  else if (object.kind === 'Pod') faults = podFaults(object['spec'], 'spec');
  else if (object.kind === 'CronJob') faults = cronJobFaults(object);
  else if (object.kind === 'Job') faults = jobFaults(object['spec'], 'spec');
  else if (object.kind === 'HorizontalPodAutoscaler') faults = autoscalerFaults(object);
  else if (object.kind === 'PodDisruptionBudget') faults = budgetFaults(object);
  else if (object.kind === 'PersistentVolumeClaim') faults = claimFaults(object);
  else if (object.kind === 'APIService') faults = apiServiceFaults(object);
  if (faults.length > 0) throw invalid(object.kind, group, object.metadata.name, faults);
}
