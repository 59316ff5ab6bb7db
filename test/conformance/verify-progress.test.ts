import type { VerifyPlan, VerifyProgress } from '@paymount/core/ledger';
import { expect } from 'chai';
import pg from 'pg';
import { openDatabase } from '../../packages/storage-postgres/src/connection/open-database.ts';
import { Session } from '../../packages/storage-postgres/src/transaction/session.ts';
import { RULES, verifyData } from '../../packages/storage-postgres/src/verification/verify-data.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { seedHistory } from '../support/seed-history.ts';

const CHARGES = 2_400;
const NAME = 'a host of the longest name that PostgreSQL keeps for a name';

describe('the progress of verify', () => {
  let database: TestDatabase;
  let sql: pg.Client;
  let opened: ReturnType<typeof openDatabase>;

  before(async () => {
    database = await freshDatabase();
    sql = new pg.Client({ connectionString: database.url });
    await sql.connect();
    await seedHistory(sql, { charges: CHARGES, accounts: 7 });
    await sql.query('ANALYZE');
    const url = new URL(database.url);
    url.searchParams.set('application_name', NAME);
    opened = openDatabase({ connection: url.href });
  });
  after(async () => {
    await opened.close();
    await sql.end();
    await database.drop();
  });

  async function verify() {
    const plans: VerifyPlan[] = [];
    const progress: VerifyProgress[] = [];
    const differences = await verifyData(
      new Session(opened),
      { onPlan: (plan) => plans.push(plan), onProgress: (each) => progress.push(each) },
      { shiftMs: 0 },
      1,
    );
    return { differences, plans, progress };
  }

  it('counts the rows that a scan has read before it ends', async () => {
    const { differences, progress } = await verify();
    expect(differences).to.deep.equal([]);
    const read = progress.map(({ rows }) => rows?.read ?? 0);
    const early = progress.filter(({ checked, rows }) => checked === 0 && (rows?.read ?? 0) > 0);
    expect(early, 'looks at the first scan').to.have.length.greaterThan(0);
    expect(read).to.deep.equal([...read].sort((a, b) => a - b));
    const { checked, rules, rows } = progress.at(-1) ?? {};
    expect([checked, rules]).to.deep.equal([RULES.length, RULES.length]);
    expect(rows?.read).to.equal(rows?.expected);
  });

  it('expects as many rows on a server that would read them with several processes', async () => {
    const { plans } = await verify();
    const url = new URL(database.url);
    const settings = [
      'parallel_setup_cost=0',
      'parallel_tuple_cost=0',
      'min_parallel_table_scan_size=0',
    ];
    url.searchParams.set('options', settings.map((setting) => `-c ${setting}`).join(' '));
    const parallel = openDatabase({ connection: url.href });
    const others: VerifyPlan[] = [];
    try {
      await verifyData(new Session(parallel), { onPlan: (plan) => others.push(plan) });
    } finally {
      await parallel.close();
    }
    expect(others).to.deep.equal(plans);
  });

  it('gives each connection its name back', async () => {
    await verify();
    const { rows } = await sql.query(
      `SELECT DISTINCT application_name AS name FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'a host%'`,
    );
    expect(rows).to.deep.equal([{ name: NAME }]);
  });

  it('begins with what the server expects: the rows, and the disk for sorting', async () => {
    const [small, ...others] = (await verify()).plans;
    expect(others).to.deep.equal([]);
    expect(small?.diskBytes).to.equal(0);
    // Charges alone are read by five scans.
    expect(small?.rows).to.be.within(10 * CHARGES, 100 * CHARGES);
    // As if there were many millions.
    await sql.query(`UPDATE pg_class SET reltuples = 40000000
      WHERE relname = 'ledger_entry' AND relnamespace = 'paymount'::regnamespace`);
    const [large] = (await verify()).plans;
    expect(large?.rows).to.be.within(40_000_000, 200_000_000);
    // An entry has some 60 bytes.
    expect(large?.diskBytes).to.be.within(1_000_000_000, 40_000_000_000);
  });
});
