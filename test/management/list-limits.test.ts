import { expect } from 'chai';
import pg from 'pg';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';

describe('a list of an admin that takes long', () => {
  let app: AdminApp;
  before(async () => {
    app = await startAdminApp();
  });
  after(() => app.close());

  for (const [path, table] of [
    ['/events', 'events'],
    ['/deliveries', 'deliveries'],
    ['/operations', 'operations'],
  ] as const) {
    it(`ends after two seconds: ${path}`, async () => {
      const database = new pg.Client(app.databaseUrl);
      await database.connect();
      // Whoever reads the table waits for this transaction, as if for a long history.
      await database.query(`BEGIN; LOCK TABLE paymount.${table} IN ACCESS EXCLUSIVE MODE`);
      const { status, error } = await app.admin(path);
      await database.query('ROLLBACK');
      await database.end();
      expect([status, error['code']]).to.deep.equal([400, 'list_too_slow']);
    });
  }
});
