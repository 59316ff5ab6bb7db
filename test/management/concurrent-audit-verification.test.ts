import { expect } from 'chai';
import pg from 'pg';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';

describe('Verifying the audit log', () => {
  let app: AdminApp;
  before(async () => {
    app = await startAdminApp();
  });
  after(() => app.close());

  it('runs once at a time; another request meanwhile gets 429 with Retry-After', async () => {
    const database = new pg.Client(app.databaseUrl);
    await database.connect();
    // Whoever reads the log waits for this transaction.
    await database.query('BEGIN; LOCK TABLE paymount.audit_log IN ACCESS EXCLUSIVE MODE');
    const send = () => app.admin('/audit/verify', { body: {} });
    const both = [send(), send()];
    const refused = await Promise.race(both);
    expect([refused.status, refused.error['code']]).to.deep.equal([429, 'rate_limit']);
    expect(refused.headers['retry-after']).to.equal('5');
    await database.query('COMMIT');
    await database.end();
    const answers = await Promise.all(both);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 429]);
    expect((await send()).status).to.equal(200);
  });
});
