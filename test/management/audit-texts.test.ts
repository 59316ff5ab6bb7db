import { expect } from 'chai';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';

describe('The audit log of texts that the database cannot keep as they are', () => {
  let app: AdminApp;
  before(async () => {
    app = await startAdminApp();
  });
  after(() => app.close());

  it('keeps what it can of a user agent, and verifies', async () => {
    const by = { actor: { type: 'host', id: 'ann' }, via: 'host' } as const;
    const made = { account: app.account, livemode: false, type: 'secret', name: 'a' } as const;
    const half = { ...by, userAgent: 'half \ud800 of a pair' };
    const key = await app.paymount.keys.create(made, { by: half });
    const { json } = await app.admin(`/audit?target=${key.id}`);
    const [entry] = json['data'] as Record<string, unknown>[];
    expect(entry?.['user_agent']).to.equal('half \ufffd of a pair');
    const nul = { ...by, userAgent: 'nul \0 and \udfff' };
    await app.paymount.accounts.update(app.account, { name: 'Renamed' }, { by: nul });
    const long = { ...by, userAgent: 'x'.repeat(600) };
    await app.paymount.accounts.suspend(app.account, { by: long });
    const newest = (await app.admin('/audit?limit=2')).json['data'] as Record<string, unknown>[];
    expect(newest.map((each) => each['user_agent'])).to.deep.equal([
      'x'.repeat(512),
      'nul \ufffd and \ufffd',
    ]);
    const verdict = await app.admin('/audit/verify', { body: {} });
    expect(verdict.json['faults']).to.deep.equal([]);
  });
});
