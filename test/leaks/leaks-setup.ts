import type { Leak } from '@paymount/core/access';
import type { AccountId } from '@paymount/core/kernel';
import type { NewApiKey, PaymountOptions } from 'paymount';
import pg from 'pg';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { type SmtpInbox, startSmtpInbox } from '../support/smtp-inbox.ts';
import { type WrittenLog, writtenLog } from '../support/written-log.ts';

const EVERYTHING = { accounts: 'all', environments: ['live', 'test'] } as const;

/** A host with an SMTP server, and a look at what it keeps of leaks. */
export interface LeaksSetup extends TestApp {
  readonly inbox: SmtpInbox;
  readonly log: WrittenLog;
  readonly clock: FakeClock;
  /** Makes a merchant. @param email where its notices go */
  newAccount(name: string, email?: string): Promise<AccountId>;
  newKey(account: string, key?: Partial<NewKey>): Promise<NewApiKey>;
  /** Every leak of the account, newest first. */
  listLeaks(account: AccountId): Promise<readonly Leak[]>;
  /** What the audit log says of the account: action and target, newest first. */
  readAudit(account: AccountId): Promise<readonly string[]>;
  /** Runs one query on the database. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

interface NewKey {
  readonly environment: 'live' | 'test';
  readonly type: 'secret' | 'publishable' | 'restricted';
  readonly name: string;
}

/** Starts it; `close()` it in `after`. @param options beside those of mail */
export async function startLeaksSetup(options: Partial<PaymountOptions> = {}): Promise<LeaksSetup> {
  const [inbox, log, clock] = [await startSmtpInbox(), writtenLog(), fakeClock()];
  const mail = { smtp: inbox.url, from: 'Payments <payments@shop.example>' };
  const app = await startApp({ paymount: { logger: log.logger, clock, mail, ...options } });
  const { paymount } = app;
  const { directory } = partsOf(paymount).stores;
  const database = new pg.Client({ connectionString: app.databaseUrl });
  await database.connect();
  return {
    ...app,
    inbox,
    log,
    clock,
    async newAccount(name, email) {
      const account = { name, country: 'DE', default_currency: 'eur', ...(email && { email }) };
      return (await paymount.accounts.create(account)).id as AccountId;
    },
    newKey(account, key = {}) {
      const { environment = 'test', type = 'secret', name = 'Server' } = key;
      const made = { account, livemode: environment === 'live', name };
      return paymount.keys.create(
        type === 'restricted' ? { ...made, type, scopes: ['charges:read'] } : { ...made, type },
      );
    },
    async listLeaks(account) {
      return (await directory.leaks.list(EVERYTHING, { account }, { limit: 100 })).data;
    },
    async readAudit(account) {
      const page = await directory.audit.list(EVERYTHING, { account }, { limit: 100 });
      return page.data.map(({ action, target }) => `${action} ${target}`);
    },
    async sql(text, values) {
      return (await database.query<Record<string, unknown>>(text, values)).rows;
    },
    async close() {
      await database.end();
      await app.close();
      await inbox.close();
    },
  };
}
