import {
  INVENTORIES,
  RELEASES,
  type Release,
  type ReleaseInventory,
  readInventory,
  readRelease,
} from '../../../core/api/index.ts';
import { ConvoyError } from '../../../core/errors/index.ts';
import { asString, field } from '../../../core/object/fields.ts';
import type { KubernetesObject } from '../../../core/object/kubernetes-object.ts';
import { pagesOf } from '../../../core/release/inventory/index.ts';
import type { CommandContext } from '../../command-context.ts';
import type { CliIo } from '../../io.ts';
import type { ClusterConnection } from '../../live/connection.ts';
import { isNotFound, withClusterErrors } from '../../live/failures.ts';
import { closestName } from '../../options/closest-name.ts';
import { type ClusterFlags, clusterChoice, parseRequestTimeout } from '../run-live-health.ts';

/** Who writes what a person asks for by this command line. */
export const CLI_MANAGER = 'convoy-cli';

/** A Release as the cluster has it, and as it is read. */
export interface FoundRelease {
  readonly object: KubernetesObject;
  readonly release: Release;
}

/** A command at work on the Releases of a cluster. */
export interface ReleaseSession {
  readonly io: CliIo;
  readonly connection: ClusterConnection;
  /** For each call; empty: as long as the client allows. */
  readonly call: { readonly timeout?: number };
}

/** Does a work on the cluster that the flags name. */
export function onCluster<Result>(
  command: string,
  flags: ClusterFlags,
  { io, connectCluster }: CommandContext,
  work: (session: ReleaseSession) => Promise<Result>,
): Promise<Result> {
  const timeout = parseRequestTimeout(flags.requestTimeout, `release ${command}`);
  return withClusterErrors(async () => {
    const connection = await connectCluster(clusterChoice(flags));
    try {
      return await work({ io, connection, call: timeout === undefined ? {} : { timeout } });
    } finally {
      await connection.close();
    }
  });
}

/** Throws ReleaseNotFound, with the name that was meant; ReleasesNotServed; ReleaseUnreadable. */
export async function findRelease(session: ReleaseSession, name: string): Promise<FoundRelease> {
  const { cluster, namespace } = session.connection;
  try {
    return readFound(await cluster.get({ type: RELEASES, namespace, name }, session.call));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const names = (await listObjects(session, namespace)).map((object) => asString(field(object['metadata'], 'name')));
    const meant = closestName(name, names);
    const hint = meant === undefined ? 'see `convoy release list -A`' : `did you mean ${meant}?`;
    throw new ConvoyError('ReleaseNotFound', { name, namespace, hint });
  }
}

/** Objects of all Releases of a namespace, '' for all. Throws ReleasesNotServed. */
export async function listObjects(
  { connection, call }: ReleaseSession,
  namespace: string,
  labelSelector?: string,
): Promise<readonly KubernetesObject[]> {
  const selector = labelSelector === undefined ? {} : { labelSelector };
  try {
    return await connection.listAll({ type: RELEASES, namespace }, { ...call, ...selector });
  } catch (error) {
    if (isNotFound(error)) throw new ConvoyError('ReleasesNotServed', { where: connection.cluster.description });
    throw error;
  }
}

export function readFound(object: KubernetesObject): FoundRelease {
  const read = readRelease(object);
  if ('value' in read) return { object, release: read.value };
  const [name, namespace] = ['name', 'namespace'].map((part) => asString(field(object['metadata'], part)));
  throw new ConvoyError('ReleaseUnreadable', { name: name ?? '', namespace: namespace ?? '', reason: read.problem });
}

/** The pages of the inventory of a Release. */
export async function readPages(session: ReleaseSession, release: Release): Promise<readonly ReleaseInventory[]> {
  const { namespace } = release.metadata;
  const objects = await session.connection.listAll({ type: INVENTORIES, namespace }, session.call);
  return pagesAmong(release, objects);
}

/** Those of the objects that are pages of the Release. */
export function pagesAmong(release: Release, objects: readonly KubernetesObject[]): readonly ReleaseInventory[] {
  const { namespace, name, uid } = release.metadata;
  const pages = objects.flatMap((object) => {
    const read = readInventory(object);
    return 'value' in read ? [read.value] : [];
  });
  return pagesOf({ namespace, name, uid }, pages);
}

/** The first 12 digits of a render: what tells renders of one Release apart in tables. */
export function shortRender(renderRef: string): string {
  return renderRef.replace(/^sha256:/, '').slice(0, 12);
}

/** A condition of a Release; `Unknown` and empty texts until it was written. */
export function conditionOf(
  { status }: Release,
  type: string,
): { readonly status: string; readonly reason: string; readonly message: string } {
  const found = status.conditions?.find((one) => one.type === type);
  return found ?? { status: 'Unknown', reason: '', message: '' };
}
