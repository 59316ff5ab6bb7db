import { type AccountId, PaymountError } from '@paymount/core/kernel';
import type { Environment, Paymount, PaymountOptions } from 'paymount';
import { startWorker, type Worker } from 'paymount/worker';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import { freshDatabase } from './database.ts';
import { startHost, type TestHost, type TestHostOptions } from './host.ts';
import { makeSealingKeys } from './make.ts';

/** A host with a database of its own, a worker, and one merchant with his keys. */
export interface TestApp extends TestHost {
  readonly databaseUrl: string;
  /** Those it was given, else made at run time. */
  readonly sealingKeys: NonNullable<PaymountOptions['sealingKeys']>;
  readonly account: AccountId;
  /** For calls in process as that merchant. */
  readonly acting: { readonly account: AccountId; readonly environment: Environment };
  /** Made at run time; nothing in the repository looks like a key. */
  readonly secretKey: string;
  readonly publishableKey: string;
  readonly worker: Worker;
}

/** Each takes 250 ms at most. */
const MAX_WARM_UPS = 40;

/** Starts a host; `close()` it in `after`. `startHost(app)` starts a second process beside it. */
export async function startApp(options: TestHostOptions = {}): Promise<TestApp> {
  const environment = options.environment ?? 'test';
  const database = await freshDatabase();
  const databaseUrl = database.url;
  const sealingKeys = options.paymount?.sealingKeys ?? makeSealingKeys();
  const host = await startHost({ databaseUrl, sealingKeys }, options);
  const { paymount } = host;
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
    ...host,
    databaseUrl,
    sealingKeys,
    account: account.id as AccountId,
    acting: { account: account.id as AccountId, environment },
    secretKey,
    publishableKey: await keyOf('publishable'),
    worker,
    async close() {
      await worker.close();
      await host.close();
      await database.drop();
    },
  };
}

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
