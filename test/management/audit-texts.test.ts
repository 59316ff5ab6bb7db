import { expect } from 'chai';
import { type AdminApp, startAdminApp } from './admin-app.ts';

describe('The audit log of texts that the database cannot keep as they are', () => {
  let app: AdminApp;
  before(async () => {
    app = await startAdminApp();
  });
  after(() => app.close());

  it('keeps what it can, and verifies', async () => {
    const maker = { actor: { type: 'host', id: 'half \ud800 of a pair' }, via: 'host' } as const;
    const made = { account: app.account, livemode: false, type: 'secret', name: 'a' } as const;
    const key = await app.paymount.keys.create(made, { by: maker });
    const { json } = await app.admin(`/audit?target=${key.id}`);
    const [entry] = json['data'] as Record<string, unknown>[];
    expect(entry?.['actor']).to.deep.equal({ type: 'host', id: 'half \ufffd of a pair' });
    const by = { actor: { type: 'host', id: 'nul \0 and \udfff' }, via: 'host' } as const;
    await app.paymount.accounts.update(app.account, { name: 'Renamed' }, { by });
    await app.paymount.accounts.suspend(app.account, { by: { ...by, userAgent: 'a\ud800' } });
    const newest = (await app.admin('/audit?limit=2')).json['data'] as Record<string, unknown>[];
    expect(newest.map((each) => [each['actor'], each['user_agent']])).to.deep.equal([
      [{ type: 'host', id: 'nul \ufffd and \ufffd' }, 'a\ufffd'],
      [{ type: 'host', id: 'nul \ufffd and \ufffd' }, null],
    ]);
    const verdict = await app.admin('/audit/verify', { body: {} });
    expect(verdict.json['faults']).to.deep.equal([]);
  });
});
