import type { ReleaseSpec } from '../../../core/api/index.ts';

export interface FetchGateOptions {
  /** Fetches at once, from all servers. */
  readonly most: number;
  /** Fetches at once from one server: one that hangs must not hold up the others. */
  readonly perServer: number;
  /** A Release (`namespace/name`) that was turned away may come again. */
  readonly wake: (release: string) => void;
}

/** How many sources are fetched at once. Who finds no place waits in a queue and takes up no worker. */
export class FetchGate {
  readonly #options: FetchGateOptions;
  /** Fetches that run, by server. */
  readonly #running = new Map<string, number>();
  /** Those that were turned away, in their order, with the server that they want. */
  readonly #waiting = new Map<string, string>();
  #all = 0;

  constructor(options: FetchGateOptions) {
    this.#options = options;
  }

  /** What gives the place back; undefined: there is none, and the Release is woken when there is. */
  enter(release: string, server: string): (() => void) | undefined {
    if (!this.#hasPlace(server)) {
      if (!this.#waiting.has(release)) this.#waiting.set(release, server);
      return undefined;
    }
    this.#waiting.delete(release);
    this.#all += 1;
    this.#running.set(server, (this.#running.get(server) ?? 0) + 1);
    return () => this.#leave(server);
  }

  #hasPlace(server: string): boolean {
    const { most, perServer } = this.#options;
    return this.#all < most && (this.#running.get(server) ?? 0) < perServer;
  }

  #leave(server: string): void {
    this.#all -= 1;
    const left = (this.#running.get(server) ?? 1) - 1;
    if (left === 0) this.#running.delete(server);
    else this.#running.set(server, left);
    for (const [release, wanted] of this.#waiting) {
      if (!this.#hasPlace(wanted)) continue;
      this.#waiting.delete(release);
      this.#options.wake(release);
      return;
    }
  }
}

/** The server that a source is fetched from; undefined: it is in the cluster. */
export function serverOf(source: ReleaseSpec['source']): string | undefined {
  const url = source.git?.url ?? source.oci?.url ?? source.helm?.repo.url ?? source.helm?.repo.git?.url;
  if (url === undefined) return undefined;
  return /^[a-z0-9+.-]+:\/\/(?:[^@/]*@)?(?<server>[^/]+)/i.exec(url)?.groups?.['server']?.toLowerCase() ?? url;
}
