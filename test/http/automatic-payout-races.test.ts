import { expect } from 'chai';
import { startWorker, type Worker } from 'paymount/worker';
import pg from 'pg';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { postJson } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startHost, type TestHost } from '../support/host.ts';
import { BANK } from '../support/paid-out.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
const MERCHANTS = 4;
const DAYS = 3;
const CURRENCIES = ['eur', 'usd'] as const;

describe('Workers of several processes', function () {
  this.timeout(120_000);
  let app: AdminApp;
  let clock: FakeClock;
  const others: { readonly host: TestHost; readonly worker: Worker }[] = [];

  before(async () => {
    clock = fakeClock('2026-11-21T12:00:00.000Z');
    app = await startAdminApp({ clock });
    for (let started = 0; started < 2; started += 1) {
      const host = await startHost(app, { paymount: { clock } });
      others.push({ host, worker: await startWorker(host.paymount) });
    }
  });
  after(async () => {
    for (const { host, worker } of others) {
      await worker.close();
      await host.close();
    }
    await app.close();
  });

  const drainAll = () =>
    Promise.all([app.worker, ...others.map(({ worker }) => worker)].map((each) => each.drain()));

  /** Merchants who are paid out each day, in each currency. */
  const newMerchants = (count: number) =>
    Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const account = await app.newAccount(`Shop ${index}`);
        const made = { account, livemode: false, type: 'secret', name: 'x' } as const;
        const { secret: key } = await app.paymount.keys.create(made);
        for (const currency of CURRENCIES) {
          const path = `${app.url}/v1/accounts/${account}/external_accounts`;
          const body = { external_account: { ...BANK, currency } };
          expect((await postJson(path, body, { key })).status).to.equal(200);
        }
        const schedule = { interval: 'daily', delay_days: 0 };
        await app.admin(`/accounts/${account}/payout_settings`, { body: { schedule } });
        return account;
      }),
    );

  const amountsOf = async (account: string | undefined): Promise<readonly string[]> =>
    (
      await query<{ amount: string }>(
        app.databaseUrl,
        `SELECT amount::text FROM paymount.payouts WHERE account_id = '${account}' ORDER BY id`,
      )
    ).map(({ amount }) => amount);

  it('make each due payout once, and send it once', async () => {
    const { paymount } = app;
    const merchants = await newMerchants(MERCHANTS);
    for (let day = 0; day < DAYS; day += 1) {
      for (const account of merchants) {
        for (const currency of CURRENCIES) {
          const sale = { amount: 1_000 + day, currency, payment_method: 'pm_card_visa' };
          await paymount.charges.create({ account, environment: 'test' }, sale);
        }
      }
      clock.advance(DAY);
      await drainAll();
    }
    // The funds of the last day, and the sending of all.
    for (let more = 0; more < 3; more += 1) {
      clock.advance(DAY);
      await drainAll();
    }
    for (const wait of [11 * SECOND, 3 * SECOND]) {
      clock.advance(wait);
      await drainAll();
    }
    const paid = await query<{ account_id: string; currency: string; amounts: string }>(
      app.databaseUrl,
      `SELECT account_id, currency, string_agg(amount || ' ' || status, ', ' ORDER BY id) AS amounts
       FROM paymount.payouts WHERE automatic GROUP BY account_id, currency`,
    );
    expect(paid.length).to.equal(MERCHANTS * CURRENCIES.length);
    expect([...new Set(paid.map(({ amounts }) => amounts))]).to.deep.equal([
      '1000 paid, 1001 paid, 1002 paid',
    ]);
    const sent = await query<{ times: string }>(
      app.databaseUrl,
      `SELECT count(*)::text AS times FROM paymount.sandbox_operations s
       JOIN paymount.operations o ON o.id = s.operation_id WHERE o.kind = 'payout'`,
    );
    expect(Number(sent[0]?.times)).to.equal(MERCHANTS * CURRENCIES.length * DAYS);
    expect(await paymount.verify()).to.deep.equal([]);
  });

  it('wait with a payout for funds that another process is making available', async () => {
    const merchants = await newMerchants(2);
    const [slow, other] = merchants;
    for (const account of merchants) {
      const sale = { amount: 500, currency: 'eur', payment_method: 'pm_card_visa' };
      await app.paymount.charges.create({ account, environment: 'test' }, sale);
    }
    // Funds become available two days after the sale.
    clock.advance(3 * DAY);
    const releasing = new pg.Client({ connectionString: app.databaseUrl });
    await releasing.connect();
    await releasing.query('BEGIN');
    await releasing.query(
      'SELECT FROM paymount.balance_transactions WHERE account_id = $1 FOR NO KEY UPDATE',
      [slow],
    );
    const drained = app.worker.drain();
    await eventually(async () => (await amountsOf(other)).length > 0);
    expect(await amountsOf(slow)).to.deep.equal([]);
    await releasing.query('COMMIT');
    await releasing.end();
    await drained;
    expect(await amountsOf(slow)).to.deep.equal(['500']);
  });

  it('pay others out in time while transactions have locked the bank accounts of some', async () => {
    const merchants = await newMerchants(5);
    for (const account of merchants) {
      const sale = { amount: 500, currency: 'eur', payment_method: 'pm_card_visa' };
      await app.paymount.charges.create({ account, environment: 'test' }, sale);
    }
    clock.advance(3 * DAY);
    const [free, ...locked] = merchants.toSorted().toReversed();
    const host = new pg.Client({ connectionString: app.databaseUrl });
    await host.connect();
    await host.query('BEGIN');
    const lock = 'SELECT FROM paymount.bank_accounts WHERE account_id = ANY ($1) FOR UPDATE';
    await host.query(lock, [locked]);
    const startedMs = performance.now();
    const drained = app.worker.drain();
    // The last in order. A change waits 3 s for a lock, so it would wait 12 s for the four others.
    await eventually(async () => (await amountsOf(free)).length > 0, Boolean, 20_000);
    expect(performance.now() - startedMs).to.be.below(6_000);
    await drained;
    expect(await amountsOf(locked[0])).to.deep.equal([]);
    await host.query('ROLLBACK');
    await host.end();
    await app.worker.drain();
    for (const account of locked) expect(await amountsOf(account)).to.deep.equal(['500']);
  });

  it('are refused a second payout for one due moment by the database', async () => {
    const [row] = await query<{ id: string }>(
      app.databaseUrl,
      `SELECT id FROM paymount.payouts WHERE automatic LIMIT 1`,
    );
    const copied = query(
      app.databaseUrl,
      `INSERT INTO paymount.payouts SELECT (jsonb_populate_record(p, '{"id": "po_copy"}')).*
       FROM paymount.payouts p WHERE id = '${row?.id}'`,
    );
    const error: unknown = await copied.then(
      () => undefined,
      (refused: unknown) => refused,
    );
    expect(String(error)).to.include('payouts_once_per_period');
  });
});
