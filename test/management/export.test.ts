import type { LogFacts, Logger } from '@paymount/core/kernel';
import { expect } from 'chai';
import pg from 'pg';
import { type AdminApp, MOUNT, startAdminApp } from '../support/admin-app.ts';
import { eventually } from '../support/eventually.ts';

type Line = LogFacts & { readonly level: string; readonly said: string };

describe('An export that fails', () => {
  const lines: Line[] = [];
  let app: AdminApp;
  let database: pg.Client;
  before(async () => {
    const at = (level: string) => (facts: LogFacts, said: string) => {
      lines.push({ ...facts, level, said });
    };
    const logger: Logger = {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
    };
    app = await startAdminApp({ paymount: { logger } });
    database = new pg.Client(app.databaseUrl);
    await database.connect();
  });
  after(async () => {
    await database.end();
    await app.close();
  });

  /** What the log says of requests to the route, once there is a line. */
  async function logged(): Promise<readonly string[]> {
    const found = await eventually(
      () => lines.filter(({ route }) => route === '/audit/export'),
      ({ length }) => length > 0,
    );
    return found.map(({ level, status, said }) => `${level} ${status} ${said}`);
  }

  it('before its first line is answered, and logged as it was answered', async () => {
    await database.query('ALTER TABLE paymount.audit_log RENAME TO elsewhere');
    for (const method of ['GET', 'HEAD']) {
      lines.length = 0;
      const { status, error } = await app.admin('/audit/export', { method });
      expect(status).to.equal(500);
      if (method === 'GET') expect(error['code']).to.equal('internal_error');
      expect(await logged()).to.deep.equal(['info 500 A request of an admin was answered.']);
      expect(lines.filter(({ level }) => level === 'error')).to.have.lengthOf(1);
    }
    await database.query('ALTER TABLE paymount.elsewhere RENAME TO audit_log');
  });

  it('after its first line cuts the connection, and a person is called', async () => {
    const account = await app.newAccount();
    // No clock gives such a time, and no JSON shows it.
    await database.query(
      `INSERT INTO paymount.audit_log (id, chain, account_id, seq, created, actor_type, actor_id,
         via, action, target, prev_hash, hash)
       SELECT 'aud_z' || lpad(n::text, 25, '0'), $1, $1, n,
         CASE n WHEN 900 THEN 'infinity'::timestamptz ELSE now() END,
         'host', 'test', 'host', 'account.update', $1, '', '' FROM generate_series(2, 900) AS n`,
      [account],
    );
    lines.length = 0;
    const headers = { authorization: `Bearer ${await app.token(['admin'])}` };
    const url = `${app.url}${MOUNT}/audit/export?account=${account}`;
    const answer = await fetch(url, { headers });
    expect(answer.status).to.equal(200);
    const text = await answer.text().catch((error: Error) => error.message);
    expect(text).to.equal('terminated');
    expect(await logged()).to.deep.equal(['error 200 An answer could not be completed.']);
  });

  it('because its reader disconnected is not logged as an error', async () => {
    const account = await app.newAccount();
    await database.query(
      `INSERT INTO paymount.audit_log (id, chain, account_id, seq, created, actor_type, actor_id,
         via, action, target, prev_hash, hash)
       SELECT 'aud_y' || lpad(n::text, 25, '0'), $1, $1, n, now(),
         'host', 'test', 'host', 'account.update', $1, '', repeat('0', 3000)
       FROM generate_series(2, 20000) AS n`,
      [account],
    );
    lines.length = 0;
    const headers = { authorization: `Bearer ${await app.token(['admin'])}` };
    const leaving = new AbortController();
    const url = `${app.url}${MOUNT}/audit/export?account=${account}`;
    await fetch(url, { headers, signal: leaving.signal });
    leaving.abort();
    expect(await logged()).to.deep.equal([
      'info 200 A client disconnected before it had received the whole answer.',
    ]);
  });
});
