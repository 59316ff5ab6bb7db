import type { Leak } from '@paymount/core/access';
import { mintKey } from '@paymount/core/access';
import { type AccountId, PaymountError } from '@paymount/core/kernel';
import { expect } from 'chai';
import { ask } from '../support/ask.ts';
import { eventually } from '../support/eventually.ts';
import { type LeaksSetup, startLeaksSetup } from './leaks-setup.ts';

describe('a key in the address of a request', () => {
  let setup: LeaksSetup;

  before(async () => {
    setup = await startLeaksSetup();
    const authenticate = () => Promise.reject(new PaymountError('admin_unauthenticated'));
    setup.app.use('/admin', setup.paymount.managementRouter({ authenticate }));
    const identity = { current: async () => null, loginUrl: () => '/login' };
    setup.app.use('/dashboard', setup.paymount.dashboardRouter({ identity }));
  });
  after(() => setup.close());

  /** Waits for the background to have recorded so many leaks. */
  async function leaks(account: AccountId, count: number): Promise<readonly Leak[]> {
    return eventually(
      () => setup.listLeaks(account),
      (found) => found.length >= count,
    );
  }

  const get = (path: string, key = '') => ask(`${setup.url}${path}`, { key });

  it('is refused, recorded and mailed to its owner, but stays active', async () => {
    const account = await setup.newAccount('Address', 'address@shop.example');
    const { secret, ...key } = await setup.newKey(account);
    const { status, error } = await get(`/v1/charges?api_key=${secret}`);
    expect([status, error['code']]).to.deep.equal([400, 'key_in_url']);
    const [leak] = await leaks(account, 1);
    expect(leak).to.deep.include({
      credential: { kind: 'key', id: key.id },
      source: 'url',
      url: 'GET /v1/charges',
      action: 'notified',
      status: 'open',
    });
    expect(await get('/v1/balance', secret)).to.include({ status: 200 });
    await setup.worker.drain();
    const [mail] = setup.inbox.mails.filter(({ to }) => to[0] === 'address@shop.example');
    expect(mail?.email.subject).to.equal('A test secret key of Address leaked and still works');
    expect(mail?.email.text).to.include('the address of a request to this API (GET /v1/charges)');
    expect(setup.log.text().includes(secret), 'the key was logged').to.equal(false);
  });

  it('is recorded once for each route, in any part and encoding', async () => {
    const account = await setup.newAccount('Routes', 'routes@shop.example');
    const { secret } = await setup.newKey(account);
    const encoded = secret.replaceAll('_', '%5F');
    for (const path of [
      `/v1/charges/${secret}`,
      `/v1/charges/${secret}?again=1`,
      `/v1/charges/${encoded}`,
      `/v1/refunds?limit=1&key=${encoded}`,
      `/v1/refunds?%zz&key=${secret}`,
    ]) {
      expect((await get(path)).error['code'], path.replaceAll(secret, '<key>')).to.equal(
        'key_in_url',
      );
    }
    const found = await leaks(account, 2);
    expect(found.map(({ url }) => url).sort()).to.deep.equal([
      'GET /v1/charges/:id',
      'GET /v1/refunds',
    ]);
    await setup.worker.drain();
    const mails = setup.inbox.mails.filter(({ to }) => to[0] === 'routes@shop.example');
    expect(mails.length).to.be.within(1, 2);
  });

  it('is refused whatever else the request may be, and recorded', async () => {
    for (const [method, path, route] of [
      ['GET', '/v1/<key>', 'GET (no route)'],
      ['PUT', '/v1/charges?key=<key>', 'PUT (no route)'],
      ['GET', '/v1/openapi.json?key=<key>', 'GET (no route)'],
      ['GET', '/admin/openapi.json?key=<key>', 'GET (no route)'],
      ['GET', '/admin/<key>', 'GET (no route)'],
      ['GET', '/admin/keys/<key>', 'GET /keys/:id'],
      ['GET', '/v1/charges/pm_<key>', 'GET /v1/charges/:id'],
      ['GET', '/v1/charges?a<key>_old=1', 'GET /v1/charges'],
    ] as const) {
      const account = await setup.newAccount('Anywhere');
      const { secret } = await setup.newKey(account);
      const { status, error } = await ask(setup.url + path.replace('<key>', secret), {
        method,
        key: '',
      });
      expect([status, error['code']], path).to.deep.equal([400, 'key_in_url']);
      const [leak] = await leaks(account, 1);
      expect(leak?.url, path).to.equal(route);
    }
  });

  it('is recorded on pages of the dashboard too, which show the refusal', async () => {
    for (const [path, route] of [
      ['/dashboard/keys?search=<key>', 'GET /'],
      ['/dashboard/login?to=<key>', 'GET /'],
      ['/dashboard/assets/<key>.js', 'GET /'],
      ['/dashboard/api/session?key=<key>', 'GET /api/session'],
    ] as const) {
      const account = await setup.newAccount('Page');
      const { secret } = await setup.newKey(account);
      const { status, text } = await get(path.replace('<key>', secret));
      expect([status, text.includes('The URL contains a credential')], path).to.deep.equal([
        400,
        true,
      ]);
      const [leak] = await leaks(account, 1);
      expect(leak?.url, path).to.equal(route);
    }
  });

  it('changes nothing when it is unknown or publishable', async () => {
    const before = (await setup.sql('SELECT id FROM paymount.leaks')).length;
    const { secret: publishable } = await setup.newKey(setup.account, { type: 'publishable' });
    expect(await get(`/v1/charges?key=${mintKey('secret', 'live')}`)).to.include({ status: 400 });
    expect(await get(`/v1/charges?key=${publishable}`)).to.include({ status: 400 });
    const account = await setup.newAccount('Last');
    const { secret } = await setup.newKey(account);
    await get(`/v1/charges?key=${secret}`);
    await leaks(account, 1);
    expect(await setup.sql('SELECT id FROM paymount.leaks')).to.have.length(before + 1);
  });

  it('is answered at once also while the record of it waits for a lock', async () => {
    const account = await setup.newAccount('Locked');
    const { secret, ...key } = await setup.newKey(account);
    await setup.sql('BEGIN');
    await setup.sql('SELECT id FROM paymount.api_keys WHERE id = $1 FOR UPDATE', [key.id]);
    for (let times = 0; times < 200; times += 1) {
      expect(await get(`/v1/charges?key=${secret}&n=${times}`)).to.include({ status: 400 });
    }
    expect(await setup.listLeaks(account)).to.deep.equal([]);
    await setup.sql('COMMIT');
    expect(await leaks(account, 1)).to.have.length(1);
  });
});
