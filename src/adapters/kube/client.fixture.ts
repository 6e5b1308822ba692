import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../ports/clock.ts';
import { certificates } from '../../testing/http-server/certificates.ts';
import { type HttpServerOptions, startHttpServer, type TestHttpServer } from '../../testing/http-server/http-server.ts';
import type { ClusterConfig } from './kubeconfig/cluster-config.ts';
import { fixedSource } from './kubeconfig/credential-sources.ts';

/** What messages call the cluster of the tests. */
export const WHERE = 'context "prod", cluster "east"';

export function configFor(url: string, more: Partial<ClusterConfig> = {}): ClusterConfig {
  return {
    description: WHERE,
    server: new URL(url),
    namespace: 'default',
    authority: certificates.authority,
    serverName: undefined,
    insecure: false,
    proxy: undefined,
    impersonation: {},
    credentials: fixedSource({ token: 'abc', certificate: undefined }, () => undefined),
    ...more,
  };
}

/**
 * The time of the machine with short sleeps ended at once and noted, so that back-off costs no time; longer ones (deadlines)
 * wait until the test ends them.
 */
export class TestClock implements Clock {
  readonly rests: number[] = [];
  readonly deadlines = new Set<() => void>();
  /** ms from which a sleep is a deadline. */
  readonly longest: number;
  offset = 0;

  constructor(longest = 10_000) {
    this.longest = longest;
  }

  now(): number {
    return Date.now() + this.offset;
  }

  random(): number {
    return 1 - Number.EPSILON;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms < this.longest) {
      this.rests.push(Math.round(ms));
      await wait(0, undefined, signal ? { signal } : {});
      return;
    }
    await new Promise<void>((resolve, reject) => {
      this.deadlines.add(resolve);
      signal?.addEventListener('abort', () => {
        this.deadlines.delete(resolve);
        reject(signal.reason);
      });
    });
  }

  /** Ends all sleeps that are deadlines. */
  passDeadlines(): void {
    for (const resolve of [...this.deadlines]) resolve();
    this.deadlines.clear();
  }
}

/** A server that is closed when the test ends. */
export async function serve(options: HttpServerOptions): Promise<TestHttpServer> {
  const server = await startHttpServer(options);
  onTestFinished(() => server.close());
  return server;
}
