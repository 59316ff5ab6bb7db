import { expect } from 'chai';
import { type DashboardSetup, startDashboardSetup } from './dashboard-setup.ts';

describe('The API reference in the dashboard', () => {
  let setup: DashboardSetup;

  before(async () => {
    setup = await startDashboardSetup();
  });
  after(() => setup.close());

  it('exists only where the host says where the API is', async () => {
    const { identity } = setup.login;
    const headers = { cookie: setup.logIn('viewer') };
    const shown = await setup.open('/api/openapi.json', { headers });
    expect(shown.json['servers']).to.deep.equal([{ url: '/' }]);
    setup.app.use('/bare', setup.paymount.dashboardRouter({ identity, requireTls: false }));
    const bare = await fetch(`${setup.url}/bare/api/openapi.json`, { headers });
    expect(bare.status).to.equal(404);
    const session = await fetch(`${setup.url}/bare/api/session`, { headers });
    expect(await session.json()).to.include({ api_reference: null });
    for (const url of ['//evil.example', '/\\evil.example', 'http://api.example.com', 'payments']) {
      expect(
        () => setup.paymount.dashboardRouter({ identity, apiReference: { url } }),
        url,
      ).to.throw(TypeError, '`apiReference.url` is the path of the API in your app');
    }
  });
});
