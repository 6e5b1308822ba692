import { ConvoyError } from '../../core/errors/index.ts';
import {
  type BindAddress,
  CONTROLLERS,
  type ControllerName,
  LOG_LEVELS,
  type LogLevel,
  type OperatorOptions,
} from '../operator.ts';
import { closestName } from '../options/closest-name.ts';
import { type ClusterFlags, clusterChoice } from './run-live-health.ts';

/** The flags of `convoy operator` as they are typed. */
export interface OperatorFlags extends ClusterFlags {
  readonly controllers: string;
  readonly shards?: string;
  readonly leaderElect?: boolean;
  readonly installationId?: string;
  readonly defaultServiceAccount?: string;
  readonly crossNamespaceRefs: boolean;
  readonly insecureKubeconfigExec?: boolean;
  readonly aggregatedApi: boolean;
  readonly aggregatedApiBindAddress: string;
  readonly aggregatedApiService: string;
  readonly healthBindAddress: string;
  readonly cacheDir?: string;
  readonly workers: string;
  readonly logLevel: string;
}

/** More shards than that are more leases to renew than there is work to divide. */
const MOST_SHARDS = 256;
const MOST_WORKERS = 256;
/** A name of DNS (RFC 1123), which names of Services and accounts are. */
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
/** It becomes a part of annotations and hashes. */
const INSTALLATION = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Everything that can be wrong with the flags is found here, before anything is done. Throws a ConvoyError. */
export function compileOperatorOptions(flags: OperatorFlags): OperatorOptions {
  return {
    cluster: clusterChoice(flags),
    controllers: controllersOf(flags.controllers),
    shards: shardsOf(flags),
    installation: matching('--installation-id', flags.installationId, INSTALLATION, 'letters, digits, - _ .'),
    defaultServiceAccount: nameOf('--default-service-account', flags.defaultServiceAccount),
    crossNamespaceRefs: flags.crossNamespaceRefs,
    insecureKubeconfigExec: flags.insecureKubeconfigExec ?? false,
    aggregatedApi: flags.aggregatedApi ? aggregatedApiOf(flags) : undefined,
    operations: addressOf('--health-bind-address', flags.healthBindAddress),
    cacheFolder: flags.cacheDir,
    workers: wholeNumber('--workers', flags.workers, MOST_WORKERS),
    logLevel: logLevelOf(flags.logLevel),
  };
}

function refuse(reason: string, hint: string): never {
  throw new ConvoyError('UsageInvalid', { reason, hint });
}

export function controllersOf(text: string): ReadonlySet<ControllerName> {
  const names = text.split(',').map((one) => one.trim());
  const found = names.map((name) => {
    const known = CONTROLLERS.find((one) => one === name);
    if (known !== undefined) return known;
    const meant = closestName(name, CONTROLLERS);
    return refuse(
      `--controllers: there is no controller "${name}"`,
      meant === undefined ? `use ${CONTROLLERS.join(', ')}` : `did you mean ${meant}?`,
    );
  });
  return new Set(found);
}

function shardsOf({ shards, leaderElect = false }: OperatorFlags): number | undefined {
  if (shards === undefined) return leaderElect ? 1 : undefined;
  const count = wholeNumber('--shards', shards, MOST_SHARDS);
  if (leaderElect && count !== 1) {
    refuse('--leader-elect means --shards 1', `leave it out, or --shards ${count}`);
  }
  return count;
}

function aggregatedApiOf(flags: OperatorFlags): BindAddress & { readonly service: string } {
  const service = nameOf('--aggregated-api-service', flags.aggregatedApiService) ?? '';
  return { ...addressOf('--aggregated-api-bind-address', flags.aggregatedApiBindAddress), service };
}

/** `HOST:PORT`, `:PORT` for every address, `[::1]:PORT`. */
function addressOf(flag: string, text: string): BindAddress {
  const [, bracketed, plain = '', port = ''] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:\s]*)):(\d{1,5})$/.exec(text) ?? [];
  if (port === '' || Number(port) > 65_535) {
    refuse(
      `${flag} "${text}" is no address`,
      'write HOST:PORT, for example 127.0.0.1:8080, or :8080 for every address',
    );
  }
  const host = bracketed ?? plain;
  return { host: host === '' ? '0.0.0.0' : host, port: Number(port) };
}

export function nameOf(flag: string, text: string | undefined): string | undefined {
  return matching(flag, text, NAME, 'small letters, digits, - and .');
}

function matching(flag: string, text: string | undefined, pattern: RegExp, what: string): string | undefined {
  if (text === undefined || pattern.test(text)) return text;
  return refuse(`${flag} "${text}" is no name`, `use ${what}`);
}

export function wholeNumber(flag: string, text: string, most: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 1 && value <= most) return value;
  return refuse(`${flag} is no whole number from 1 to ${most}: ${text}`, `write digits alone, for example ${flag} 4`);
}

function logLevelOf(text: string): LogLevel {
  const level = LOG_LEVELS.find((one) => one === text);
  return level ?? refuse(`--log-level "${text}" is none`, `use ${LOG_LEVELS.join(', ')}`);
}
