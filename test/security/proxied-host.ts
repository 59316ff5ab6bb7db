import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createPaymount, type Paymount, type PaymountOptions } from 'paymount';
import { freshDatabase } from '../support/database.ts';
import { makeSealingKeys } from '../support/make.ts';
import { keptLog } from '../unit/auth/memory-credentials.ts';
import { type CountingProxy, countingProxy } from './counting-proxy.ts';

/** A host without a worker: whatever reaches its database, a request sent there. */
export interface ProxiedHost {
  readonly paymount: Paymount;
  /** Of the test environment. */
  readonly url: string;
  readonly proxy: CountingProxy;
  /** Past the proxy. */
  readonly databaseUrl: string;
  /** Ends the service alone; twice is harmless. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** Starts it; `close()` it in `after`. */
export async function startProxiedHost(options: Partial<PaymountOptions>): Promise<ProxiedHost> {
  const database = await freshDatabase();
  const proxy = await countingProxy(database.url);
  const paymount = await createPaymount({
    database: proxy.url,
    sealingKeys: makeSealingKeys(),
    logger: keptLog(),
    ...options,
  });
  const server = express()
    .use(paymount.router({ environment: 'test' }))
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    paymount,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    proxy,
    databaseUrl: database.url,
    stop: () => paymount.close(),
    async close() {
      server.close();
      server.closeAllConnections();
      await paymount.close();
      await proxy.close();
      await database.drop();
    },
  };
}
