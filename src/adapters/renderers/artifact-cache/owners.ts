import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/** Owners that live in this process. */
const living = new Set<string>();

/** A name for one user of the cache, good in file names: machine, process, chance. It counts as alive until the process ends. */
export function newOwner(): string {
  const owner = `${thisHost()}~${process.pid}~${randomBytes(6).toString('hex')}`;
  living.add(owner);
  return owner;
}

/** ms after which the trace of another machine counts for nothing: no fetch or render takes as long. */
const FOREIGN_LIFE = 3_600_000;

/**
 * Whether the owner of a trace (`OWNER` or `OWNER~n`) may still be at work; `age` (ms) is that of the trace, all that tells of another machine. After a restart of a container
 * its new process often has the number of the old one, so the own number alone says nothing.
 */
export function mayLive(trace: string, age: number): boolean {
  const [host, pid, chance] = trace.split('~');
  if (host !== thisHost()) return age < FOREIGN_LIFE;
  if (Number(pid) === process.pid) return living.has([host, pid, chance].join('~'));
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    // EPERM: it lives and is somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function thisHost(): string {
  return hostname().replace(/[^\w.-]/g, '-');
}
