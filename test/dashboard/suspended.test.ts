import { expect } from 'chai';
import { type DashboardStage, startDashboardStage } from './dashboard-stage.ts';

describe('The dashboard of a suspended account', () => {
  let stage: DashboardStage;

  before(async () => {
    stage = await startDashboardStage();
  });
  after(() => stage.close());

  it('is read-only, until the account is resumed', async () => {
    const owner = stage.logIn('owner');
    const body = { account: stage.account, livemode: false, type: 'secret', name: 'Shop' };
    await stage.paymount.accounts.suspend(stage.account);
    const refused = await stage.call(owner, '/keys', { body });
    expect([refused.status, refused.error['code']]).to.deep.equal([403, 'account_disabled']);
    expect((await stage.call(owner, '/keys')).status).to.equal(200);
    expect((await stage.call(owner, '/keys', { method: 'HEAD' })).status).to.equal(200);
    await stage.paymount.accounts.resume(stage.account);
    expect((await stage.call(owner, '/keys', { body })).status).to.equal(200);
  });
});
