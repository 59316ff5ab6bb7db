import type pg from 'pg';
import request from 'supertest';
import { startApp, type TestApp } from '../../support/app.ts';
import { fakeClock } from '../../support/clock.ts';
import { WatchedBank } from '../../support/watched-bank.ts';

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
    | 'clocked',
    string
  >
>;

/** An app with a history of everything that can become of money, made through its API. */
export async function healthyBooks(): Promise<{ app: TestApp; healthy: Healthy }> {
  const clock = fakeClock();
  const bank = new WatchedBank(clock);
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
  const { processor } = await get(`charges/${disputed}`);
  const money = { amount: 10_000, currency: 'eur', reason: 'fraudulent' };
  const ofCase = (noticeId: string, kind: string, data: object) => ({
    ...{ noticeId, kind, processorReference: processor.reference, occurredAt: clock.now() },
    data: { disputeReference: 'case_1', ...data },
  });
  const notices = [
    ofCase('n_1', 'dispute.opened', money),
    ofCase('n_2', 'dispute.closed', { outcome: 'won' }),
  ];
  const lines = Buffer.from(notices.map((each) => `${JSON.stringify(each)}\n`).join(''));
  await app.paymount.ingest(
    'test',
    (async function* () {
      yield lines;
    })(),
  );
  await pass(DAY / 2);
  const { dispute } = await get(`charges/${disputed}`);
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
  const [canceled, voided] = [await held(), await held()];
  await charging(14, () => post(`charges/${canceled}/cancel`));
  await charging(15, () => post('refunds', { charge: voided }));
  const declined = await sale({ source: 'tok_visa_chargeDeclined' });
  const waiting = await refundOf(await sale({ source: 'tok_pendingRefund' }), 4_000);
  const keyed = { amount: 700, currency: 'eur', source: 'tok_visa' };
  const fresh = await post('charges', keyed, 'k-fresh');
  const open = await sale({ source: 'tok_unknown_forever' });
  const test_clock = await post('test_helpers/test_clocks', {
    frozen_time: '2020-01-01T00:00:00Z',
  });
  const customer = await post('customers', {
    test_clock,
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  });
  const clocked = await post('charges', { amount: 10_000, currency: 'eur', customer });
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
      clocked,
    },
  };
}

const TABLES = [
  ...[
    'disputes',
    'bank_accounts',
    'payouts',
    'charges',
    'refunds',
    'operations',
    'events',
    'idempotency_keys',
  ],
  ...['webhook_endpoints', 'deliveries'],
  ...[
    'ledger_account',
    'ledger_transaction',
    'ledger_entry',
    'ledger_tail',
    'balance_transactions',
  ],
];

/** Lets errors be planted past triggers, and keeps a copy of every row. */
export async function keepCopies(sql: pg.Client): Promise<void> {
  await sql.query('SET session_replication_role = replica');
  await sql.query(`ALTER TABLE paymount.ledger_account DROP CONSTRAINT ledger_account_limited`);
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
