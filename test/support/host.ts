import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import {
  createPaymount,
  type Environment,
  type Paymount,
  type PaymountOptions,
  type PaymountStorageOptions,
} from 'paymount';

/** One process of a host: Paymount mounted at the root of its app, on a real port, without a worker. */
export interface TestHost {
  readonly paymount: Paymount;
  readonly app: Express;
  /** `http://127.0.0.1:<port>`; the mount is at its root. */
  readonly url: string;
  readonly port: number;
  /** Cuts every connection and listens no more, as if the process had ended. */
  stopListening(): Promise<void>;
  /** Listens again at the same port; nothing if it listens. */
  listenAgain(): Promise<void>;
  close(): Promise<void>;
}

/** Where a host keeps its data, and what opens it. A `TestApp` is one: a second process beside it. */
export interface HostData {
  readonly databaseUrl: string;
  readonly sealingKeys?: NonNullable<PaymountOptions['sealingKeys']>;
}

export interface TestHostOptions {
  /** @defaultValue test */
  readonly environment?: Environment;
  /** Options of `createPaymount` beside the database and the sealing keys. */
  readonly paymount?: Partial<PaymountOptions>;
  /** Puts the mount into the host's app. @defaultValue at the root, with no parsers */
  readonly mount?: (app: Express, paymount: Paymount) => void;
}

/** The public URL of the pages of invoices; tests that open some mount them. */
export const PAGES_URL = 'https://pay.example.com/invoices';

const LOOPBACK = '127.0.0.0/8';

/** Says nothing; tests that read log lines pass their own logger. */
export const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** Starts a process on data that is there; `close()` it in `after`. */
export async function startHost(data: HostData, options: TestHostOptions = {}): Promise<TestHost> {
  const { databaseUrl, sealingKeys } = data;
  const paymount = await createPaymount({
    database: databaseUrl,
    ...(sealingKeys && { sealingKeys }),
    egress: { allowedNetworks: [LOOPBACK], ports: 'any' },
    logger: SILENT,
    // Tests ask as fast as they can, some of them on a clock that stands still.
    rateLimit: false,
    invoices: { urls: { live: PAGES_URL, test: PAGES_URL } },
    // Live refuses to go without, unless that is said.
    ...(options.paymount?.mail?.smtp === undefined ? { mailer: false } : {}),
    ...options.paymount,
  });
  const app = express();
  const mount = options.mount ?? mountRouter(options.environment ?? 'test');
  mount(app, paymount);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    paymount,
    app,
    url: `http://127.0.0.1:${port}`,
    port,
    stopListening: () => closeServer(server),
    async listenAgain() {
      if (server.listening) return;
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    async close() {
      await closeServer(server);
      await paymount.close();
    },
  };
}

/** The error with which `createPaymount` refuses these options; undefined when it starts with them. */
export async function startError(
  options: PaymountOptions | PaymountStorageOptions,
): Promise<Error | undefined> {
  try {
    const paymount = await createPaymount({ logger: SILENT, ...options });
    await paymount.close();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(`not an Error: ${String(error)}`);
  }
}

function mountRouter(environment: Environment): NonNullable<TestHostOptions['mount']> {
  return (app, paymount) => void app.use(paymount.router({ environment }));
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}
