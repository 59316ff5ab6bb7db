import { expect } from 'chai';
import { ask } from '../support/ask.ts';
import { query } from '../support/database.ts';
import { startHost } from '../support/host.ts';
import { type DashboardSetup, MOUNT, startDashboardSetup } from './dashboard-setup.ts';

describe('The session of a dashboard', () => {
  let setup: DashboardSetup;

  before(async () => {
    setup = await startDashboardSetup();
  });
  after(() => setup.close());

  it('begins at the login of the host, which leads back to the page', async () => {
    const path = `/${setup.account}/test/keys?type=secret`;
    const { status, headers } = await setup.open(path);
    expect([status, headers.location]).to.deep.equal([
      303,
      `/login?${new URLSearchParams({ returnTo: `${MOUNT}${path}` })}`,
    ]);
    const cookie = setup.logIn('owner');
    const page = await setup.open(path, { headers: { cookie } });
    expect(page.status).to.equal(200);
    expect(page.text).to.include('<base href="../../"');
  });

  it('sends pages whose scripts and styles come from the host alone, never in a frame', async () => {
    const cookie = setup.logIn('viewer');
    const nonces = [];
    for (const path of ['/', '/x/y/z/']) {
      const { headers, text } = await setup.open(path, { headers: { cookie } });
      const policy = String(headers['content-security-policy']);
      const [, nonce = ''] = /'nonce-([A-Za-z0-9+/=]{24})'/.exec(policy) ?? [];
      expect(policy).to.equal(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'self'`,
      );
      expect(text).to.include(`content="${nonce}"`);
      expect(headers).to.include({ 'cache-control': 'no-store', 'x-frame-options': 'DENY' });
      nonces.push(nonce);
    }
    expect(new Set(nonces)).to.have.lengthOf(2);
    const bare = await setup.open('?x=1', { headers: { cookie } });
    expect([bare.status, bare.headers.location]).to.deep.equal([303, `${MOUNT}/?x=1`]);
  });

  it('says who is logged in, and what the role permits in each environment', async () => {
    const cookie = setup.logIn('developer');
    const { status, json } = await setup.open('/api/session', { headers: { cookie } });
    expect(status).to.equal(200);
    const reads = [
      'accounts.read',
      'keys.read',
      'grants.read',
      'endpoints.read',
      'deliveries.read',
      'leaks.read',
      'charges.read',
      'balance.read',
      'payouts.read',
      'billing.read',
    ];
    const permissions = json['permissions'] as Record<string, Record<string, string[]>>;
    expect(Object.keys(permissions)).to.deep.equal(['developer']);
    expect(permissions['developer']?.['live']?.toSorted()).to.deep.equal(
      [...reads, 'deliveries.replay'].toSorted(),
    );
    expect(permissions['developer']?.['test']?.toSorted()).to.deep.equal(
      [
        ...reads,
        'deliveries.replay',
        'keys.write',
        'keys.revoke',
        'endpoints.write',
        'events.trigger',
        'leaks.write',
        'charges.refund',
      ].toSorted(),
    );
    expect(json).to.deep.include({
      user: { id: 'user-1', display_name: 'Ada Merchant' },
      environments: ['live', 'test'],
    });
  });

  it('is required by the API, which answers 401 without asking the browser for a password', async () => {
    for (const path of ['/api/session', `/api/${setup.account}/test/keys`]) {
      const { status, error, headers } = await setup.open(path);
      expect([status, error['code']]).to.deep.equal([401, 'login_required']);
      expect(headers['www-authenticate']).to.equal(undefined);
    }
    const withKey = await setup.open(`/api/${setup.account}/test/keys`, { key: setup.secretKey });
    expect(withKey.status).to.equal(401);
  });

  it('is renewed at the login, which leads back below the mount whatever is asked', async () => {
    for (const [to, expected] of [
      ['acct_1/test/keys?x=1', '/acct_1/test/keys?x=1'],
      ['', '/'],
      ['//evil.example/x', '/evil.example/x'],
      ['/\\evil.example', '/evil.example'],
      ['https://evil.example/', '/https://evil.example/'],
      ['../../admin', '/admin'],
      ['javascript:alert(1)', '/javascript:alert(1)'],
    ] as const) {
      const sent = new URLSearchParams({ to, reason: 'reauthenticate' });
      const { status, headers } = await setup.open(`/login?${sent}`);
      const returnTo = new URLSearchParams(String(headers.location).split('?')[1]).get('returnTo');
      expect([status, returnTo], to).to.deep.equal([303, `${MOUNT}${expected}`]);
      expect(setup.login.visits.at(-1)?.hint).to.deep.equal({
        reason: 'reauthenticate',
        maxAgeSeconds: 600,
      });
    }
  });

  it('leads to no other host where the mount is the root', async () => {
    const { identity } = setup.login;
    const host = await startHost(setup, {
      paymount: { clock: setup.clock },
      mount: (app, paymount) => {
        app.use(paymount.dashboardRouter({ identity, requireTls: false, environments: ['test'] }));
      },
    });
    try {
      for (const [path, expected] of [
        ['/login?to=.//evil.example', '/evil.example'],
        ['/login?to=..//evil.example', '/evil.example'],
        ['/login?to=%2F%2Fevil.example', '/evil.example'],
        ['//evil.example/x', '/evil.example/x'],
        ['/acct_1/test', '/acct_1/test'],
      ] as const) {
        const { headers } = await ask(`${host.url}${path}`, { key: '' });
        const [, query] = String(headers.location).split('?');
        expect(new URLSearchParams(query).get('returnTo'), path).to.equal(expected);
      }
    } finally {
      await host.close();
    }
  });

  it('shows a page to a browser, and no internals, when the login cannot be read', async () => {
    const identity = {
      ...setup.login.identity,
      current: () => Promise.reject(new Error('redis://:secret@10.0.0.1 <b>refused</b>')),
    };
    setup.app.use('/broken', setup.paymount.dashboardRouter({ identity, requireTls: false }));
    const page = await ask(`${setup.url}/broken/${setup.account}/test/keys`, { key: '' });
    expect([page.status, page.headers['content-type']]).to.deep.equal([
      503,
      'text/html; charset=utf-8',
    ]);
    expect(page.headers['content-security-policy']).to.equal(
      "default-src 'none'; frame-ancestors 'none'",
    );
    expect(page.text).to.include('<h1>The dashboard cannot be shown</h1>');
    expect(page.text).to.include(String(page.headers['request-id']));
    expect(page.text).not.to.match(/secret|refused|10\.0/);
    const program = await ask(`${setup.url}/broken/api/session`, { key: '' });
    expect([program.status, program.error['code']]).to.deep.equal([503, 'unavailable']);
  });

  it('has no files but those that were built', async () => {
    for (const path of ['/assets/x.js', '/assets/..%2findex.html', '/assets/../index.html']) {
      expect((await setup.open(path)).status, path).to.be.oneOf([303, 404]);
    }
    expect((await setup.open('/', { method: 'POST' })).status).to.equal(405);
    expect((await setup.open('/api/unknown')).status).to.equal(404);
  });

  it('needs the identity of the host, and looks that can be used', () => {
    const mount = (options: object) => () => setup.paymount.dashboardRouter(options as never);
    const { identity } = setup.login;
    expect(mount({})).to.throw(TypeError, '`identity` of dashboardRouter()');
    expect(mount({ identity, environments: [] })).to.throw(TypeError, '`environments`');
    expect(mount({ identity, appearance: { color: 'blue' } })).to.throw(TypeError, 'color');
    expect(mount({ identity, origin: 'x' })).to.throw(TypeError, '`origins`');
  });
});

describe('The logo of a dashboard', () => {
  let setup: DashboardSetup;

  before(async () => {
    setup = await startDashboardSetup();
  });
  after(() => setup.close());

  it('comes from the host itself, so that no page asks another origin', () => {
    const { identity } = setup.login;
    const mount = (logoUrl: string) => () =>
      setup.paymount.dashboardRouter({ identity, appearance: { logoUrl } });
    for (const logoUrl of ['/logo.svg', '/', 'data:image/svg+xml;base64,PHN2Zy8+']) {
      expect(mount(logoUrl), logoUrl).not.to.throw();
    }
    for (const logoUrl of [
      'https://cdn.example/logo.svg',
      'http://x.example/',
      '//cdn.example/logo.svg',
      '/\\cdn.example/logo.svg',
      '/\t/cdn.example/logo.svg',
      'logo.svg',
      'data:text/html,x',
    ]) {
      expect(mount(logoUrl), logoUrl).to.throw(TypeError, 'loads nothing from other origins');
    }
  });
});

describe('The API of a dashboard', () => {
  let setup: DashboardSetup;

  before(async () => {
    setup = await startDashboardSetup();
  });
  after(() => setup.close());

  const newKey = (livemode: boolean) => ({
    account: setup.account,
    livemode,
    type: 'secret',
    name: 'Server',
  });

  it('shows and changes only the account and the environment of the address', async () => {
    const cookie = setup.logIn('owner');
    const made = await setup.call(cookie, '/keys', { body: newKey(false) });
    expect(made.status, made.text).to.equal(200);
    const other = await setup.paymount.accounts.create({
      name: 'Other',
      country: 'DE',
      default_currency: 'eur',
    });
    const foreign = await setup.paymount.keys.create({
      account: other.id,
      livemode: false,
      type: 'secret',
      name: 'Other',
    });
    const { json } = await setup.call(cookie, '/keys');
    const owners = (json['data'] as { account: string; livemode: boolean }[]).map(
      ({ account, livemode }) => [account, livemode],
    );
    expect(owners).to.deep.equal(owners.map(() => [setup.account, false]));
    expect((await setup.call(cookie, `/keys/${foreign.id}`)).status).to.equal(404);
    const inLive = await setup.call(cookie, `/keys/${made.json['id']}`, { environment: 'live' });
    expect(inLive.status).to.equal(404);
    const path = `/api/${other.id}/test/keys`;
    expect((await setup.open(path, { headers: { cookie } })).status).to.equal(404);
    const body = { ...newKey(false), account: other.id };
    expect((await setup.call(cookie, '/keys', { body })).status).to.equal(400);
    expect((await setup.call(cookie, '/keys', { body: newKey(true) })).status).to.equal(403);
  });

  it('has only the environments that the host names', async () => {
    const { identity } = setup.login;
    const options = { identity, requireTls: false, environments: ['test'] } as const;
    setup.app.use('/only-test', setup.paymount.dashboardRouter(options));
    const headers = { cookie: setup.logIn('owner') };
    const get = (path: string) => ask(`${setup.url}/only-test${path}`, { key: '', headers });
    expect((await get(`/api/${setup.account}/test/keys`)).status).to.equal(200);
    const { status, error } = await get(`/api/${setup.account}/live/keys`);
    expect([status, error['code'], error['message']]).to.deep.equal([
      404,
      'resource_missing',
      'This dashboard has no live data.',
    ]);
    const session = await get('/api/session');
    expect(session.json['environments']).to.deep.equal(['test']);
    const permissions = session.json['permissions'] as Record<string, Record<string, string[]>>;
    expect(permissions['owner']?.['live']).to.deep.equal([]);
  });

  it('lets a role do what it permits, and nothing else', async () => {
    const viewer = setup.logIn('viewer');
    const developer = setup.logIn('developer');
    const owner = setup.logIn('owner');
    const create = async (cookie: string, livemode: boolean) => {
      const environment = livemode ? 'live' : 'test';
      return (await setup.call(cookie, '/keys', { environment, body: newKey(livemode) })).status;
    };
    expect(await create(viewer, false)).to.equal(403);
    expect([await create(developer, false), await create(developer, true)]).to.deep.equal([
      200, 403,
    ]);
    expect([await create(owner, false), await create(owner, true)]).to.deep.equal([200, 200]);
    expect((await setup.call(viewer, '/audit')).status).to.equal(403);
    expect((await setup.call(owner, '/audit')).status).to.equal(200);
  });

  it('refuses writes that a page of another site could have sent', async () => {
    const cookie = setup.logIn('owner');
    for (const headers of [
      { 'paymount-csrf': '' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
    ]) {
      const { status } = await setup.call(cookie, '/keys', { body: newKey(false), headers });
      expect(status, JSON.stringify(headers)).to.equal(403);
    }
  });

  it('writes the user into the audit log, and no name of an admin', async () => {
    const cookie = setup.logIn('owner', { userId: 'admin-1' });
    const { json } = await setup.call(cookie, '/keys', { body: newKey(false) });
    const rows = await query(
      setup.databaseUrl,
      `SELECT actor_type, actor_id, via FROM paymount.audit_log WHERE target = '${json['id']}'`,
    );
    expect(rows).to.deep.equal([{ actor_type: 'user', actor_id: 'admin-1', via: 'session' }]);
  });

  it('shows what admins did to the account, and not from where', async () => {
    const by = { actor: { type: 'admin', id: 'ada' }, via: 'jwt', ip: '192.0.2.7' } as const;
    const named = {
      account: setup.account,
      livemode: false,
      type: 'secret',
      name: 'By an admin',
    } as const;
    await setup.paymount.keys.create(named, { by: { ...by, userAgent: 'Firefox' } });
    const cookie = setup.logIn('owner');
    await setup.call(cookie, '/keys', { body: newKey(false) });
    const { json } = await setup.call(cookie, '/audit?limit=100');
    const shown = (json['data'] as { actor: { type: string }; ip: string | null }[]).map(
      ({ actor, ip }) => `${actor.type} ${ip}`,
    );
    expect(shown).to.include('user 127.0.0.1').and.to.include('admin null');
    expect(JSON.stringify(json)).not.to.include('192.0.2.7').and.not.to.include('Firefox');
  });

  it('repeats the answer to an idempotency key of the same user alone', async () => {
    const [one, two] = [setup.logIn('owner'), setup.logIn('owner', { userId: 'user-2' })];
    const send = (cookie: string) => {
      const headers = { 'idempotency-key': 'the same' };
      return setup.call(cookie, '/keys', { body: newKey(false), headers });
    };
    const [first, again, other] = [await send(one), await send(one), await send(two)];
    expect(again.json['id']).to.equal(first.json['id']);
    expect(again.headers['idempotent-replayed']).to.equal('true');
    expect(other.status).to.equal(200);
    expect(other.json['id']).not.to.equal(first.json['id']);
  });

  it('has charges, the balance and connected applications of `/v1`', async () => {
    const sale = { amount: 700, currency: 'eur', payment_method: 'pm_card_visa' };
    const charged = await setup.paymount.charges.create(setup.acting, sale);
    const cookie = setup.logIn('viewer');
    const { json } = await setup.call(cookie, '/charges?limit=1');
    expect((json['data'] as { id: string }[]).map(({ id }) => id)).to.deep.equal([charged.id]);
    expect((await setup.call(cookie, `/charges/${charged.id}`)).json['amount']).to.equal(700);
    expect((await setup.call(cookie, '/balance')).json['object']).to.equal('balance');
    expect((await setup.call(cookie, '/connected_applications')).json['data']).to.deep.equal([]);
    const inLive = await setup.call(cookie, '/charges', { environment: 'live' });
    expect(inLive.json['data']).to.deep.equal([]);
  });

  it('refunds once for a key, and says in the audit log who did it', async () => {
    const sale = { amount: 700, currency: 'eur', payment_method: 'pm_card_visa' };
    const { id } = await setup.paymount.charges.create(setup.acting, sale);
    const path = `/charges/${id}/refunds`;
    const refund = (cookie: string) =>
      setup.call(cookie, path, { body: { amount: 200 }, headers: { 'idempotency-key': 'one' } });
    expect((await refund(setup.logIn('viewer'))).status).to.equal(403);
    const owner = setup.logIn('owner');
    const both = await Promise.all([refund(owner), refund(owner)]);
    const made = both.filter(({ status }) => status === 200);
    expect(made).to.have.length.at.least(1);
    const again = await refund(owner);
    expect([again.status, again.json['id']]).to.deep.equal([200, made[0]?.json['id']]);
    const { json } = await setup.call(owner, `/charges/${id}`);
    expect(json['amount_refunded']).to.equal(200);
    const rows = await query(
      setup.databaseUrl,
      `SELECT actor_type, actor_id, after FROM paymount.audit_log
        WHERE action = 'refund.create' AND target = '${again.json['id']}'`,
    );
    const after = { charge: id, amount: 200, currency: 'eur', reason: null };
    expect(rows).to.deep.equal([{ actor_type: 'user', actor_id: 'user-1', after }]);
  });

  it('triggers events in test for those who may, and has no route for admins', async () => {
    const body = { type: 'payout.paid' };
    const path = '/test_helpers/events';
    const developer = setup.logIn('developer');
    const headers = { 'idempotency-key': 'an event' };
    const made = await setup.call(developer, path, { body, headers });
    expect(made.status, made.text).to.equal(200);
    const again = await setup.call(developer, path, { body, headers });
    expect(again.json['id']).to.equal(made.json['id']);
    const live = await setup.call(setup.logIn('owner'), path, { environment: 'live', body });
    expect(live.status).to.equal(403);
    expect((await setup.call(setup.logIn('viewer'), path, { body })).status).to.equal(403);
    for (const hidden of ['/accounts', '/platforms', '/operations', '/health', '/me', '/grants']) {
      expect((await setup.call(setup.logIn('owner'), hidden)).status, hidden).to.equal(404);
    }
  });
});
