import { DispatchHub } from '@paymount/core/events';
import { newId } from '@paymount/core/kernel';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import pg from 'pg';
import { bookCapture } from '../../packages/core/src/ledger/recipes.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { storeAccount } from '../support/store-account.ts';

const at = new Date('2026-11-21T09:30:00.000Z');

describe('rows forged behind the back of Paymount', () => {
  let database: TestDatabase;
  let postgres: PostgresStorage;
  let sql: pg.Client;
  const accountId = newId('acct');
  const owner = { accountId, environment: 'test' } as const;
  const chargeId = newId('ch');
  const booking = bookCapture({
    owner,
    type: 'charge',
    chargeId,
    amount: 10_000,
    currency: 'eur',
    fee: { amount: 320, details: [{ amount: 320, type: 'fee', description: 'Fee' }] },
    availableOn: at,
    at,
  });

  before(async () => {
    database = await freshDatabase();
    postgres = createPostgresStorage({ connection: database.url, dispatch: new DispatchHub() });
    sql = new pg.Client({ connectionString: database.url });
    await sql.connect();
    await storeAccount(postgres, accountId, at);
    await postgres.storage.changes.apply({
      ...owner,
      at,
      writes: [],
      postings: [booking.posting],
      balanceTransactions: [booking.transaction],
    });
  });
  after(async () => {
    await sql.end();
    await postgres.close();
    await database.drop();
  });

  /** The name of the rule that refuses a statement, or what it did. */
  async function statementError(text: string, values: unknown[] = []): Promise<string | undefined> {
    try {
      const { command, rowCount } = await sql.query(text, values);
      return `${command} ${rowCount}`;
    } catch (error) {
      return (error as pg.DatabaseError).constraint;
    }
  }

  const ENTRIES = `INSERT INTO paymount.ledger_entry
    (ledger_account_id, transaction_id, account_id, livemode, currency, amount)
    SELECT id, $1, account_id, livemode, currency, CASE code WHEN 'bank' THEN 5 ELSE $2::bigint END
    FROM paymount.ledger_account WHERE account_id = $3 AND code IN ('bank', 'losses')`;

  it('refuses entries that do not sum to zero, and takes those that do', async () => {
    const id = booking.posting.id;
    expect(await statementError(ENTRIES, [id, -4, accountId])).to.equal('ledger_entry_balanced');
    expect(await statementError(ENTRIES, [id, -5, accountId])).to.equal('INSERT 2');
  });

  for (const table of ['ledger_entry', 'ledger_transaction']) {
    it(`refuses to change, delete or truncate rows of ${table}`, async () => {
      const refused = 'ledger_append_only';
      expect(await statementError(`UPDATE paymount.${table} SET livemode = livemode`)).to.equal(
        refused,
      );
      expect(await statementError(`DELETE FROM paymount.${table}`)).to.equal(refused);
      expect(await statementError(`TRUNCATE paymount.${table} CASCADE`)).to.equal(refused);
    });
  }

  it('refuses to delete or truncate ledger accounts', async () => {
    expect(await statementError('DELETE FROM paymount.ledger_account')).to.equal(
      'ledger_append_only',
    );
    const truncate = 'TRUNCATE paymount.ledger_account CASCADE';
    expect(await statementError(truncate)).to.equal('ledger_append_only');
  });

  it('refuses entries of test money in a live transaction, and of another currency', async () => {
    const live = `INSERT INTO paymount.ledger_transaction
      (id, account_id, livemode, kind, source_id, available_on, created)
      VALUES ('ltx_live', $1, true, 'refund', 're_live', now(), now())`;
    expect(await statementError(live, [accountId])).to.equal('INSERT 1');
    expect(await statementError(ENTRIES, ['ltx_live', -5, accountId])).to.equal(
      'ledger_entry_account_id_livemode_transaction_id_fkey',
    );
    const dollars = ENTRIES.replace('livemode, currency, CASE', "livemode, 'usd', CASE");
    expect(await statementError(dollars, [booking.posting.id, -5, accountId])).to.equal(
      'ledger_entry_ledger_account_id_account_id_livemode_currenc_fkey',
    );
  });

  it('refuses an available balance below the debt it may carry', async () => {
    const text = `UPDATE paymount.ledger_account SET balance = -1
      WHERE account_id = $1 AND code = 'available'`;
    expect(await statementError(text, [accountId])).to.equal('ledger_account_available_covered');
  });

  describe('past the triggers, as only a superuser can', () => {
    /** Runs `text` without triggers and foreign keys. @returns what `verify` then finds */
    async function forge(text: string, values: unknown[] = []): Promise<string[]> {
      await sql.query('SET session_replication_role = replica');
      await sql.query(text, values);
      await sql.query('SET session_replication_role = DEFAULT');
      const found = await postgres.verify();
      return found.map(({ subject, expected, found: is }) => `${subject}: ${expected}, ${is}`);
    }

    const noCharge = `${chargeId}: no capture, 10000`;
    const before = [noCharge];

    it('verify finds an edited balance', async () => {
      const set = (by: number): Promise<string[]> =>
        forge(
          `UPDATE paymount.ledger_account SET balance = balance + ${by}
           WHERE account_id = $1 AND code = 'pending'`,
          [accountId],
        );
      expect(await set(1)).to.include(`${accountId} pending eur: 9680, 9681`);
      expect(await set(-1)).to.not.include(`${accountId} pending eur: 9680, 9681`);
    });

    it('verify finds an edited balance transaction', async () => {
      const { id } = booking.transaction;
      const set = (fee: number): Promise<string[]> =>
        forge('UPDATE paymount.balance_transactions SET fee = $2 WHERE id = $1', [id, fee]);
      expect(await set(0)).to.include(`${id}: 10000 fee 320, 10000 fee 0`);
      expect(await set(320)).to.include.members(before);
    });

    it('verify finds an edited entry, by its transaction and by its balance', async () => {
      const found = await forge(
        `UPDATE paymount.ledger_entry SET amount = amount - 1 WHERE amount = -9680`,
      );
      expect(found).to.include(`${booking.posting.id} eur: 0, -1`);
      expect(found).to.include(`${accountId} pending eur: 9681, 9680`);
    });

    it('verify finds a transaction without entries, and one without a line in the history', async () => {
      const found = await forge('DELETE FROM paymount.balance_transactions');
      expect(found).to.include('ltx_live: entries, none');
      expect(found).to.include(`${booking.posting.id}: a balance transaction, none`);
    });
  });
});
