/** What a process holds. */
export interface Census {
  readonly sockets: number;
  readonly timers: number;
  /** Bytes, after garbage collection. */
  readonly heap: number;
}

/** Counts it. The process runs with --expose-gc. */
export function census(): Census {
  if (globalThis.gc === undefined) throw new Error('run this with --expose-gc');
  globalThis.gc();
  globalThis.gc();
  const resources = process.getActiveResourcesInfo();
  const counted = (pattern: RegExp): number => resources.filter((name) => pattern.test(name)).length;
  return {
    sockets: counted(/^TCPSocketWrap|^TLSWrap/),
    timers: counted(/^Timeout/),
    heap: process.memoryUsage().heapUsed,
  };
}
