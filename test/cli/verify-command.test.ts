import { expect } from 'chai';
import pg from 'pg';
import { runCommand } from '../../packages/paymount/src/commands/program.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { seedHistory } from '../support/seed-history.ts';

/** Of 2,400 seeded charges, those that have failed. */
const FAILED = 120;
const RULE = 'A failed charge has one charge.failed event, and no other has any.';

describe('paymount verify', () => {
  let database: TestDatabase;
  let sql: pg.Client;

  before(async () => {
    database = await freshDatabase();
    sql = new pg.Client({ connectionString: database.url });
    await sql.connect();
    await seedHistory(sql, { charges: 2_400, accounts: 7 });
  });
  after(async () => {
    await sql.end();
    await database.drop();
  });

  /** What a run says, in its order: `out`, `err`, or `at` on the line that is replaced. */
  async function verify(url: string, ...flags: string[]) {
    const said: string[] = [];
    const exitCode = await runCommand(['verify', ...flags], {
      env: { DATABASE_URL: url },
      print: (line) => said.push(`out ${line}`),
      printError: (line) => said.push(`err ${line}`),
      progress: (text) => said.push(`at ${text}`),
    });
    return { exitCode, said };
  }

  it('says how far it is, and ends with 0 when everything agrees', async () => {
    const { exitCode, said } = await verify(database.url);
    expect(exitCode).to.equal(0);
    const out = said.filter((line) => line.startsWith('out'));
    expect(out).to.deep.equal(['out The books agree.']);
    expect(
      said.filter((line) => /^at Checked \d+ of \d+ rules, read .* rows: 0 differences/.test(line)),
    ).to.have.length.greaterThan(5);
    expect(
      said.find((line) => line.startsWith('err')),
      'before it begins',
    ).to.match(/^err Reads about \d+ rows, and sorts in memory\.$/);
    expect(said.at(-2), 'the line is taken away before the result').to.equal('at ');
  });

  describe('of data with one error 120 times, and with another', () => {
    before(() =>
      sql.query(`DELETE FROM paymount.deliveries; DELETE FROM paymount.events
        WHERE type = 'charge.failed'; UPDATE paymount.balance_transactions
        SET available_on = available_on + interval '1 day' WHERE id = (
          SELECT min(id) FROM paymount.balance_transactions)`),
    );

    it('names each as it is found, at most 100 of a rule, and counts all', async () => {
      const { exitCode, said } = await verify(database.url);
      expect(exitCode).to.equal(1);
      const named = said.filter((line) => line.includes(`Broken rule: ${RULE} Broken by ch_`));
      expect(named).to.have.length(100);
      expect(named[0]).to.match(/^out Broken rule: .*0; expected: 1; found: 0$/);
      // Which of two passes comes first is open, but each names what it finds before it counts it.
      const other = said.findIndex((line) => line.includes('becomes available when its posting'));
      const counted = said.findLastIndex((line) => line.includes(' differences so far, '));
      expect(other, 'a difference is named before the end').to.be.within(0, counted);
      expect(said.at(-1)).to.equal(
        `out Found ${FAILED + 1} differences. 101 are shown, at most 100 of each rule.`,
      );
    });

    it('prints one document with --json, and nothing else', async () => {
      const { exitCode, said } = await verify(database.url, '--json');
      expect(exitCode).to.equal(1);
      expect(said).to.have.length(1);
      const { agrees, found, differences } = JSON.parse(said[0]?.slice('out '.length) ?? '');
      expect([agrees, found, differences.length]).to.deep.equal([false, FAILED + 1, 101]);
      expect(Object.keys(differences[0])).to.have.members(['rule', 'subject', 'expected', 'found']);
    });
  });

  it('says of one operation in quarantine which rule it breaks, and what is expected', async () => {
    const other = await freshDatabase();
    const client = new pg.Client({ connectionString: other.url });
    await client.connect();
    await seedHistory(client, { charges: 20, accounts: 7 });
    const { rows } = await client.query(
      `UPDATE paymount.operations SET state = 'quarantined' WHERE outcome ->> 'outcome' = 'declined'
       AND kind = 'authorize' RETURNING id`,
    );
    await client.end();
    const { exitCode, said } = await verify(other.url);
    await other.drop();
    expect(exitCode).to.equal(1);
    expect(said.some((line) => line.includes(': 1 difference so far, '))).to.equal(true);
    expect(said.filter((line) => line.startsWith('out'))).to.deep.equal([
      `out Broken rule: No operation is quarantined. Broken by ${rows[0].id}; expected: settled by a person; found: quarantined`,
      'out Found 1 difference.',
    ]);
  });
});
