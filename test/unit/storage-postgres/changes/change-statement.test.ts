import { expect } from 'chai';
import { changeStatement } from '../../../../packages/storage-postgres/src/changes/change-statement.ts';
import type { Part } from '../../../../packages/storage-postgres/src/changes/part.ts';
import { rowSource } from '../../../../packages/storage-postgres/src/changes/row-source.ts';
import {
  Statements,
  statement,
} from '../../../../packages/storage-postgres/src/connection/statement.ts';
import { fixed } from '../../../../packages/storage-postgres/src/shared/columns.ts';

const part = (code: string, values: readonly unknown[], guard?: Part['guard']): Part => ({
  code,
  values,
  sql: ({ alias, at, when }) => `${alias} AS (${code} ${values.map((_, n) => at(n))} IF ${when})`,
  ...(guard && { guard }),
});
const text = (parts: readonly Part[], open?: 'own' | 'host'): string =>
  changeStatement(['acct_1', false], parts, open).statement.text('"s"');

describe("a change's statement", () => {
  it('is named for the sequence of its parts, and its values follow the owner', () => {
    const made = changeStatement(
      ['acct_1', true],
      [part('x', ['insert']), part('y', ['guard', 2], 'raced')],
      'own',
    );
    expect(made.statement.name).to.equal('pm_changes_apply_tyx_v13');
    expect(made.values).to.deep.equal(['acct_1', true, 'guard', 2, 'insert']);
  });

  it('lets every guard wait for the one before, and the rest for the last', () => {
    const parts = [part('x', [1]), part('g', [2], 'claimed'), part('h', [3], 'raced')];
    const sql = text(parts, 'own');
    expect(sql).to.include('p0 AS (g $3 IF true)');
    expect(sql).to.include('p1 AS (h $4 IF EXISTS (SELECT FROM p0))');
    expect(sql).to.include('p2 AS (x $5 IF EXISTS (SELECT FROM p1))');
  });

  it('answers the word of the first guard, and fails when a later one does not pass', () => {
    const one = text([part('g', [], 'claimed')]);
    expect(one).to.match(/WHEN NOT EXISTS \(SELECT FROM p0\) THEN 'claimed'\s+ELSE 'applied' END/);
    expect(one).to.not.include('::integer');
    const two = text([part('g', [], 'claimed'), part('h', [], 'raced')]);
    expect(two).to.match(/WHEN NOT EXISTS \(SELECT FROM p1\)\s+THEN \('paymount: raced ' \|\| /);
  });

  it('limits the wait for locks when it is a transaction of its own', () => {
    const guarded = [part('g', [], 'raced')];
    expect(text(guarded)).to.include("set_config('lock_timeout', '3000', true)");
    expect(text(guarded, 'own')).to.not.include('set_config');
    expect(text([part('x', [])])).to.not.include('set_config');
  });

  it('waits 250 ms for a lock and 400 ms in all when it names its credential, but as the host says in a transaction of the host', () => {
    const guarded = [part('k', [], 'access_changed'), part('g', [], 'raced')];
    const limit = "set_config('lock_timeout', '250', true)";
    expect(text(guarded)).to.include(limit);
    expect(text(guarded, 'own')).to.include(limit);
    expect(text(guarded, 'host')).to.not.include('set_config');
    const late = "clock_timestamp() > statement_timestamp() + interval '400 ms'";
    expect(text(guarded)).to.include(late);
    expect(text(guarded, 'own')).to.include(late);
    expect(text(guarded, 'host')).to.not.include('clock_timestamp');
    // In a transaction of ours it also notes by when that has to be committed.
    expect(text(guarded, 'own')).to.include("set_config('paymount.commit_by'");
    expect(text(guarded)).to.not.include('commit_by');
    const name = (open?: 'own') => changeStatement(['acct_1', false], guarded, open).statement.name;
    expect(name()).to.equal('pm_changes_apply_ckg_v13');
    expect(name('own')).to.equal('pm_changes_apply_dkg_v13');
  });
});

describe('rows of a part', () => {
  const columns = [
    fixed('a', 'text', ({ a }: { a: string; b: number }) => a),
    fixed('b', 'bigint', ({ b }: { a: string; b: number }) => b),
  ];
  const rows = (count: number): { a: string; b: number }[] =>
    Array.from({ length: count }, (_, b) => ({ a: `a${b}`, b }));

  it('are VALUES up to four rows, with a statement text for each number', () => {
    const { code, values, sql } = rowSource(columns, rows(2));
    expect(code).to.equal('2');
    expect(values).to.deep.equal(['a0', 0, 'a1', 1]);
    expect(sql((index) => `$${index}`)).to.equal(
      '(VALUES ($0::text, $1::bigint), ($2::text, $3::bigint)) AS n (a, b)',
    );
  });

  it('are arrays from five on, of one text for any number', () => {
    const { code, values, sql } = rowSource(columns, rows(5));
    expect(code).to.equal('n');
    expect(values).to.deep.equal([
      ['a0', 'a1', 'a2', 'a3', 'a4'],
      [0, 1, 2, 3, 4],
    ]);
    expect(sql((index) => `$${index}`)).to.equal('unnest($0::text[], $1::bigint[]) AS n (a, b)');
  });
});

describe('statements', () => {
  const find = statement('pm_things_find_v1', (s) => `SELECT FROM ${s}.things`);

  it('carry the quoted schema in their text', () => {
    const { text: made, name } = new Statements('paymount', true).query(find, []);
    expect(made).to.equal('SELECT FROM "paymount".things');
    expect(name).to.equal('pm_things_find_v1');
  });

  it('have names of their own per schema, as two installations may share connections', () => {
    expect(new Statements('other', true).query(find, []).name).to.match(
      /^pm_things_find_v1_[0-9a-f]{8}$/,
    );
  });

  it('have no name where prepared statements are off, or the name is longer than PostgreSQL keeps', () => {
    expect(new Statements('paymount', false).query(find, [])).to.not.have.property('name');
    const long = statement(`pm_${'x'.repeat(61)}`, () => 'SELECT');
    expect(new Statements('paymount', true).query(long, [])).to.not.have.property('name');
  });

  it('are waited for 10 s, or as long as they say', () => {
    const statements = new Statements('paymount', true);
    expect(statements.query(find, []).query_timeout).to.equal(10_000);
    const quick = statement('pm_things_quick_v1', () => 'SELECT', 250);
    expect(statements.query(quick, []).query_timeout).to.equal(250);
  });

  for (const name of ['', '1a', 'a-b', 'a"b', 'ä', 'a'.repeat(64)]) {
    it(`refuse the schema name ${JSON.stringify(name)}`, () => {
      expect(() => new Statements(name, true)).to.throw(TypeError, /is no schema name/);
    });
  }
});
