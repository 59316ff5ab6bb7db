import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Passes bytes of one direction on, changed, or keeps them. */
export type Filter = (bytes: Buffer) => Buffer;

export interface TcpProxyOptions {
  /** Made for each connection: what the server's bytes go through. */
  readonly inbound?: () => Filter;
}

/** A way to a server that a test can break. */
export interface TcpProxy {
  /** The server's address, by way of the proxy. */
  readonly url: string;
  /** How long it takes until a new connection reaches the server. */
  dialMs: number;
  /** How long bytes take, each way. */
  delayMs: number;
  /** Which connections that holds for, by the first bytes that the client sent. */
  isSlow: (greeting: string) => boolean;
  /** Told what clients sent, just after it was passed on; `reset` ends that connection. */
  onUpstream: (bytes: Buffer, reset: () => void) => void;
  /** Resets what is open, and refuses whoever comes. */
  cut(): void;
  /** What is open falls silent, and so does whoever comes: a broken network. */
  freeze(): void;
  /**
   * Lets bytes through again. What was frozen is reset.
   * @param options `keepFrozen`: it stays dead instead, as when a router forgot the connection
   */
  mend(options?: { readonly keepFrozen?: true }): void;
  /** How many connections were asked for so far. */
  dialed(): number;
  close(): Promise<void>;
}

/** @param target the URL of the server */
export async function openTcpProxy(
  target: string,
  options: TcpProxyOptions = {},
): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const wires = new Set<Wire>();
  let state: 'open' | 'cut' | 'frozen' = 'open';
  let dialed = 0;
  const server = createServer((client) => {
    dialed += 1;
    client.on('error', () => undefined);
    if (state === 'cut') return void client.destroy();
    const wire = new Wire(client, proxy, options);
    wires.add(wire);
    wire.onClose = () => wires.delete(wire);
    if (state === 'frozen') wire.frozen = true;
    // What the client sends meanwhile waits in its socket.
    else if (proxy.dialMs === 0) wire.connect(Number(port), hostname);
    else setTimeout(() => wire.connect(Number(port), hostname), proxy.dialMs);
  });
  const proxy: TcpProxy = {
    url: '',
    dialMs: 0,
    delayMs: 0,
    isSlow: () => true,
    onUpstream: () => undefined,
    cut() {
      state = 'cut';
      for (const wire of wires) wire.reset();
    },
    freeze() {
      state = 'frozen';
      for (const wire of wires) wire.frozen = true;
    },
    mend({ keepFrozen } = {}) {
      state = 'open';
      if (keepFrozen) return;
      for (const wire of wires) if (wire.frozen) wire.reset();
    },
    dialed: () => dialed,
    async close() {
      server.close();
      for (const wire of wires) wire.reset();
      await once(server, 'close');
    },
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  const url = new URL(target);
  url.host = `127.0.0.1:${address.port}`;
  return Object.assign(proxy, { url: url.href });
}

/** One connection through the proxy. */
class Wire {
  frozen = false;
  onClose: () => void = () => undefined;
  readonly #client: Socket;
  readonly #proxy: TcpProxy;
  readonly #inbound: Filter;
  #greeting: string | undefined;
  #server: Socket | undefined;

  constructor(client: Socket, proxy: TcpProxy, { inbound }: TcpProxyOptions) {
    this.#client = client;
    this.#proxy = proxy;
    this.#inbound = inbound?.() ?? ((bytes) => bytes);
    client.on('close', () => this.reset());
  }

  connect(port: number, host: string): void {
    if (this.frozen || this.#client.destroyed) return;
    const server = connect(port, host);
    this.#server = server;
    server.on('error', () => undefined);
    server.on('close', () => this.reset());
    const upstream = this.#passOn(server);
    const downstream = this.#passOn(this.#client);
    this.#client.on('data', (bytes: Buffer) => {
      if (this.frozen) return;
      this.#greeting ??= bytes.toString('latin1');
      upstream(bytes);
      this.#proxy.onUpstream(bytes, () => this.reset());
    });
    server.on('data', (bytes: Buffer) => {
      if (!this.frozen) downstream(this.#inbound(bytes));
    });
  }

  reset(): void {
    this.#client.destroy();
    this.#server?.destroy();
    this.onClose();
  }

  /** Writes in order, each piece when its delay is over. */
  #passOn(to: Socket): (bytes: Buffer) => void {
    const queue: { readonly dueMs: number; readonly bytes: Buffer }[] = [];
    const flush = (): void => {
      for (let first = queue[0]; first !== undefined; first = queue[0]) {
        const leftMs = first.dueMs - performance.now();
        if (leftMs > 0) return void setTimeout(flush, leftMs);
        queue.shift();
        if (!this.frozen && !to.destroyed) to.write(first.bytes);
      }
    };
    return (bytes) => {
      const { delayMs, isSlow } = this.#proxy;
      const isDelayed = delayMs > 0 && isSlow(this.#greeting ?? '');
      queue.push({ dueMs: performance.now() + (isDelayed ? delayMs : 0), bytes });
      if (queue.length === 1) flush();
    };
  }
}
