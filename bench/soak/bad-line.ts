import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A line to a server on loopback, which can break, go silent or be away. */
export class BadLine {
  readonly #target: number;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #server: Server;
  #port = 0;

  constructor(target: number) {
    this.#target = target;
    this.#server = this.#listener();
  }

  /** Port that leads to the server. */
  get port(): number {
    return this.#port;
  }

  get connections(): number {
    return this.#pairs.size;
  }

  async open(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port; // It listens on TCP.
  }

  /** Breaks a share (0–1) of the connections. */
  breakSome(random: () => number, share: number): void {
    for (const [one, other] of [...this.#pairs]) {
      if (random() >= share) continue;
      one.resetAndDestroy();
      other.destroy();
    }
  }

  /** Lets a share of the connections live and carry nothing from now on. */
  silenceSome(random: () => number, share: number): void {
    for (const [one, other] of this.#pairs) {
      if (random() >= share) continue;
      one.unpipe();
      other.unpipe();
      one.pause();
      other.pause();
    }
  }

  /** Breaks everything and takes nothing in until `open`. */
  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.breakSome(() => 0, 1);
    await closed;
    this.#server = this.#listener();
  }

  #listener(): Server {
    return createServer((near) => {
      const far = connect(this.#target, '127.0.0.1');
      const pair = [near, far] as const;
      this.#pairs.add(pair);
      const end = (): void => {
        this.#pairs.delete(pair);
        near.destroy();
        far.destroy();
      };
      for (const socket of pair) socket.on('error', end).on('close', end);
      near.pipe(far).pipe(near);
    });
  }
}
