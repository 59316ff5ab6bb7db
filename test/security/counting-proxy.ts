import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a database that counts what is asked of it. */
export interface CountingProxy {
  /** The database by this way. */
  readonly url: string;
  /**
   * Bytes that were sent to the database so far, but for the connection that watches for changes
   * of access: when it is lost, on a busy machine, it dials again by itself.
   */
  readonly bytes: number;
  /** What was sent after the first so many of these bytes. */
  since(bytes: number): string;
  /** How often a text was sent to it so far: the name of a statement, say. */
  count(text: string): number;
  close(): Promise<void>;
}

/** Starts a proxy before a database; `close()` it in `after`. */
export async function countingProxy(databaseUrl: string): Promise<CountingProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let sent = '';
  let asked = '';
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
    let watches: boolean | undefined;
    client.on('data', (bytes: Buffer) => {
      const text = bytes.toString('latin1');
      watches ??= text.includes('paymount-watch');
      sent += text;
      if (!watches) asked += text;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    get bytes() {
      return asked.length;
    },
    since: (bytes) => JSON.stringify(asked.slice(bytes)),
    count: (text) => sent.split(text).length - 1,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
