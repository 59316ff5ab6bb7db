import { expect } from 'chai';
import {
  type AdminFacts,
  type Authenticator,
  anyOf,
  hostSessionAdmin,
  mtlsAdmin,
  PaymountError,
} from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { type Ask, ask, postForm } from '../support/ask.ts';

const NAME = 'URI:spiffe://shop.test/ops';
const OPS: AdminFacts = { id: 'ops', roles: ['admin'] };

const session = hostSessionAdmin(({ headers }) => (headers.cookie === 'session=ada' ? OPS : null));
const certificate = mtlsAdmin({
  san: { [NAME]: OPS },
  proxy: { header: 'x-client-san', trustedProxies: ['127.0.0.0/8'] },
});
const own: Authenticator = async ({ headers }) => {
  if (headers.authorization === undefined) throw new PaymountError('admin_unauthenticated');
  return { ...OPS, displayName: '', accounts: 'all', environments: ['test', 'live'], via: 'own' };
};

/** Mounts, and what a browser adds to a request by itself for each. */
const MOUNTS = {
  '/certificate': [certificate, { 'x-client-san': NAME }],
  '/session': [session, { cookie: 'session=ada', 'paymount-csrf': '1' }],
  '/either': [anyOf(session, certificate), { cookie: 'session=ada', 'x-client-san': NAME }],
  '/own': [own, { authorization: 'Negotiate x' }],
} as const;

const FOREIGN: readonly Record<string, string>[] = [
  { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' },
  { origin: 'https://evil.test' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
];

describe('A form on the page of another site', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp({
      mount(host, paymount) {
        for (const [path, [authenticate]] of Object.entries(MOUNTS)) {
          host.use(path, paymount.managementRouter({ authenticate }));
        }
        const origins = ['https://admin.shop.test'];
        host.use('/listed', paymount.managementRouter({ authenticate: certificate, origins }));
      },
    });
  });
  after(() => app.close());

  async function suspend(mount: string, headers: NonNullable<Ask['headers']>): Promise<string> {
    const url = `${app.url}${mount}/accounts/${app.account}/suspend`;
    const { status, error } = await postForm(url, '', { key: '', headers });
    return status === 200 ? '200' : `${status} ${String(error['code'])}`;
  }

  for (const [mount, [, added]] of Object.entries(MOUNTS)) {
    it(`writes nothing below ${mount}, whatever the browser adds`, async () => {
      for (const headers of FOREIGN) {
        const what = JSON.stringify(headers);
        expect(await suspend(mount, { ...added, ...headers }), what).to.equal(
          '403 permission_denied',
        );
      }
      const read = { key: '', headers: { authorization: 'Negotiate x' } };
      const { json } = await ask(`${app.url}/own/accounts/${app.account}`, read);
      expect(json['status']).to.equal('active');
    });
  }

  it('is distinguished from a program, which sends neither header, and from an own page', async () => {
    const { '/certificate': certified } = MOUNTS;
    expect(await suspend('/certificate', certified[1])).to.equal('200');
    const page = { origin: app.url, 'sec-fetch-site': 'same-origin' };
    expect(await suspend('/certificate', { ...certified[1], ...page })).to.equal('200');
    await app.paymount.accounts.resume(app.account);
  });

  it('is not let in by a certificate when the session refused it', async () => {
    expect(await suspend('/either', MOUNTS['/either'][1])).to.equal('403 permission_denied');
    expect(await suspend('/either', { 'x-client-san': NAME })).to.equal('200');
    await app.paymount.accounts.resume(app.account);
  });

  it('is distinguished from the pages that the host lists', async () => {
    const added = { 'x-client-san': NAME };
    const listed = { ...added, origin: 'https://admin.shop.test', 'sec-fetch-site': 'cross-site' };
    expect(await suspend('/listed', listed)).to.equal('200');
    expect(await suspend('/listed', { ...added, origin: app.url })).to.equal(
      '403 permission_denied',
    );
    expect(await suspend('/listed', added)).to.equal('200');
    await app.paymount.accounts.resume(app.account);
    for (const origin of ['admin.shop.test', 'https://admin.shop.test/']) {
      const mount = (): unknown =>
        app.paymount.managementRouter({ authenticate: certificate, origins: [origin] });
      expect(mount).to.throw('An origin is a scheme');
    }
  });
});
