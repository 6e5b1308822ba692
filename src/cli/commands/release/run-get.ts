import type { Release } from '../../../core/api/index.ts';
import { repeatedAt } from '../../../core/release/attempt/back-off.ts';
import type { CommandContext } from '../../command-context.ts';
import { EXIT } from '../../exit-code.ts';
import { ageOf } from '../../printers/age.ts';
import { layOut, oneLine } from '../../printers/table.ts';
import type { ClusterFlags } from '../run-live-health.ts';
import { parseValueOutput, printValue } from './print-objects.ts';
import { findRelease, onCluster, shortRender } from './release-session.ts';

/** The flags of `release get` as they are typed. */
export interface GetFlags extends ClusterFlags {
  readonly output: string;
}

/** Prints one Release: as the cluster has it, or what a person wants to know of it. Returns the exit code. */
export async function runGet(name: string, flags: GetFlags, context: CommandContext): Promise<number> {
  const format = parseValueOutput(flags.output, ['table']);
  return onCluster('get', flags, context, async (session) => {
    const { object, release } = await findRelease(session, name);
    await session.io.out(
      format.kind === 'table' ? describe(release, session.io.now()) : await printValue(object, format),
    );
    return EXIT.healthy;
  });
}

/** Rows of name and value, then the conditions, then the hooks. */
function describe(release: Release, now: number): string {
  const { metadata, spec, status } = release;
  const { lastAttempted, lastApplied, lastHealthy, held, healthSummary } = status;
  const rendered = (
    one: { readonly renderRef: string; readonly revision: string; readonly time: string } | undefined,
  ) => (one === undefined ? '' : `${one.revision}  ${shortRender(one.renderRef)}  ${ageOf(one.time, now)} ago`);
  const rows: readonly (readonly [string, string])[] = [
    ['Name', `${metadata.namespace}/${metadata.name}`],
    ['Source', sourceOf(release)],
    ['Target', targetOf(release)],
    ['Suspended', spec.suspend ? 'yes' : ''],
    ['Attempted', rendered(lastAttempted)],
    ['Phase', phaseOf(release)],
    ['Next', nextOf(release, now)],
    ['Applied', rendered(lastApplied)],
    ['Healthy', rendered(lastHealthy)],
    ['Held', held === undefined ? '' : `${shortRender(held.renderRef)}, ${shortRender(held.from)} is kept out`],
    [
      'Objects',
      healthSummary === undefined || healthSummary.total === 0
        ? ''
        : `${healthSummary.total}: ${healthSummary.degraded} degraded, ${healthSummary.unknown} unknown, ${healthSummary.progressing} progressing, ${healthSummary.healthy} healthy`,
    ],
  ];
  const known = rows.filter(([, value]) => value !== '').map(([title, value]) => [`${title}:`, oneLine(value)]);
  return `${[...layOut(known), ...conditionLines(release, now), ...hookLines(release, now)].join('\n')}\n`;
}

function conditionLines({ status }: Release, now: number): readonly string[] {
  const conditions = status.conditions ?? [];
  if (conditions.length === 0) return ['', 'nothing has been said about it yet'];
  const rows = conditions.map(({ type, status: value, reason, lastTransitionTime, message }) =>
    [type, value, reason, ageOf(lastTransitionTime, now), message].map(oneLine),
  );
  return ['', ...layOut([['CONDITION', 'STATUS', 'REASON', 'SINCE', 'MESSAGE'], ...rows])];
}

function hookLines({ status }: Release, now: number): readonly string[] {
  const hooks = status.hooks ?? [];
  if (hooks.length === 0) return [];
  const rows = hooks.map(({ phase, name, state, startedAt, message = '' }) =>
    [phase, name, state, ageOf(startedAt, now), message].map(oneLine),
  );
  return ['', ...layOut([['HOOK', 'NAME', 'STATE', 'STARTED', 'MESSAGE'], ...rows])];
}

function sourceOf({ spec }: Release): string {
  const { inline, configMap, git, oci, helm } = spec.source;
  if (inline !== undefined) return 'inline';
  if (configMap !== undefined)
    return `configMap ${configMap.name}${configMap.key === undefined ? '' : ` ${configMap.key}`}`;
  if (git !== undefined) {
    const { branch, tag, semver, commit } = git.ref ?? {};
    const ref = branch ?? tag ?? semver ?? commit ?? 'default branch';
    return `git ${git.url} ${ref}${git.path === undefined ? '' : ` ${git.path}`}`;
  }
  if (oci !== undefined) return `oci ${oci.url} ${oci.tag ?? oci.semver ?? oci.digest ?? ''}`;
  return `helm ${helm?.chart ?? ''} ${helm?.version ?? ''} of ${helm?.repo.url ?? helm?.repo.git?.url ?? ''}`;
}

function targetOf({ metadata, spec }: Release): string {
  const secret = spec.target?.kubeConfig?.secretRef.name;
  const cluster = secret === undefined ? 'the cluster of the operator' : `the cluster of Secret ${secret}`;
  return `${cluster}, namespace ${spec.target?.namespace ?? metadata.namespace}`;
}

function phaseOf({ status }: Release): string {
  const { phase, wave, attempt, outcome } = status.lastAttempted ?? {};
  if (phase === undefined) return '';
  const where = phase === 'Waves' && wave !== undefined ? `wave ${wave}` : phase;
  return `${where}, attempt ${attempt}${outcome === undefined ? '' : `, ${outcome}`}`;
}

/** When what has failed is tried again; '' where it is not, or not by itself. */
function nextOf(release: Release, now: number): string {
  const time = repeatedAt(release, now);
  if (time === undefined) return '';
  const wait =
    time > now ? `in ${ageOf(new Date(now).toISOString(), now + Math.ceil((time - now) / 1000) * 1000)}` : 'is due';
  return `attempt ${(release.status.lastAttempted?.attempt ?? 0) + 1} ${wait}`;
}
