import { expect } from 'chai';
import { hostSessionAdmin, type Identity } from 'paymount';
import { type Ask, ask, type Reply } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import { startHost, type TestHost } from '../support/host.ts';
import { type DashboardSetup, startDashboardSetup } from './dashboard-setup.ts';

const FOREIGN = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };

/** All requests come from one address, as those of an office do. */
describe('The limits of the dashboard', () => {
  let setup: DashboardSetup;

  beforeEach(async () => {
    const clock = fakeClock('2026-05-01T12:00:00.000Z');
    setup = await startDashboardSetup({ clock, paymount: { rateLimit: {} } });
  });
  afterEach(() => setup.close());

  const sendMany = async (count: number, send: () => Promise<Reply>): Promise<number[]> => {
    const found: number[] = [];
    while (found.length < count) {
      const replies = await Promise.all(Array.from({ length: 20 }, send));
      found.push(...replies.map(({ status }) => status));
    }
    return found;
  };
  const visit = (headers: Record<string, string> = {}) =>
    setup.open(`/${setup.account}/test`, { headers });

  it('let an office of 50 people behind one address log in and work at the same time', async () => {
    const open = async (cookie: string) => [
      (await visit()).status,
      (await setup.open('/login?to=keys')).status,
      (await visit({ cookie })).status,
      (await setup.open('/api/session', { headers: { cookie } })).status,
      (await setup.call(cookie, '/keys')).status,
      (await setup.call(cookie, '/deliveries/summary')).status,
    ];
    const people = Array.from({ length: 50 }, (_, number) =>
      open(setup.logIn('owner', { userId: `user-${number}` })),
    );
    for (const seen of await Promise.all(people)) {
      expect(seen).to.deep.equal([303, 303, 200, 200, 200, 200]);
    }
  });

  it('count each user separately, over pages and the API together', async () => {
    const [ada, grace] = [setup.logIn('owner'), setup.logIn('owner', { userId: 'user-2' })];
    expect(await sendMany(20, () => visit({ cookie: ada }))).to.deep.equal(Array(20).fill(200));
    const refused = await setup.call(ada, '/keys');
    expect([refused.status, refused.error['code'], refused.headers['retry-after']]).to.deep.equal([
      429,
      'rate_limit',
      '1',
    ]);
    const page = await visit({ cookie: ada });
    expect(page.status).to.equal(429);
    expect(page.text).to.include('Try again in 1 s.');
    expect((await visit({ cookie: grace })).status).to.equal(200);
    setup.clock.advance(1_000);
    expect((await setup.call(ada, '/keys')).status).to.equal(200);
  });

  it('count visitors who are not logged in by address, and keep no user out', async () => {
    const cookie = setup.logIn('owner');
    const statuses = await sendMany(620, () => visit());
    expect(statuses.filter((status) => status === 303)).to.have.lengthOf(600);
    expect(statuses.filter((status) => status === 429)).to.have.lengthOf(20);
    expect((await setup.open('/api/session')).status).to.equal(429);
    expect((await setup.open(`/api/${setup.account}/test/keys`)).status).to.equal(429);
    expect((await visit({ cookie })).status).to.equal(200);
    expect((await setup.call(cookie, '/keys')).status).to.equal(200);
  });

  it('count what pages of other sites make a browser send separately', async () => {
    const cookie = setup.logIn('owner');
    expect(await sendMany(640, () => visit(FOREIGN))).to.include(429);
    expect((await visit()).status).to.equal(303);
    expect(await sendMany(40, () => visit({ ...FOREIGN, cookie }))).to.include(429);
    const reads = () => setup.call(cookie, '/keys', { headers: FOREIGN });
    expect(await sendMany(40, reads)).to.include(429);
    expect((await visit({ cookie })).status).to.equal(200);
    expect((await setup.call(cookie, '/keys')).status).to.equal(200);
  });

  describe('beside other logins', () => {
    let host: TestHost;
    afterEach(() => host.close());

    const mount = async (identity: Identity): Promise<void> => {
      const authenticate = hostSessionAdmin(() => null);
      host = await startHost(setup, {
        paymount: { clock: setup.clock, rateLimit: {} },
        mount(app, paymount) {
          app.use('/admin', paymount.managementRouter({ authenticate, requireTls: false }));
          app.use('/dashboard', paymount.dashboardRouter({ identity, requireTls: false }));
        },
      });
    };
    const get = (path: string, headers: NonNullable<Ask['headers']>) =>
      ask(host.url + path, { key: '', headers });
    const keys = (cookie: string) => get(`/dashboard/api/${setup.account}/test/keys`, { cookie });

    it('are not used up by failed logins of admins', async () => {
      await mount(setup.login.identity);
      const cookie = setup.logIn('owner');
      const guess = () => get('/admin/me', { cookie: 'session=guessed' });
      expect(await sendMany(40, guess)).to.include(429);
      expect((await keys(cookie)).status).to.equal(200);
    });

    it('let users in while the login of the host is slow for others', async () => {
      const { identity } = setup.login;
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      await mount({
        ...identity,
        current: async (request) => {
          if (request.headers.cookie === 'session=slow') await released;
          return identity.current(request);
        },
      });
      const slow = Array.from({ length: 30 }, () => keys('session=slow'));
      expect((await keys(setup.logIn('owner'))).status).to.equal(200);
      release();
      const statuses = (await Promise.all(slow)).map(({ status }) => status);
      expect(statuses).to.deep.equal(Array(30).fill(401));
    });
  });
});
