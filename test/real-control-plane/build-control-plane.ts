import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MODULE = fileURLToPath(new URL('.', import.meta.url));
const CACHE = fileURLToPath(new URL('../../.cache/control-plane/', import.meta.url));
const SOURCES = ['go.mod', 'go.sum', 'main.go'];

/** What the components and kubectl say they are; without it they call themselves v0.0.0. */
const VERSION = { gitVersion: 'v1.36.3', gitMajor: '1', gitMinor: '36' };
const VERSION_PACKAGES = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];

// All of these are part of the key of Go's own build cache: another checkout that builds by them pays the link alone.
const LINKER_FLAGS = [
  '-s -w',
  ...VERSION_PACKAGES.flatMap((name) => Object.entries(VERSION).map(([key, value]) => `-X ${name}.${key}=${value}`)),
].join(' ');
const BUILD = ['build', '-trimpath', '-buildvcs=false', '-ldflags', LINKER_FLAGS];
const ENVIRONMENT = { CGO_ENABLED: '0' };

/** Go's own words about itself; undefined where there is no Go. */
function goVersion(): string | undefined {
  const { status, stdout } = spawnSync('go', ['env', 'GOVERSION', 'GOOS', 'GOARCH'], { encoding: 'utf8', cwd: MODULE });
  return status === 0 ? stdout : undefined;
}

/** Path that the executable of these sources has; undefined where there is no Go to build it by. */
export function controlPlanePath(): string | undefined {
  const version = goVersion();
  if (version === undefined) return undefined;
  const hash = createHash('sha256').update(JSON.stringify([version, BUILD, ENVIRONMENT]));
  for (const name of SOURCES) hash.update(readFileSync(join(MODULE, name)));
  return join(CACHE, hash.digest('hex').slice(0, 16), 'control-plane');
}

/**
 * The path of the executable, built first where it is missing: 11 to 15 minutes on two free cores with an empty cache of Go, half a
 * minute with a full one.
 *
 * @throws Error without Go, or when the build fails
 */
export function buildControlPlane(say: (line: string) => void): string {
  const path = controlPlanePath();
  if (path === undefined) throw new Error('no Go found; install Go 1.26 or newer to run the tests on a real server');
  if (existsSync(path)) {
    point(path);
    return path;
  }
  say('building etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl: up to 15 minutes, once');
  mkdirSync(dirname(path), { recursive: true });
  const part = `${path}.${process.pid}.part`;
  const { status } = spawnSync('go', [...BUILD, '-o', part, '.'], {
    cwd: MODULE,
    env: { ...process.env, ...ENVIRONMENT },
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`go build failed with ${status}; its own words are above`);
  renameSync(part, path);
  point(path);
  return path;
}

/** `convoy sandbox --real` takes what was built last: where it runs there may be neither Go nor these sources. */
function point(path: string): void {
  const link = join(CACHE, 'current');
  const part = `${link}.${process.pid}.part`;
  symlinkSync(basename(dirname(path)), part);
  renameSync(part, link);
}

// In a process of its own, because the tests must not stand still as long as a build takes.
if (import.meta.main) buildControlPlane(console.log);
