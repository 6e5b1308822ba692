import { isAbsolute, join } from 'node:path';
import { asList, asMap, asString, isMap, type JsonMap } from '../../../core/object/fields.ts';
import { TransportError } from '../../../ports/errors.ts';
import type { Credential } from './credential.ts';
import { credentialsError, type KubeconfigEntry } from './parse-kubeconfig.ts';
import type { ProgramResult } from './run-program.ts';
import type { Surroundings } from './surroundings.ts';

/** What one exec plugin is asked, as the user entry of a kubeconfig says it. */
export interface ExecPlugin {
  /** What messages start with: context, cluster and user. */
  readonly subject: string;
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly installHint: string;
  readonly interactiveMode: InteractiveMode;
  /** The cluster to tell the plugin about, where it asks for it. */
  readonly cluster: JsonMap | undefined;
}

/**
 * - `Never` the plugin gets no terminal
 * - `IfAvailable` it gets one when there is one
 * - `Always` it cannot work without one
 */
type InteractiveMode = 'Never' | 'IfAvailable' | 'Always';

export interface ExecAnswer {
  readonly credential: Credential;
  /** ms since 1970; undefined: good until it is refused. */
  readonly expires: number | undefined;
}

const V1 = 'client.authentication.k8s.io/v1';
const V1_BETA_1 = 'client.authentication.k8s.io/v1beta1';

/** ms for a plugin that asks nobody, and for one that may wait for a person at a browser. */
const TIMEOUT = 60_000;
const INTERACTIVE_TIMEOUT = 300_000;

function readMode(value: unknown, apiVersion: string, subject: string): InteractiveMode {
  if (value === 'Never' || value === 'IfAvailable' || value === 'Always') return value;
  // v1beta1 has a default, v1 has none (KEP-541).
  if ((value === undefined || value === '') && apiVersion === V1_BETA_1) return 'IfAvailable';
  throw credentialsError(`${subject}: exec has no interactiveMode; write Never, IfAvailable or Always`);
}

/** Reads the `exec` field of a user. @throws TransportError (`credentials`) */
export function readExecPlugin(exec: unknown, user: KubeconfigEntry, subject: string, cluster: JsonMap): ExecPlugin {
  const spec = asMap(exec);
  const command = asString(spec['command']);
  if (command === '') throw credentialsError(`${subject}: exec names no command; mend ${user.where}`);
  const apiVersion = asString(spec['apiVersion']);
  if (apiVersion !== V1 && apiVersion !== V1_BETA_1) {
    const shown = apiVersion === '' ? 'no apiVersion' : `apiVersion "${apiVersion}"`;
    throw credentialsError(`${subject}: exec has ${shown}; write ${V1} and a version of ${command} that speaks it`);
  }
  const environment: Record<string, string> = {};
  for (const item of asList(spec['env'])) environment[asString(asMap(item)['name'])] = asString(asMap(item)['value']);
  const relative = command.includes('/') && !isAbsolute(command);
  return {
    subject,
    apiVersion,
    command: relative ? join(user.folder, command) : command,
    args: asList(spec['args']).map(asString),
    environment,
    installHint: asString(spec['installHint']).replace(/\s+/g, ' ').trim(),
    interactiveMode: readMode(spec['interactiveMode'], apiVersion, subject),
    cluster: spec['provideClusterInfo'] === true ? cluster : undefined,
  };
}

function lastLine(text: string): string {
  const line = text.trim().split('\n').at(-1) ?? '';
  return line
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, 200);
}

function certificateOf(status: JsonMap, name: string): { certificate: string; key: string } | undefined {
  const certificate = asString(status['clientCertificateData']);
  const key = asString(status['clientKeyData']);
  if (certificate === '' && key === '') return undefined;
  if (certificate === '' || key === '') {
    throw credentialsError(`${name} gave only one of clientCertificateData and clientKeyData; update it`);
  }
  return { certificate, key };
}

/** What the plugin printed. Its output is never quoted: it holds the token. */
function readAnswer(plugin: ExecPlugin, output: string): ExecAnswer {
  const name = `${plugin.subject}: exec plugin ${plugin.command}`;
  let printed: unknown;
  try {
    printed = JSON.parse(output);
  } catch {
    const what = output.trim() === '' ? 'printed nothing' : 'printed no JSON';
    throw credentialsError(`${name} ${what} where an ExecCredential should be; run it by hand to see why`);
  }
  if (!isMap(printed) || printed['kind'] !== 'ExecCredential') {
    throw credentialsError(`${name} printed JSON that is no ExecCredential; run it by hand to see why`);
  }
  if (printed['apiVersion'] !== plugin.apiVersion) {
    const answered = JSON.stringify(printed['apiVersion'] ?? '').slice(0, 80);
    throw credentialsError(`${name} answered in ${answered}, not ${plugin.apiVersion}; make the two agree`);
  }
  const status = asMap(printed['status']);
  const token = asString(status['token']).trim();
  const certificate = certificateOf(status, name);
  if (token === '' && certificate === undefined) {
    throw credentialsError(`${name} gave neither a token nor a certificate; log in again with it`);
  }
  const expiry = asString(status['expirationTimestamp']);
  const expires = expiry === '' ? undefined : Date.parse(expiry);
  if (Number.isNaN(expires)) throw credentialsError(`${name} gave an expirationTimestamp that is no time; update it`);
  return { credential: { token: token === '' ? undefined : token, certificate }, expires };
}

/** Runs the plugin once. @throws TransportError (`credentials`); nothing the plugin printed to its output is in it */
export async function runExecPlugin(plugin: ExecPlugin, around: Surroundings): Promise<ExecAnswer> {
  const name = `${plugin.subject}: exec plugin ${plugin.command}`;
  const terminal = plugin.interactiveMode !== 'Never' && around.interactive;
  if (plugin.interactiveMode === 'Always' && !terminal) {
    throw credentialsError(`${name} needs a terminal and there is none; run this in one, or log in with it first`);
  }
  const result = await untilTimeout(plugin, around, terminal, name);
  if (result.exitCode !== 0) {
    const how = result.exitCode === undefined ? 'was killed' : `failed with exit code ${result.exitCode}`;
    const said = lastLine(result.complaint);
    throw credentialsError(`${name} ${how}${said === '' ? '' : ` (${said})`}; log in again with it`);
  }
  return readAnswer(plugin, result.output);
}

async function untilTimeout(
  plugin: ExecPlugin,
  around: Surroundings,
  terminal: boolean,
  name: string,
): Promise<ProgramResult> {
  const info = {
    apiVersion: plugin.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: terminal, ...(plugin.cluster ? { cluster: plugin.cluster } : {}) },
  };
  const timeout = terminal ? INTERACTIVE_TIMEOUT : TIMEOUT;
  const kill = new AbortController();
  const done = new AbortController();
  const late = around.clock.sleep(timeout, done.signal).then(
    () => kill.abort(credentialsError(`${name} did not end within ${timeout / 1000} s; run it by hand to see why`)),
    () => undefined,
  );
  try {
    return await around.runProgram({
      command: plugin.command,
      args: plugin.args,
      environment: { ...around.environment, ...plugin.environment, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
      terminal,
      signal: kill.signal,
    });
  } catch (error) {
    throw runFailure(error, plugin, name);
  } finally {
    done.abort();
    await late;
  }
}

function runFailure(error: unknown, plugin: ExecPlugin, name: string): Error {
  if (error instanceof TransportError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT') {
    const hint = plugin.installHint === '' ? 'install it or put it on the PATH' : plugin.installHint.slice(0, 300);
    return credentialsError(`${name} is not installed; ${hint}`);
  }
  if (code === 'EACCES') return credentialsError(`${name} may not be run; make it executable`);
  const reason = error instanceof Error ? error.message : 'unknown error';
  return credentialsError(`${name} could not be run (${reason}); run it by hand to see why`, { cause: error });
}
