import { expect } from 'chai';
import { baseOfRun, pgbenchScript, type RecordedOperation } from './pgbench-script.ts';

const SQL = 'INSERT INTO t SELECT $1::text, $2::text, $3::jsonb WHERE $4 IS NULL';

function recorded(account: string, ids: readonly unknown[], text = SQL): RecordedOperation {
  return { account, endpoint: `we_${account}`, statements: [{ text, values: ids }] };
}

const first = recorded('acct_1', ['acct_1', 'ch_1', '{"a":1}', null]);
const second = recorded('acct_2', ['acct_2', 'ch_2', '{"a":1}', null]);

describe('the pgbench script of recorded statements', () => {
  it('keeps the text and gives its parameters by name', () => {
    const { text } = pgbenchScript(first, second, 1_000);
    expect(text.split('\n')).to.deep.equal([
      '\\set n random(0, 999)',
      '\\set account 1000000000000000000 + :n',
      '\\set endpoint 2000000000000000000 + :n',
      '\\set seq :seq + 1',
      '\\set id1 :base + 0 + :seq * 100 + :client_id',
      'INSERT INTO t SELECT :account::text, :id1::text, :p1::jsonb WHERE NULL IS NULL;',
      '',
    ]);
  });

  it('keeps what does not vary as it was recorded', () => {
    expect(pgbenchScript(first, second, 10).variables).to.deep.equal({ seq: '0', p1: '{"a":1}' });
  });

  it('gives each id one number everywhere, in arrays too', () => {
    const sql = 'SELECT $1, $2::text[], $3::text[]';
    const { text, variables } = pgbenchScript(
      recorded('a', ['x1', ['x1', 'y1'], ['b', null]], sql),
      recorded('b', ['x2', ['x2', 'y2'], ['b', null]], sql),
      10,
    );
    expect(text).to.include('SELECT :id1, ARRAY[:id1, :id2]::text[], :p1::text[];');
    expect(variables['p1']).to.equal('{"b",NULL}');
  });

  it('puts the endpoint before what follows its id', () => {
    const sql = 'SELECT $1::text';
    const { text, variables } = pgbenchScript(
      recorded('acct_1', ['we_acct_1 1 fast'], sql),
      recorded('acct_2', ['we_acct_2 1 fast'], sql),
      10,
    );
    expect(text).to.include('SELECT (:endpoint::text || :p1::text)::text;');
    expect(variables['p1']).to.equal(' 1 fast');
  });

  it('refuses a text in which pgbench would see variables of its own', () => {
    const sql = "SELECT 'a:b', $1";
    expect(() => pgbenchScript(recorded('a', ['x'], sql), recorded('b', ['x'], sql), 10)).to.throw(
      "pgbench would replace :b in: SELECT 'a:b', $1",
    );
  });

  it('refuses two recordings that sent different statements', () => {
    expect(() => pgbenchScript(first, recorded('acct_2', [], 'SELECT 1'), 10)).to.throw(
      'Two operations of one kind sent different statements.',
    );
  });

  it('keeps the ids of all runs apart and within 64 bits', () => {
    expect([baseOfRun(1), baseOfRun(2)]).to.deep.equal([
      '3010000000000000000',
      '3020000000000000000',
    ]);
    expect(BigInt(baseOfRun(500)) < 2n ** 63n).to.equal(true);
  });
});
