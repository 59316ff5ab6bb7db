import { expect } from 'chai';
import { type DashboardSetup, startDashboardSetup } from './dashboard-setup.ts';

describe('The dashboard of a suspended account', () => {
  let setup: DashboardSetup;

  before(async () => {
    setup = await startDashboardSetup();
  });
  after(() => setup.close());

  it('is read-only, until the account is resumed', async () => {
    const owner = setup.logIn('owner');
    const body = { account: setup.account, livemode: false, type: 'secret', name: 'Shop' };
    await setup.paymount.accounts.suspend(setup.account);
    const refused = await setup.call(owner, '/keys', { body });
    expect([refused.status, refused.error['code']]).to.deep.equal([403, 'account_disabled']);
    expect((await setup.call(owner, '/keys')).status).to.equal(200);
    expect((await setup.call(owner, '/keys', { method: 'HEAD' })).status).to.equal(200);
    await setup.paymount.accounts.resume(setup.account);
    expect((await setup.call(owner, '/keys', { body })).status).to.equal(200);
  });
});
