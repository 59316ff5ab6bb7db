import { mock } from 'node:test';
import { DispatchHub } from '@paymount/core/events';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import pg from 'pg';
import { RULES } from '../../packages/storage-postgres/src/verification/verify-data.ts';
import type { TestApp } from '../support/app.ts';
import { ofToday } from '../support/depth.ts';
import { eventually } from '../support/eventually.ts';
import { CLOCK_ERRORS } from './planted/clock-errors.ts';
import { CUSTOMER_ERRORS } from './planted/customer-errors.ts';
import { DISPUTE_ERRORS } from './planted/dispute-errors.ts';
import { DISPUTE_EVENT_ERRORS } from './planted/dispute-event-errors.ts';
import { type Healthy, healthyData, keepCopies, restoreCopies } from './planted/healthy-data.ts';
import { INVOICE_ERRORS } from './planted/invoice-errors.ts';
import { LEDGER_ERRORS } from './planted/ledger-errors.ts';
import { PAYOUT_ERRORS } from './planted/payout-errors.ts';
import { SETTLEMENT_ERRORS } from './planted/settlement-errors.ts';
import { STATE_ERRORS } from './planted/state-errors.ts';
import { SUBSCRIPTION_ERRORS } from './planted/subscription-errors.ts';

const ERRORS = [
  ...LEDGER_ERRORS,
  ...STATE_ERRORS,
  ...PAYOUT_ERRORS,
  ...DISPUTE_ERRORS,
  ...DISPUTE_EVENT_ERRORS,
  ...CUSTOMER_ERRORS,
  ...INVOICE_ERRORS,
  ...SETTLEMENT_ERRORS,
  ...CLOCK_ERRORS,
  ...SUBSCRIPTION_ERRORS,
];

describe('verify', () => {
  let app: TestApp;
  let healthy: Healthy;
  let sql: pg.Client;
  let postgres: PostgresStorage;

  before(async () => {
    ({ app, healthy } = await healthyData());
    // It would go on with operations whose rows are changed here.
    await app.worker.close();
    postgres = createPostgresStorage({ connection: app.databaseUrl, dispatch: new DispatchHub() });
    sql = new pg.Client({ connectionString: app.databaseUrl });
    await sql.connect();
    await keepCopies(sql);
  });
  after(async () => {
    await sql.end();
    await postgres.close();
    await app.close();
  });

  it('finds nothing in healthy data, with everything in them that can become of money', async () => {
    expect(await app.paymount.verify()).to.deep.equal([]);
    const { rows } = await sql.query(`SELECT status, count(*)::integer AS count
      FROM paymount.charges GROUP BY status ORDER BY status COLLATE "C"`);
    expect(rows.map(({ status, count }) => `${status} ${count}`)).to.deep.equal([
      'authorized 1',
      'canceled 2',
      'failed 2',
      'pending 2',
      'succeeded 14',
    ]);
    const debts = await sql.query(
      `SELECT debt::integer FROM paymount.ledger_account WHERE currency = 'usd' AND code = 'available'`,
    );
    expect(debts.rows).to.deep.equal([{ debt: 20 }]);
  });

  it('waits for a locked table for minutes, as it may for any of its statements', async () => {
    // The server does not tell the statement yet: it waits while it parses it.
    const waiting = `SELECT FROM pg_stat_activity
      WHERE application_name = 'verify' AND wait_event_type = 'Lock'`;
    const connection = new URL(app.databaseUrl);
    connection.searchParams.set('application_name', 'verify');
    // Of its own, because a pool that has seen both kinds of timers may end a connection in use.
    const patient = createPostgresStorage({
      connection: connection.href,
      dispatch: new DispatchHub(),
    });
    // It connects before the timers are replaced: the time limits of connecting are not tested here.
    await patient.verify();
    await sql.query('BEGIN; LOCK TABLE paymount.charges IN ACCESS EXCLUSIVE MODE');
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const verified = Promise.allSettled([patient.verify()]);
      await eventually(async () => ((await sql.query(waiting)).rowCount ?? 0) > 0);
      mock.timers.tick(25 * 60_000);
      await sql.query('COMMIT');
      expect(await verified).to.deep.equal([{ status: 'fulfilled', value: [] }]);
    } finally {
      mock.timers.reset();
      await sql.query('ROLLBACK');
      await patient.close();
    }
  });

  for (const { error, plant, breaks } of ofToday(ERRORS)) {
    it(`finds ${error}`, async () => {
      const { rowCount } = await sql.query(plant(healthy));
      expect(rowCount, 'rows that were planted').to.be.greaterThan(0);
      const found = await postgres.verify({ connections: 2 });
      await restoreCopies(sql);
      expect([...new Set(found.map(({ rule }) => rule))]).to.have.members(breaks);
    });
  }

  it('has an error of this table for each of its rules, and 200 at least', () => {
    const named = new Set(ERRORS.flatMap(({ breaks }) => breaks));
    expect([...named]).to.have.members(RULES);
    expect(ERRORS.length).to.be.at.least(200);
  });
});
