import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { MIGRATIONS } from '../../../../packages/storage-postgres/src/schema/migrations/all-migrations.ts';
import { hashMigration } from '../../../../packages/storage-postgres/src/schema/migrations/migration.ts';

/** Migrations of released versions: their texts never change again. Each release adds its own. */
const FROZEN: Readonly<Record<string, string>> = {};

describe('migrations', () => {
  it('are numbered without a gap, in the order in which they run', () => {
    const numbers = MIGRATIONS.map(({ name }) => Number(name.slice(0, 4)));
    expect(numbers).to.deep.equal(MIGRATIONS.map((_, index) => index + 1));
    for (const { name } of MIGRATIONS) expect(name).to.match(/^\d{4}-[a-z]+(-[a-z]+)*$/);
  });

  it('keep the text with which they were released', () => {
    for (const migration of MIGRATIONS) {
      const released = FROZEN[migration.name];
      if (released !== undefined)
        expect(hashMigration(migration), migration.name).to.equal(released);
    }
    expect(MIGRATIONS.map(({ name }) => name)).to.include.members(Object.keys(FROZEN));
  });

  it('name every object with the schema, and never set search_path', () => {
    for (const { name, sql } of MIGRATIONS) {
      const text = sql('"s"');
      const bare =
        /(?:TABLE|INTO|REFERENCES|UPDATE|FUNCTION| ON) (?!"s"\.|EACH|DELETE|ON )[a-z_]+\b/;
      expect(text.replace(/^--.*$/gm, ''), name).to.not.match(bare);
      // Of a function that runs with its owner's rights it is fixed, so that no caller chooses it.
      const fixed = /SECURITY DEFINER SET search_path = pg_catalog, pg_temp/g;
      expect(text.replace(/^--.*$/gm, '').replace(fixed, ''), name).to.not.include('search_path');
    }
  });

  it('make the tables, rules and indexes that the reference names', () => {
    const page = readFileSync(
      new URL('../../../../docs/reference/schema.md', import.meta.url),
      'utf8',
    );
    const text = MIGRATIONS.map(({ sql }) => sql('s')).join('\n');
    const made = [...text.matchAll(/^CREATE TABLE s\.(\w+)/gm)].map(([, name]) => name);
    const listed = [...page.matchAll(/^\| (`.*?`(?:, `.*?`)*) \|/gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    expect(listed.toSorted()).to.deep.equal([...made, 'migrations'].toSorted());
    for (const [, rule = ''] of page.matchAll(/(?:index|trigger) `(\w+)`|`(\w+_\w+)` \|$/gm)) {
      expect(text).to.include(rule);
    }
  });

  it('make no table that grows without an end or a reason that the reference gives', () => {
    const page = readFileSync(
      new URL('../../../../docs/reference/schema.md', import.meta.url),
      'utf8',
    );
    const rows = [...page.matchAll(/^\| (`[^|]*`) \| .* \| (.*) \|$/gm)];
    const kept = rows.map(([, tables = '', time = '']) => ({ tables, time }));
    expect(kept.length).to.be.greaterThan(20);
    const known =
      /^(for ever[^:]*: .{15,}|one row|until `.+`|seconds, with a worker|(\d+|one) (hours?|days?)\b.*)$/;
    for (const { tables, time } of kept) expect(time, tables).to.match(known);
  });

  it('are frozen by the SHA-256 of their text, whatever the schema is called', () => {
    const renamed = { name: '0001-x', breaking: false, sql: (s: string) => `SELECT FROM ${s}.x` };
    expect(hashMigration(renamed)).to.equal(
      '7524009a33651212b251d615ee298e3145f4400a71aa4dfb212ffec987f88512',
    );
  });
});
