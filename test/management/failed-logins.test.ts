import { expect } from 'chai';
import type { Authenticator } from 'paymount';
import { allOf, anyOf, CredentialMissing, hostSessionAdmin, jwtAdmin, mtlsAdmin } from 'paymount';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import type { Reply } from '../support/ask.ts';
import { AUDIENCE, type Issuer } from '../support/issuer.ts';

const PROXY = '127.0.0.1';
const OPS = { id: 'ops', roles: ['viewer'] };
const GOOD_SESSION = { cookie: 'session=good' };

const session = hostSessionAdmin(({ headers }) =>
  headers.cookie === GOOD_SESSION.cookie ? OPS : undefined,
);
const certificate = mtlsAdmin({
  san: { 'DNS:ops.test': OPS },
  proxy: { header: 'x-client-san', trustedProxies: [PROXY] },
});
const tokens = ({ issuer, jwksUri }: Issuer): Authenticator =>
  jwtAdmin({ issuer, audience: AUDIENCE, jwksUri });
/** A host's own, which knows admins by a header of its own. */
const own: Authenticator = async ({ headers }) => {
  if (headers['x-password'] === undefined) throw new CredentialMissing('Send x-password.');
  return { ...OPS, displayName: 'ops', accounts: 'all', environments: ['test'], via: 'own' };
};

describe('A login of an admin that fails', () => {
  let app: AdminApp;
  const start = async (authenticate: (issuer: Issuer) => Authenticator): Promise<void> => {
    app = await startAdminApp({
      authenticate,
      paymount: { rateLimit: {}, trustedProxies: [PROXY] },
    });
  };
  afterEach(() => app.close());

  /** All come from one address, as the admins of an office do. */
  const ask = (headers: Readonly<Record<string, string>>, token = ''): Promise<Reply> =>
    app.admin('/me', {
      token,
      headers: { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https', ...headers },
    });
  const sendMany = async (count: number, send: () => Promise<Reply>): Promise<Set<number>> => {
    const replies: Reply[] = [];
    while (replies.length < count) {
      replies.push(...(await Promise.all(Array.from({ length: 20 }, send))));
    }
    return new Set(replies.map(({ status }) => status));
  };

  const MOUNTS: readonly {
    readonly what: string;
    readonly authenticate: (issuer: Issuer) => Authenticator;
    readonly good: Readonly<Record<string, string>> | 'token';
    readonly bad: Readonly<Record<string, string>> | 'token';
  }[] = [
    { what: 'a token', authenticate: tokens, good: 'token', bad: 'token' },
    {
      what: 'the session of the host',
      authenticate: () => session,
      good: GOOD_SESSION,
      bad: { cookie: 'session=guessed' },
    },
    {
      what: 'a client certificate',
      authenticate: () => certificate,
      good: { 'x-client-san': 'DNS:ops.test' },
      bad: { 'x-client-san': 'DNS:eve.test' },
    },
    {
      what: 'a token or a session',
      authenticate: (issuer) => anyOf(tokens(issuer), session),
      good: GOOD_SESSION,
      bad: 'token',
    },
    {
      what: 'a session or a token',
      authenticate: (issuer) => anyOf(session, tokens(issuer)),
      good: 'token',
      bad: 'token',
    },
    {
      what: 'a certificate and a token',
      authenticate: (issuer) => allOf(certificate, tokens(issuer)),
      good: { 'x-client-san': 'DNS:ops.test' },
      bad: { 'x-client-san': 'DNS:ops.test' },
    },
  ];

  for (const { what, authenticate, good, bad } of MOUNTS) {
    it(`does not count without a credential, where admins are known by ${what}`, async () => {
      await start(authenticate);
      const token = await app.token(['viewer']);
      const forged = await app.token(['viewer'], { iss: 'https://somebody.test' });
      const needsBoth = what === 'a certificate and a token';
      const sendGood = (): Promise<Reply> =>
        good === 'token' ? ask({}, token) : ask(good, needsBoth ? token : '');
      const sendBad = (): Promise<Reply> =>
        bad === 'token' ? ask({}, forged) : ask(bad, needsBoth ? forged : '');
      expect([...(await sendMany(200, () => ask({})))]).to.deep.equal([401]);
      expect((await sendGood()).status).to.equal(200);
      expect([...(await sendMany(40, sendBad))]).to.have.members([401, 429]);
      expect((await sendGood()).status).to.equal(429);
    });
  }

  it("does not count without a credential by the host's own authenticator, which says so", async () => {
    await start(() => own);
    expect([...(await sendMany(40, () => ask({})))]).to.deep.equal([401]);
    const { error, status } = await ask({});
    expect([status, error['code'], error['message']]).to.deep.equal([
      401,
      'admin_unauthenticated',
      'Send x-password.',
    ]);
    expect((await ask({ 'x-password': 'good' })).status).to.equal(200);
  });

  it('does not count with the cookie of a host that knows admins by a header of its own', async () => {
    await start(() =>
      hostSessionAdmin(({ headers }) => (headers['x-session'] === 'good' ? OPS : undefined), {
        headers: ['X-Session'],
      }),
    );
    expect([...(await sendMany(40, () => ask({ cookie: 'theme=dark' })))]).to.deep.equal([401]);
    expect((await ask({ 'x-session': 'good' })).status).to.equal(200);
    expect([...(await sendMany(40, () => ask({ 'x-session': 'guess' })))]).to.have.members([
      401, 429,
    ]);
    expect((await ask({ 'x-session': 'good' })).status).to.equal(429);
  });

  it('does not count with other cookies than those that the host names', async () => {
    await start(() =>
      hostSessionAdmin(({ headers }) => (headers.cookie?.includes('session=good') ? OPS : null), {
        cookies: ['session'],
      }),
    );
    for (const cookie of ['theme=session', '_ga=GA1.1; old-session=a', 'session2=a']) {
      expect([...(await sendMany(40, () => ask({ cookie })))], cookie).to.deep.equal([401]);
    }
    const good = { cookie: 'theme=dark; session=good' };
    expect((await ask(good)).status).to.equal(200);
    const guess = { cookie: 'theme=dark; session=guess' };
    expect([...(await sendMany(40, () => ask(guess)))]).to.have.members([401, 429]);
    expect((await ask(good)).status).to.equal(429);
    for (const cookies of [[], 'session', [7]]) {
      expect(() => Reflect.apply(hostSessionAdmin, undefined, [() => OPS, { cookies }])).to.throw(
        '`cookies` of hostSessionAdmin() is a list of names',
      );
    }
  });

  it('does not keep admins out when pages of another site send it, and still is no free guess', async () => {
    await start(() => session);
    const stale = { cookie: 'session=stale' };
    for (const page of [
      { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.test' },
    ]) {
      // Who guesses may say so too: of each minute's worth of them no more are looked at than of others.
      await sendMany(40, () => ask({ ...stale, ...page }));
      expect((await ask({ ...GOOD_SESSION, ...page })).status).to.equal(429);
      expect((await ask(GOOD_SESSION)).status).to.equal(200);
    }
  });
});
