import { expect } from 'chai';
import { SERVED } from '../support/served-routes.ts';
import { type DashboardSetup, startDashboardSetup } from './dashboard-setup.ts';

const URL = 'https://127.0.0.1:8443/hook';
const OTHER_URL = 'https://127.0.0.1:8443/other';

describe('A fresh login', () => {
  let setup: DashboardSetup;
  let fresh: string;
  /** A login of ten minutes and a second ago. */
  let late: string;
  let endpoint: string;

  before(async () => {
    setup = await startDashboardSetup();
    fresh = setup.logIn('owner');
    const authTime = new Date(setup.clock.now().getTime() - 601_000);
    late = setup.logIn('owner', { authTime });
    const { account } = setup;
    const body = { account, livemode: true, url: URL, enabled_events: ['*'] };
    const { json } = await setup.call(fresh, '/endpoints', { environment: 'live', body });
    endpoint = `/endpoints/${json['id']}`;
  });
  after(() => setup.close());

  const live = (cookie: string, path: string, body: object, method = 'POST') =>
    setup.call(cookie, path, { environment: 'live', method, body });
  const newKey = (livemode: boolean) => ({
    account: setup.account,
    livemode,
    type: 'secret',
    name: 'Shop',
  });

  it('is what these routes need in live, and no others', () => {
    const needing = SERVED.dashboard.filter(({ facts }) => facts.freshLogin === true);
    expect(needing.map(({ method, pattern }) => `${method} ${pattern}`).toSorted()).to.deep.equal([
      'POST /accounts/:id',
      'POST /bank_accounts/:id/confirm',
      'POST /charges/:id/refunds',
      'POST /endpoints',
      'POST /endpoints/:id/reveal_secrets',
      'POST /endpoints/:id/rotate_secret',
      'POST /keys',
      'POST /keys/:id/rotate',
      'POST /leaks/:id/rotate_signing_secrets',
    ]);
  });

  it('is less than ten minutes old', async () => {
    const { account } = setup;
    for (const [path, body] of [
      ['/keys', newKey(true)],
      ['/endpoints', { account, livemode: true, url: URL, enabled_events: ['*'] }],
      [`${endpoint}/rotate_secret`, {}],
      [`${endpoint}/reveal_secrets`, {}],
      ['/charges/ch_none/refunds', {}],
    ] as const) {
      const { status, error } = await live(late, path, body);
      expect([status, error['code'], error['max_age']], path).to.deep.equal([
        401,
        'insufficient_user_authentication',
        600,
      ]);
    }
    expect((await setup.call(late, '/keys', { body: newKey(false) })).status).to.equal(200);
  });

  it('is needed to send the events of an endpoint to another URL, and for nothing else of it', async () => {
    const refused = await live(late, endpoint, { url: OTHER_URL, description: 'Orders' });
    expect([refused.status, refused.error['code']]).to.deep.equal([
      401,
      'insufficient_user_authentication',
    ]);
    const disabled = await live(late, endpoint, { disabled: true });
    expect([disabled.status, disabled.json['url'], disabled.json['description']]).to.deep.equal([
      200,
      URL,
      null,
    ]);
    const moved = await live(fresh, endpoint, { url: OTHER_URL });
    expect([moved.status, moved.json['url']]).to.deep.equal([200, OTHER_URL]);
  });

  it('is not needed to end access: of a platform, a key or an endpoint', async () => {
    const ended = await live(late, '/connected_applications/ca_none', {}, 'DELETE');
    expect([ended.status, ended.error['code']]).to.deep.equal([404, 'resource_missing']);
    const { json } = await live(fresh, '/keys', newKey(true));
    expect((await live(late, `/keys/${json['id']}/revoke`, {})).status).to.equal(200);
    const body = { account: setup.account, livemode: true, url: OTHER_URL, enabled_events: ['*'] };
    const made = await live(fresh, '/endpoints', body);
    const deleted = await live(late, `/endpoints/${made.json['id']}`, {}, 'DELETE');
    expect(deleted.status, deleted.text).to.equal(200);
  });

  it('is needed to change the account, whose settings are for both environments', async () => {
    const path = `/accounts/${setup.account}`;
    const body = { name: 'Renamed shop' };
    const refused = await setup.call(late, path, { body });
    expect([refused.status, refused.error['code']]).to.deep.equal([
      401,
      'insufficient_user_authentication',
    ]);
    expect((await setup.call(setup.logIn('developer'), path, { body })).status).to.equal(403);
    const changed = await setup.call(fresh, path, { body });
    expect([changed.status, changed.json['name']]).to.deep.equal([200, 'Renamed shop']);
    const { error } = await setup.call(fresh, path, { body: { country: 'FR' } });
    expect(error['code']).to.equal('parameter_unknown');
  });
});
