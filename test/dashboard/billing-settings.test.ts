import { expect } from 'chai';
import { type DashboardSetup, startDashboardSetup } from './dashboard-setup.ts';

describe('The billing settings in the dashboard', () => {
  let setup: DashboardSetup;
  let path: string;
  before(async () => {
    setup = await startDashboardSetup();
    path = `/accounts/${setup.account}/billing_settings`;
  });
  after(() => setup.close());

  it('are read by every role, and changed by an owner', async () => {
    const body = { after_last_attempt: 'leave_unpaid', cancel_on_dispute: true };
    for (const role of ['viewer', 'developer'] as const) {
      const refused = await setup.call(setup.logIn(role), path, { body });
      expect([refused.status, refused.error['code']]).to.deep.equal([403, 'permission_denied']);
    }
    expect((await setup.call(setup.logIn('owner'), path, { body })).json).to.include(body);
    expect((await setup.call(setup.logIn('viewer'), path)).json).to.include(body);
  });

  it('keep the charges in a second, which only admins change', async () => {
    const body = { catch_up: 'bill_latest', charges_per_second: 200 };
    const { status, error } = await setup.call(setup.logIn('owner'), path, { body });
    expect([status, error['code'], error['param']]).to.deep.equal([
      403,
      'permission_denied',
      'charges_per_second',
    ]);
    const { json } = await setup.call(setup.logIn('owner'), path);
    expect(json).to.include({ catch_up: 'bill_all', charges_per_second: 20 });
  });
});
