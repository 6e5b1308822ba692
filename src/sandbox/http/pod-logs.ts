import { asList, asString, field } from '../../core/object/fields.ts';
import type { ObjectApi } from '../api/object-api.ts';
import { type ApiObject, timestamp } from '../objects/api-object.ts';
import { StatusError } from '../objects/status-error.ts';
import type { Answer, StreamAnswer } from './request.ts';

/** One line of a log; `time` in ms since 1970. */
export interface LoggedLine {
  readonly time: number;
  readonly text: string;
}

/** What a run of a container wrote so far. */
export interface ContainerLog {
  readonly restarts: number;
  readonly lines: readonly LoggedLine[];
  readonly ended: boolean;
}

/** The last runs of a container, oldest first, at most two. */
export type ReadLog = (namespace: string, pod: string, container: string) => readonly ContainerLog[];

const PODS = '/pods';

function badRequest(message: string): StatusError {
  return new StatusError('BadRequest', message);
}

/** The container that is meant. Throws 400 for one that there is not, or where one must be named. */
function containerOf(pod: ApiObject, named: string): string {
  const lists = ['initContainers', 'containers', 'ephemeralContainers'];
  const names = lists.flatMap((list) => asList(field(pod['spec'], list)).map((one) => asString(field(one, 'name'))));
  if (named !== '' && names.includes(named)) return named;
  if (named !== '') throw badRequest(`container ${named} is not valid for pod ${pod.metadata.name}`);
  const [first = '', ...others] = names;
  if (others.length === 0) return first;
  throw badRequest(
    `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${names.join(' ')}]`,
  );
}

/** Why a container has written nothing yet. */
function whyNone({ metadata, spec, status }: ApiObject, container: string): StatusError {
  if (field(spec, 'nodeName') === undefined) return badRequest(`pod ${metadata.name} does not have a host assigned`);
  const statuses = asList(field(status, 'containerStatuses'));
  const own = statuses.find((one) => field(one, 'name') === container);
  const reason = asString(field(field(field(own, 'state'), 'waiting'), 'reason')) || 'ContainerCreating';
  const why = /^(ErrImagePull|ImagePullBackOff)$/.test(reason) ? 'trying and failing to pull image' : reason;
  return badRequest(`container "${container}" in pod "${metadata.name}" is waiting to start: ${why}`);
}

interface LogQuery {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Lines from the end; undefined: all. */
  readonly tail: number | undefined;
  /** ms since 1970. */
  readonly since: number;
  /** Bytes. */
  readonly limit: number;
}

function readQuery(query: URLSearchParams, now: number): LogQuery {
  const isTrue = (name: string): boolean => ['true', '1'].includes(query.get(name) ?? '');
  const count = (name: string): number | undefined => {
    const text = query.get(name);
    if (text === null || text === '') return undefined;
    if (/^\d+$/.test(text)) return Number(text);
    throw new StatusError(
      'Invalid',
      `PodLogOptions "" is invalid: ${name}: Invalid value: "${text}": must be greater than or equal to 0`,
    );
  };
  const seconds = count('sinceSeconds');
  const time = Date.parse(query.get('sinceTime') ?? '');
  return {
    follow: isTrue('follow'),
    previous: isTrue('previous'),
    timestamps: isTrue('timestamps'),
    tail: count('tailLines'),
    since: seconds === undefined ? (Number.isNaN(time) ? 0 : time) : now - seconds * 1000,
    limit: count('limitBytes') ?? Number.POSITIVE_INFINITY,
  };
}

function written({ time, text }: LoggedLine, { timestamps }: LogQuery): string {
  return timestamps ? `${timestamp(time)} ${text}\n` : `${text}\n`;
}

function shown(lines: readonly LoggedLine[], query: LogQuery): string {
  const chosen = lines.filter(({ time }) => time >= query.since);
  const last = query.tail === undefined ? chosen : chosen.slice(Math.max(0, chosen.length - query.tail));
  const text = last.map((line) => written(line, query)).join('');
  return text.length > query.limit ? text.slice(0, query.limit) : text;
}

/** Writes what a container has written and goes on to write, until it ends or its pod is gone. */
function followed(api: ObjectApi, pod: ApiObject, read: () => readonly ContainerLog[], query: LogQuery): StreamAnswer {
  return {
    code: 200,
    contentType: 'text/plain',
    start: (write, end) => {
      const first = read().at(-1);
      let told = first?.lines.length ?? 0;
      const text = shown(first?.lines ?? [], query);
      if (text !== '') write(text);
      if (first?.ended !== false) {
        end();
        return () => {};
      }
      const { uid } = pod.metadata;
      return api.store.subscribe(({ key, type, object }) => {
        if (key !== PODS || object.metadata.uid !== uid) return;
        const run = read().find(({ restarts }) => restarts === first.restarts);
        for (const line of run?.lines.slice(told) ?? []) write(written(line, query));
        told = run?.lines.length ?? told;
        if (type === 'DELETED' || run?.ended !== false) end();
      });
    },
  };
}

/** The log of a container of a pod. Throws 400 as the kubelet does where there is none, 422 for a wrong query. */
export function podLog(
  api: ObjectApi,
  pod: ApiObject,
  readLog: ReadLog,
  parameters: URLSearchParams,
): Answer | StreamAnswer {
  const query = readQuery(parameters, api.world.now());
  const container = containerOf(pod, parameters.get('container') ?? '');
  const { namespace = '', name } = pod.metadata;
  const read = (): readonly ContainerLog[] => readLog(namespace, name, container);
  const runs = read();
  const run = query.previous ? runs.at(-2) : runs.at(-1);
  if (run === undefined && query.previous) {
    throw badRequest(`previous terminated container "${container}" in pod "${name}" not found`);
  }
  if (run === undefined) throw whyNone(pod, container);
  if (query.follow && !query.previous) return followed(api, pod, read, query);
  return { code: 200, body: shown(run.lines, query), contentType: 'text/plain' };
}
