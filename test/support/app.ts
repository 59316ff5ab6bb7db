import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AccountId, PaymountError } from '@paymount/core/kernel';
import express, { type Express } from 'express';
import { createPaymount, type Environment, type Paymount, type PaymountOptions } from 'paymount';
import { startWorker, type Worker } from 'paymount/worker';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import { freshDatabase } from './database.ts';
import { makeSealingKeys } from './make.ts';

/** A host with Paymount mounted at the root, on a real port, with a database of its own. */
export interface TestApp {
  readonly paymount: Paymount;
  readonly app: Express;
  /** `http://127.0.0.1:<port>`; the mount is at its root. */
  readonly url: string;
  readonly port: number;
  readonly databaseUrl: string;
  readonly account: AccountId;
  /** Made at run time; nothing in the repository looks like a key. */
  readonly secretKey: string;
  readonly publishableKey: string;
  /** Present when it was asked for. */
  readonly worker: Worker;
  close(): Promise<void>;
}

export interface TestAppOptions {
  /** @defaultValue test */
  readonly environment?: Environment;
  /** Options of `createPaymount` beside the database. */
  readonly paymount?: Partial<PaymountOptions>;
  /** Puts the mount into the host's app. @defaultValue at the root, with no parsers */
  readonly mount?: (app: Express, paymount: Paymount) => void;
}

const LOOPBACK = '127.0.0.0/8';
/** Each takes 250 ms at most. */
const MAX_WARM_UPS = 40;

/** Starts a host; `close()` it in `after`. */
export async function startApp(options: TestAppOptions = {}): Promise<TestApp> {
  const environment = options.environment ?? 'test';
  const database = await freshDatabase();
  const paymount = await createPaymount({
    database: database.url,
    sealingKeys: makeSealingKeys(),
    egress: { allowedNetworks: [LOOPBACK], ports: 'any' },
    logger: SILENT,
    // Tests ask as fast as they can, some of them on a clock that stands still.
    rateLimit: false,
    // Live refuses to go without, unless that is said.
    ...(options.paymount?.mail?.smtp === undefined ? { mailer: false } : {}),
    ...options.paymount,
  });
  const app = express();
  if (options.mount === undefined) app.use(paymount.router({ environment }));
  else options.mount(app, paymount);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const worker = await startWorker(paymount);
  const account = await paymount.accounts.create({
    name: 'Test shop',
    country: 'DE',
    default_currency: 'eur',
  });
  const keyOf = async (type: 'secret' | 'publishable'): Promise<string> => {
    const name = `test ${type}`;
    const made = { account: account.id, livemode: environment === 'live', type, name } as const;
    return (await paymount.keys.create(made)).secret;
  };
  const secretKey = await keyOf('secret');
  await warmUp(paymount, secretKey, environment);
  return {
    paymount,
    app,
    url: `http://127.0.0.1:${port}`,
    port,
    databaseUrl: database.url,
    account: account.id as AccountId,
    secretKey,
    publishableKey: await keyOf('publishable'),
    worker,
    async close() {
      await worker.close();
      await closeServer(server);
      await paymount.close();
      await database.drop();
    },
  };
}

/** Says nothing; tests that read log lines pass their own logger. */
const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** A look-up that has to dial first may take over 250 ms on a busy machine, and is answered 503. */
async function warmUp(paymount: Paymount, key: string, environment: Environment): Promise<void> {
  const { guard } = partsOf(paymount);
  const request = { rawHeaders: ['Authorization', `Bearer ${key}`], address: undefined };
  for (let tries = 1; ; tries += 1) {
    try {
      await guard.authenticate(request, environment);
      return;
    } catch (error) {
      const isCold = PaymountError.is(error) && error.code === 'unavailable';
      if (!isCold || tries === MAX_WARM_UPS) throw error;
    }
  }
}

async function closeServer(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}
