import { newId, parseId } from '@paymount/core/kernel';
import type { ProcessorDisputes } from 'paymount/processor';
import type pg from 'pg';
import request from 'supertest';
import { partsOf } from '../../../packages/paymount/src/paymount.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { fakeClock } from '../../support/clock.ts';
import { WatchedBank } from '../../support/watched-bank.ts';
import { healthyCustomers } from './healthy-customers.ts';
import { healthyInvoices } from './healthy-invoices.ts';
import { healthySubscriptions } from './healthy-subscriptions.ts';

const DAY = 24 * 60 * 60 * 1_000;

/** Charges and refunds of every kind, by what became of them. */
export type Healthy = Readonly<
  Record<
    | 'sale'
    | 'withFee'
    | 'fresh'
    | 'manual'
    | 'held'
    | 'canceled'
    | 'voided'
    | 'expired'
    | 'declined'
    | 'open'
    | 'overdrawn'
    | 'early'
    | 'late'
    | 'failed'
    | 'waiting'
    | 'paidOut'
    | 'refusedPayout'
    | 'disputed'
    | 'dispute'
    | 'accepted'
    | 'clocked'
    | 'buyer'
    | 'bought'
    | 'stranger'
    | 'gone'
    | 'debit'
    | 'move'
    | 'renewing'
    | 'ended'
    | 'changed'
    | 'billed'
    | 'unpaid'
    | 'waitingItem',
    string
  >
>;

/** A bank that takes answers to disputes; it approves each. */
class AnsweredBank extends WatchedBank {
  readonly disputes: ProcessorDisputes = { submitEvidence: approve, accept: approve };
}

async function approve({
  operationId,
  amount,
  currency,
}: Parameters<ProcessorDisputes['accept']>[0]): ReturnType<ProcessorDisputes['accept']> {
  return { outcome: 'approved', processorReference: `answer_${operationId}`, amount, currency };
}

/** An app with a history of everything that can become of money, made through its API. */
export async function healthyData(): Promise<{ app: TestApp; healthy: Healthy }> {
  const clock = fakeClock();
  const bank = new AnsweredBank(clock);
  const fee = { amount: 30, details: [{ amount: 30, type: 'fee', description: 'Fee' }] };
  const app = await startApp({
    paymount: {
      clock,
      processors: { test: bank },
      fees: () => fee,
      disputeFees: () => fee,
      refundOverdraft: 1_000,
    },
  });
  const post = async (path: string, body: object = {}, key?: string): Promise<string> => {
    const asked = request(app.url).post(`/v1/${path}`).auth(app.secretKey, '').send(body);
    const { body: answer } = await (key === undefined ? asked : asked.set('Idempotency-Key', key));
    return answer.id ?? answer.error.charge;
  };
  const sale = (more: object = {}): Promise<string> =>
    post('charges', { amount: 10_000, currency: 'eur', source: 'tok_visa', ...more });
  const held = (): Promise<string> => sale({ capture: false });
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await app.worker.drain();
  };

  const charging = async <Made>(fee: number, make: () => Promise<Made>): Promise<Made> => {
    bank.fee = fee;
    const made = await make();
    bank.fee = 0;
    return made;
  };

  const old = {
    expired: await held(),
    manual: await charging(11, held),
    overdrawn: await sale({ currency: 'usd' }),
  };
  const subscriptions = await healthySubscriptions(app);
  await charging(12, () => post(`charges/${old.manual}/capture`, { amount: 9_000 }));
  const withFee = await charging(35, sale);
  const sold = await sale();
  const refundOf = (charge: string, amount: number): Promise<string> =>
    post('refunds', { charge, amount });
  const early = await refundOf(withFee, 1_000);
  await pass(9 * DAY);
  const late = await charging(13, () => refundOf(sold, 2_000));
  await refundOf(old.overdrawn, 10_000);
  const failed = await refundOf(await sale({ source: 'tok_refundRejected' }), 3_000);
  const disputed = await sale();
  const get = async (path: string) =>
    (await request(app.url).get(`/v1/${path}`).auth(app.secretKey, '')).body;
  const report = async (charge: string, disputeReference: string, ...about: object[]) => {
    const { processor } = await get(`charges/${charge}`);
    const at = { processorReference: processor.reference, occurredAt: clock.now() };
    await ingest(
      app,
      about.map((data, index) => ({
        noticeId: `${disputeReference} ${index}`,
        kind: index === 0 ? 'dispute.opened' : 'dispute.closed',
        ...at,
        data: { disputeReference, ...data },
      })),
    );
    await pass(DAY / 2);
    return (await get(`charges/${charge}`)).dispute;
  };
  const money = { amount: 10_000, currency: 'eur', reason: 'fraudulent' };
  const dispute = await report(disputed, 'case_1', money, { outcome: 'won' });
  const accepted = await report(await sale(), 'case_2', money);
  await post(`disputes/${accepted}/close`);
  const bankAccounts = `accounts/${app.account}/external_accounts`;
  await post(bankAccounts, { external_account: 'btok_us' });
  const refused = await post(bankAccounts, { external_account: 'btok_us_accountClosed' });
  const payout = { amount: 500, currency: 'eur' };
  const paidOut = await charging(16, async () => {
    const id = await post('payouts', payout);
    await pass(11_000);
    await pass(3_000);
    return id;
  });
  const refusedPayout = await post('payouts', { ...payout, destination: refused });
  await pass(11_000);
  await pass(3_000);
  await adjust(app);
  await payOutByItself(app, pass);
  const [canceled, voided] = [await held(), await held()];
  await charging(14, () => post(`charges/${canceled}/cancel`));
  await charging(15, () => post('refunds', { charge: voided }));
  const declined = await sale({ source: 'tok_visa_chargeDeclined' });
  const waiting = await refundOf(await sale({ source: 'tok_pendingRefund' }), 4_000);
  const keyed = { amount: 700, currency: 'eur', source: 'tok_visa' };
  const fresh = await post('charges', keyed, 'k-fresh');
  const open = await sale({ source: 'tok_unknown_forever' });
  await settleLine(app, (await get(`charges/${sold}`)).processor.reference, clock.now());
  await pass(0);
  const test_clock = await post('test_helpers/test_clocks', {
    frozen_time: '2020-01-01T00:00:00Z',
  });
  const customer = await post('customers', {
    test_clock,
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  });
  const clocked = await post('charges', { amount: 10_000, currency: 'eur', customer });
  const customers = await healthyCustomers(app);
  const invoices = await healthyInvoices(app);
  const charges = { ...old, withFee, sale: sold, canceled, voided, declined, fresh, open };
  return {
    app,
    healthy: {
      ...charges,
      held: await held(),
      early,
      late,
      failed,
      waiting,
      paidOut,
      refusedPayout,
      disputed,
      dispute,
      accepted,
      clocked,
      ...customers,
      ...subscriptions,
      ...invoices,
    },
  };
}

async function ingest(app: TestApp, notices: readonly object[]): Promise<void> {
  const lines = Buffer.from(notices.map((each) => `${JSON.stringify(each)}\n`).join(''));
  const file = async function* (): AsyncGenerator<Uint8Array> {
    yield lines;
  };
  await app.paymount.ingest('test', file());
}

/** An admin reserves funds, releases some of them, and writes off a part of the debt. */
async function adjust(app: TestApp): Promise<void> {
  const { adjustments } = partsOf(app.paymount).services;
  const { account: accountId, environment } = app.acting;
  const principal = {
    kind: 'admin',
    adminId: 'ada',
    scopes: 'all',
    accountId,
    environment,
  } as const;
  const actor = { type: 'admin', id: 'ada' } as const;
  const requestId = newId('req');
  const call = { principal, requestId, audit: { actor, via: 'api', requestId } } as const;
  for (const [kind, amount, currency] of [
    ['reserve', 300, 'eur'],
    ['release', 100, 'eur'],
    ['write_off', 10, 'usd'],
  ] as const) {
    await adjustments.create(call, { kind, amount, currency, reason: 'A test.' });
  }
}

/** Another merchant, whose daily schedule makes one payout of two charges. */
async function payOutByItself(
  { paymount, url }: TestApp,
  pass: (ms: number) => Promise<void>,
): Promise<void> {
  const shop = { name: 'Daily shop', country: 'DE', default_currency: 'eur' };
  const { id: account } = await paymount.accounts.create(shop);
  const named = { account, livemode: false, type: 'secret', name: 'daily' } as const;
  const { secret } = await paymount.keys.create(named);
  const send = async (path: string, body: object): Promise<void> => {
    await request(url).post(`/v1/${path}`).auth(secret, '').send(body).expect(200);
  };
  for (const amount of [1_000, 2_000]) {
    await send('charges', { amount, currency: 'eur', source: 'tok_visa' });
  }
  await send(`accounts/${account}/external_accounts`, { external_account: 'btok_us' });
  const { payoutSettings } = partsOf(paymount).services;
  const id = parseId('acct', account);
  if (id) await payoutSettings.update({}, id, { schedule: { interval: 'daily', delay_days: 0 } });
  await pass(3 * DAY);
  await pass(11_000);
  await pass(3_000);
}

/** The processor has paid a charge, less its fee. */
async function settleLine(app: TestApp, processorReference: string, at: Date): Promise<void> {
  const data = { lineId: 'line_1', amount: 10_000, fee: 20, currency: 'eur', kind: 'payment' };
  await ingest(app, [
    {
      noticeId: 'n_3',
      kind: 'settlement_line',
      processorReference,
      occurredAt: at,
      data: { ...data, settledOn: at.toISOString() },
    },
  ]);
}

const TABLES = [
  'audit_log',
  'customers',
  'customer_balance_transactions',
  'invoices',
  'invoice_items',
  'invoice_numbers',
  'payment_methods',
  'subscriptions',
  'billing_periods',
  'notices',
  'payout_runs',
  'settlement_lines',
  'disputes',
  'bank_accounts',
  'payouts',
  'charges',
  'refunds',
  'operations',
  'events',
  'idempotency_keys',
  'webhook_endpoints',
  'deliveries',
  'ledger_account',
  'ledger_transaction',
  'ledger_entry',
  'ledger_tail',
  'pending_bank_funds',
  'balance_transactions',
];

/** Lets errors be planted past triggers, and keeps a copy of every row. */
export async function keepCopies(sql: pg.Client): Promise<void> {
  await sql.query('SET session_replication_role = replica');
  await sql.query(`ALTER TABLE paymount.ledger_account DROP CONSTRAINT ledger_account_limited`);
  for (const name of ['invoices_total', 'invoices_balance']) {
    await sql.query(`ALTER TABLE paymount.invoices DROP CONSTRAINT ${name}`);
  }
  await sql.query('DROP INDEX paymount.invoices_of_periods');
  await sql.query('CREATE SCHEMA kept');
  for (const table of TABLES) {
    await sql.query(`CREATE TABLE kept.${table} AS SELECT * FROM paymount.${table}`);
  }
}

/** Brings every row back. */
export async function restoreCopies(sql: pg.Client): Promise<void> {
  const texts = TABLES.map(
    (table) => `DELETE FROM paymount.${table};
      INSERT INTO paymount.${table} OVERRIDING SYSTEM VALUE SELECT * FROM kept.${table}`,
  );
  await sql.query(texts.join(';'));
}
