import { expect } from 'chai';
import { type DashboardStage, startDashboardStage } from './dashboard-stage.ts';

describe('The API reference in the dashboard', () => {
  let stage: DashboardStage;

  before(async () => {
    stage = await startDashboardStage();
  });
  after(() => stage.close());

  it('exists only where the host says where the API is', async () => {
    const { identity } = stage.login;
    const headers = { cookie: stage.logIn('viewer') };
    const shown = await stage.open('/api/openapi.json', { headers });
    expect(shown.json['servers']).to.deep.equal([{ url: '/' }]);
    stage.app.use('/bare', stage.paymount.dashboardRouter({ identity, requireTls: false }));
    const bare = await fetch(`${stage.url}/bare/api/openapi.json`, { headers });
    expect(bare.status).to.equal(404);
    const session = await fetch(`${stage.url}/bare/api/session`, { headers });
    expect(await session.json()).to.include({ api_reference: null });
    for (const url of ['//evil.example', '/\\evil.example', 'http://api.example.com', 'payments']) {
      expect(
        () => stage.paymount.dashboardRouter({ identity, apiReference: { url } }),
        url,
      ).to.throw(TypeError, '`apiReference.url` is the path of the API in your app');
    }
  });
});
