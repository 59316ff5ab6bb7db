import { DispatchHub } from '@paymount/core/events';
import { parseId } from '@paymount/core/kernel';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import pg from 'pg';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { type ExplainingPool, explainingPool } from '../support/explaining-pool.ts';
import { seedHistory } from '../support/seed-history.ts';

const CHARGES = 8_000;
const NOW = new Date('2040-01-01T00:00:00.000Z');
const ABANDONED = `clock_${'1'.repeat(26)}`;
/** The due rows that are on no clock: a few pages of each table. */
const FEW = 200;
/** So few that PostgreSQL looks each of them up, whatever the size of the table. */
const FEW_AT_ONCE = 5;

/**
 * Statements of workers, on tables in which nearly everything that is due is on test clocks that nobody
 * advances: it must cost nothing.
 */
describe('what abandoned test clocks cost workers', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let explaining: ExplainingPool;
  let storage: PostgresStorage;

  before(async () => {
    database = await freshDatabase();
    const sql = new pg.Client({ connectionString: database.url });
    await sql.connect();
    await seedHistory(sql, { charges: CHARGES, accounts: 7 });
    await sql.query(`SET session_replication_role = replica;
      UPDATE paymount.charges SET test_clock_id = '${ABANDONED}'
        WHERE status = 'authorized' AND id <> (SELECT max(id) FROM paymount.charges
          WHERE status = 'authorized');
      UPDATE paymount.balance_transactions SET test_clock_id = '${ABANDONED}'
        WHERE status = 'pending' AND id <> (SELECT max(id) FROM paymount.balance_transactions
          WHERE status = 'pending');
      INSERT INTO paymount.disputes (id, account_id, livemode, version, status, charge_id, amount,
          currency, reason, processor_name, processor_reference, due_by, evidence, submission_count,
          metadata, created, test_clock_id)
        SELECT 'dp_' || lpad(row_number() OVER (ORDER BY id)::text, 26, '0'), account_id, livemode, 1,
          'warning_needs_response', id, 100, 'eur', 'general', 'sandbox', id, created, '{}', 0, '{}',
          created, CASE WHEN row_number() OVER (ORDER BY id) > 1 THEN '${ABANDONED}' END
        FROM paymount.charges;
      INSERT INTO paymount.sandbox_notices (notice_id, due_at, body, test_clock_id)
        SELECT 'n_' || n, '2030-01-01'::timestamptz + n * interval '1 second', '{}',
          CASE WHEN n > 1 THEN '${ABANDONED}' END
        FROM generate_series(1, 5000) AS n;
      `);
    await sql.query('VACUUM ANALYZE');
    await sql.end();
    explaining = explainingPool(database.url);
    storage = createPostgresStorage({ connection: explaining.pool, dispatch: new DispatchHub() });
  });
  after(async () => {
    await storage.close();
    await explaining.pool.end();
    await database.drop();
  });

  const cheap = async (work: () => Promise<unknown>): Promise<void> => {
    const found = await explaining.explain(work);
    expect(found.length).to.be.greaterThan(0);
    for (const { name, blocks, rows, plan } of found) {
      expect(rows, `${name}: ${plan}`).to.be.lessThan(FEW);
      expect(blocks, `${name}: ${plan}`).to.be.lessThan(FEW);
    }
  };
  const within = storageWork(() => storage);
  const clock = parseId('clock', ABANDONED);

  it('is nothing for the work of the time that everybody shares', async () => {
    await cheap(() => within(({ ledger }) => ledger.claimDueFunds(NOW, FEW_AT_ONCE)));
    await cheap(() => within(({ charges }) => charges.findExpiredAuthorizations(NOW, 100)));
    await cheap(() => within(({ disputes }) => disputes.findDue(NOW, 100)));
    await cheap(() =>
      storage.plannedNotices.claimDue({ now: NOW, limit: FEW_AT_ONCE, leaseMs: 1 }),
    );
  });

  it('is a look at an index for the next work of a clock among many', async () => {
    await cheap(() => within(({ ledger }) => ledger.nextDueFunds(required(clock), NOW)));
    await cheap(() => within(({ payouts }) => payouts.findUnsentOn(required(clock), 1)));
    await cheap(() => storage.plannedNotices.findDueOn(required(clock), NOW, 1));
    await cheap(() =>
      within(({ charges }) =>
        charges.findExpiredAuthorizations(NOW, 1, undefined, required(clock)),
      ),
    );
    await cheap(() =>
      within(({ disputes }) => disputes.findDue(NOW, 1, undefined, required(clock))),
    );
    await cheap(() => storage.testClocks.claim(1));
  });
});

function storageWork(of: () => PostgresStorage): PostgresStorage['storage']['transaction'] {
  return (work) => of().storage.transaction(work);
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new TypeError('The id is well-formed.');
  return value;
}
