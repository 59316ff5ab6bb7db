import type { PaymountOptions } from 'paymount';
import { freshDatabase } from '../support/database.ts';
import { startHost, type TestHost } from '../support/host.ts';
import { makeSealingKeys } from '../support/make.ts';
import { type CountingProxy, countingProxy } from './counting-proxy.ts';

/** A host without a worker: whatever reaches its database, a request sent there. */
export interface ProxiedHost extends TestHost {
  readonly proxy: CountingProxy;
  /** Past the proxy. */
  readonly databaseUrl: string;
  /** Ends the service alone; twice is harmless. */
  stop(): Promise<void>;
}

/** Starts it; `close()` it in `after`. */
export async function startProxiedHost(options: Partial<PaymountOptions>): Promise<ProxiedHost> {
  const database = await freshDatabase();
  const proxy = await countingProxy(database.url);
  const data = { databaseUrl: proxy.url, sealingKeys: makeSealingKeys() };
  const host = await startHost(data, { paymount: { rateLimit: {}, ...options } });
  return {
    ...host,
    proxy,
    databaseUrl: database.url,
    stop: () => host.paymount.close(),
    async close() {
      await host.close();
      await proxy.close();
      await database.drop();
    },
  };
}
