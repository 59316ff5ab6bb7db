import { randomBytes } from 'node:crypto';
import {
  BillingScheduler,
  type DueInvoice,
  type DueSubscription,
  type DueWork,
} from '@paymount/core/billing';
import type { Admin, Authenticator, Paymount, PaymountOptions, TransactionPort } from 'paymount';
import { startWorker, type Worker } from 'paymount/worker';
import pg from 'pg';
import { partsOf } from '../../../packages/paymount/src/paymount.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { type FakeClock, fakeClock } from '../../support/clock.ts';
import { query } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { startHost, type TestHost, type TestHostOptions } from '../../support/host.ts';
import { type ApiAnswer, type ApiClient, apiClient } from '../api-client.ts';
import { Bank } from './bank.ts';

/** A notice as the bank sends it. */
export interface SentNotice {
  readonly noticeId: string;
  readonly occurredAt?: string;
  readonly kind: string;
  readonly processorReference?: string;
  readonly data: object;
}

/** One account of a setup, with a bank account of its own and a key. */
export interface Merchant {
  readonly account: string;
  /** The id of its bank account. */
  readonly bank: string;
  get(path: string): Promise<ApiAnswer>;
  /** Requests go to both hosts in turn. */
  post(path: string, body?: object, idempotencyKey?: string): Promise<ApiAnswer>;
  remove(path: string): Promise<ApiAnswer>;
  close(): Promise<void>;
}

/** Two hosts on one database, with one bank and one clock. */
export interface Setup {
  readonly bank: Bank;
  readonly clock: FakeClock;
  readonly databaseUrl: string;
  newMerchant(): Promise<Merchant>;
  /** Sends a request of an admin to the management API. */
  admin(path: string, body: object): Promise<ApiAnswer>;
  /**
   * A refund of the host, in a transaction whose end Paymount does not hear: it commits, and a worker
   * sends the refund later. @throws PaymountError as `refunds.create`
   */
  refundInTransaction(
    account: string,
    refund: { charge: string; amount: number },
  ): Promise<{ readonly id: string }>;
  /** Sends notices as the bank does. */
  notify(notices: readonly SentNotice[]): Promise<ApiAnswer>;
  /** Waits until every notice that was sent has been tried. */
  noticesTried(): Promise<void>;
  /** Ends the worker, until time passes. */
  rest(): Promise<void>;
  /** Moves the clock on, and lets the worker do what is due then. */
  pass(ms: number): Promise<void>;
  /**
   * One pass of billing by a worker of its own, on both hosts in turn.
   * @param account what is due of others stays; absent: of all
   * @returns whether anything was due
   */
  bill(account?: string): Promise<boolean>;
  /** What `paymount verify` finds, as sentences. */
  verify(): Promise<readonly string[]>;
  /** How often the database had to end a deadlock. */
  deadlocks(): Promise<number>;
  close(): Promise<void>;
}

const NOTICES = '/notices';
const MANAGEMENT = '/admin';
const ADMIN: Omit<Admin, 'authTime'> = {
  id: 'ada@shop.test',
  displayName: 'Ada',
  roles: ['admin'],
  via: 'session',
  accounts: 'all',
  environments: ['live', 'test'],
};
const authenticate: Authenticator = async (_, authTime) => ({ ...ADMIN, authTime });

/** Opens a setup. The clock stands still until it is moved on. @param more further options of the host */
export async function openSetup(
  start = new Date().toISOString(),
  more: Partial<PaymountOptions> = {},
): Promise<Setup> {
  const clock = fakeClock(start);
  const bank = new Bank(clock);
  const options: TestHostOptions = {
    paymount: { clock, processors: { test: bank }, ...more },
    mount(app, paymount) {
      app.use(NOTICES, paymount.noticeRouter({ environment: 'test', requireTls: false }));
      app.use(MANAGEMENT, paymount.managementRouter({ authenticate }));
      app.use(paymount.router({ environment: 'test' }));
    },
  };
  const app = await startApp(options);
  const hosts = [app, await startHost(app, options)] as const;
  const sender = apiClient('');
  const pool = new pg.Pool({ connectionString: app.databaseUrl, max: 1 });
  const { databaseUrl } = app;
  let passes = 0;
  let worker: Worker | undefined = app.worker;
  return {
    bank,
    clock,
    databaseUrl,
    newMerchant: () => patiently(() => newMerchant(app, hosts)),
    refundInTransaction: (account, refund) =>
      inTransaction(pool, (transaction) => {
        const acting = { account, environment: 'test' } as const;
        return app.paymount.using(transaction).refunds.create(acting, refund);
      }),
    admin: (path, body) => sender.post(`${hosts[0].url}${MANAGEMENT}/${path}`, body),
    notify: (notices) => sender.post(hosts[0].url + NOTICES, notices),
    async noticesTried() {
      const open = `SELECT FROM paymount.notices WHERE state = 'received'`;
      await eventually(
        () => query(databaseUrl, open),
        (rows) => rows.length === 0,
      );
    },
    async rest() {
      await worker?.close();
      worker = undefined;
    },
    async pass(ms) {
      clock.advance(ms);
      worker ??= await startWorker(app.paymount);
      await worker.drain();
    },
    async bill(account) {
      passes += 1;
      return billOnce(hosts[passes % 2 === 0 ? 0 : 1].paymount, account);
    },
    async verify() {
      const differences = await app.paymount.verify();
      return differences.map(
        ({ rule, subject, expected, found }) =>
          `${rule} ${subject}: expected ${expected}, found ${found}`,
      );
    },
    async deadlocks() {
      const [row] = await query<{ deadlocks: number }>(
        databaseUrl,
        'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
      );
      return row?.deadlocks ?? 0;
    },
    async close() {
      await sender.close();
      await worker?.close();
      await pool.end();
      await hosts[1].close();
      await app.close();
    },
  };
}

async function billOnce(paymount: Paymount, account: string | undefined): Promise<boolean> {
  const parts = partsOf(paymount);
  const { subscriptions, invoices } = parts.billingWorks;
  const done = [
    await new BillingScheduler(within(subscriptions, account), parts).pass(() => false),
    await new BillingScheduler(within(invoices, account), parts).pass(() => false),
  ];
  return done.some((afterMs) => afterMs !== undefined);
}

function within<Of extends DueSubscription | DueInvoice>(
  work: DueWork<Of>,
  account: string | undefined,
): DueWork<Of> {
  if (account === undefined) return work;
  return {
    ...work,
    findDue: async (asked) =>
      (await work.findDue(asked)).filter(({ accountId }) => accountId === account),
  };
}

async function inTransaction<Result>(
  pool: pg.Pool,
  work: (transaction: TransactionPort) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work({
      query: (text, values) => client.query(text, [...values]),
      onEnd: null,
    });
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

/** On a busy machine the database may be too slow to prepare an account, which is no finding. */
async function patiently<Result>(make: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await make();
    } catch (error) {
      if (tries === 5) throw error;
    }
  }
}

async function newMerchant(
  { paymount }: TestApp,
  hosts: readonly [TestHost, TestHost],
): Promise<Merchant> {
  const made = { name: 'Deep shop', country: 'DE', default_currency: 'eur' };
  const { id: account } = await paymount.accounts.create(made);
  const key = { account, livemode: false, type: 'secret', name: 'deep' } as const;
  const client: ApiClient = apiClient((await paymount.keys.create(key)).secret);
  let asked = 0;
  const url = (path: string): string => {
    asked += 1;
    return `${hosts[asked % 2 === 0 ? 0 : 1].url}/v1/${path}`;
  };
  const merchant: Omit<Merchant, 'bank'> = {
    account,
    get: (path) => client.get(url(path)),
    post: (path, body = {}, key) => client.post(url(path), body, key),
    remove: (path) => client.delete(url(path)),
    close: () => client.close(),
  };
  const external_account = {
    object: 'bank_account',
    country: 'DE',
    currency: 'eur',
    account_number: 'DE89370400440532013000',
  };
  const banked = await merchant.post(`accounts/${account}/external_accounts`, { external_account });
  if (banked.status !== 200) throw new Error(`There is no bank account: ${banked.text}`);
  return { ...merchant, bank: String(banked.json['id']) };
}

/** A notice with an id of its own, that happens now. */
export function newNotice(
  { clock }: Pick<Setup, 'clock'>,
  facts: Omit<SentNotice, 'noticeId'>,
): SentNotice & { readonly occurredAt: string } {
  const noticeId = `notice_${randomBytes(8).toString('hex')}`;
  return { noticeId, occurredAt: clock.now().toISOString(), ...facts };
}
