import { newId, parseId } from '@paymount/core/kernel';
import { expect } from 'chai';
import { hostSessionAdmin, jwtAdmin } from 'paymount';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { ask, JSON_TYPE, type Reply } from '../support/ask.ts';
import { startHost } from '../support/host.ts';
import { AUDIENCE } from '../support/issuer.ts';
import { makeSealingKeys } from '../support/make.ts';

describe('Making and rotating live keys', () => {
  let app: AdminApp;
  before(async () => {
    app = await startAdminApp();
  });
  after(() => app.close());

  /** A token of an admin who signed in so many seconds ago. */
  async function signedIn(secondsAgo: number | undefined): Promise<string> {
    const now = Math.floor(app.clock.now().getTime() / 1_000);
    const authTime = secondsAgo === undefined ? undefined : now - secondsAgo;
    return app.token(['admin'], { auth_time: authTime });
  }

  async function make(livemode: boolean, secondsAgo: number | undefined): Promise<Reply> {
    const body = { account: app.account, livemode, type: 'secret', name: 'a' };
    return app.admin('/keys', { token: await signedIn(secondsAgo), body });
  }

  it('need a login of the last ten minutes', async () => {
    for (const secondsAgo of [0, 599, -4]) {
      expect((await make(true, secondsAgo)).status, `${secondsAgo}`).to.equal(200);
    }
    for (const secondsAgo of [602, 86_400, -60, undefined]) {
      const { status, error, headers } = await make(true, secondsAgo);
      expect([status, error['code']], `${secondsAgo}`).to.deep.equal([
        401,
        'insufficient_user_authentication',
      ]);
      expect(error['max_age']).to.equal(600);
      expect(error['message'], `${secondsAgo}`).to.equal(
        'In live this requires a login of the last 10 ' +
          (secondsAgo === undefined
            ? 'minutes. Your login has no time: the host must set it as `authTime`, a token as `auth_time`.'
            : 'minutes. Sign in again, then repeat the request.'),
      );
      expect(headers['www-authenticate']).to.equal(
        'Bearer error="insufficient_user_authentication", max_age=600',
      );
    }
  });

  it('need no fresh login in the test environment', async () => {
    expect((await make(false, 86_400)).status).to.equal(200);
    expect((await make(false, undefined)).status).to.equal(200);
  });

  it('need it to rotate as well, and never to revoke, to end now or to rename', async () => {
    const key = String((await make(true, 0)).json['id']);
    const rotated = await app.admin(`/keys/${key}/rotate`, {
      token: await signedIn(700),
      body: {},
    });
    expect(rotated.error['code']).to.equal('insufficient_user_authentication');
    for (const [path, body] of [
      ['', { name: 'b' }],
      ['', { expires_at: app.clock.now().toISOString() }],
      ['/revoke', {}],
    ] as const) {
      const token = await signedIn(undefined);
      const { status, text } = await app.admin(`/keys/${key}${path}`, { token, body });
      expect(status, text).to.equal(200);
    }
  });
});

describe('Giving live keys other rights', () => {
  let app: AdminApp;
  before(async () => {
    app = await startAdminApp();
  });
  after(() => app.close());

  const EDITS: readonly object[] = [
    { scopes: ['charges:read', 'charges:write'] },
    { allowed_ips: ['10.0.0.0/8'] },
    { allowed_ips: '' },
    { allowed_ips: null },
    { expires_at: '2099-01-01T00:00:00Z' },
    { expires_at: '' },
    { expires_at: null },
    { expires_at: '2020-01-01T00:00:00Z', scopes: ['charges:write'] },
  ];

  /** How each edit of a new key is answered to who signed in so many seconds ago. */
  async function edit(environment: 'live' | 'test', secondsAgo: number): Promise<unknown[]> {
    const answers: unknown[] = [];
    const seconds = Math.floor(app.clock.now().getTime() / 1_000);
    for (const body of EDITS) {
      const key = await app.paymount.keys.create({
        account: app.account,
        livemode: environment === 'live',
        type: 'restricted',
        scopes: ['charges:read'],
        name: 'a',
      });
      const token = await app.token(['admin'], { auth_time: seconds - secondsAgo });
      const { status, error } = await app.admin(`/keys/${key.id}`, { token, body });
      answers.push(error['code'] ?? status);
    }
    return answers;
  }

  it('needs a login of the last ten minutes', async () => {
    expect(await edit('live', 700)).to.deep.equal(
      EDITS.map(() => 'insufficient_user_authentication'),
    );
    expect(await edit('live', 0)).to.deep.equal(EDITS.map(() => 200));
  });

  it('needs no fresh login in the test environment', async () => {
    expect(await edit('test', 700)).to.deep.equal(EDITS.map(() => 200));
  });
});

/** Takes the `jti` out of the claims that a token has otherwise. */
const NO_ID: object = { jti: undefined };

describe('A call that replaces or removes what works', () => {
  const sealingKeys = makeSealingKeys();
  let app: AdminApp;
  before(async () => {
    app = await startAdminApp({ paymount: { sealingKeys } });
  });
  after(() => app.close());

  async function newKey(): Promise<string> {
    const made = { account: app.account, livemode: false, type: 'secret' } as const;
    return (await app.paymount.keys.create({ ...made, name: 'a' })).id;
  }

  const rotate = async (token: string, body: object = {}): Promise<Reply> =>
    app.admin(`/keys/${await newKey()}/rotate`, { token, body });

  const spent = { code: 'admin_unauthenticated' };

  it('takes a token once; other calls go on taking it', async () => {
    const token = await app.token(['admin']);
    expect((await rotate(token)).status).to.equal(200);
    const second = await rotate(token);
    expect(second.status).to.equal(401);
    expect(second.error).to.include(spent);
    expect(second.error['message']).to.equal(
      'This token was already used for a destructive call; send this request with a new token.',
    );
    expect((await app.admin('/me', { token })).status).to.equal(200);
    expect((await app.admin(`/keys/${await newKey()}`, { token, body: {} })).status).to.equal(200);
  });

  it('takes it once of fifty at a time', async () => {
    const token = await app.token(['admin']);
    const keys = await Promise.all(Array.from({ length: 50 }, newKey));
    const answers = await Promise.all(
      keys.map((key) => app.admin(`/keys/${key}/rotate`, { token, body: {} })),
    );
    expect(answers.filter(({ status }) => status === 200)).to.have.lengthOf(1);
    expect(answers.filter(({ status }) => status === 401)).to.have.lengthOf(49);
  });

  it('needs a token that has an id', async () => {
    const { status, error } = await rotate(await app.token(['admin'], { ...NO_ID }));
    expect([status, error['code']]).to.deep.equal([401, 'admin_unauthenticated']);
    expect(error['message']).to.equal('This call needs a token with a `jti`.');
  });

  it('leaves the token alone when its parameters are refused', async () => {
    const token = await app.token(['admin']);
    expect((await rotate(token, { reason: 'x' })).error['code']).to.equal('parameter_unknown');
    expect((await rotate(token)).status).to.equal(200);
  });

  it('leaves the token alone when there is nothing to replace, or it cannot be', async () => {
    const token = await app.token(['admin']);
    const send = (key: string, headers = {}) =>
      app.admin(`/keys/${key}/rotate`, { token, body: {}, headers });
    const missing = newId('key');
    expect((await send(missing)).error['code']).to.equal('resource_missing');
    expect((await send(missing, { 'idempotency-key': 'missing' })).status).to.equal(404);
    const key = await newKey();
    await app.paymount.keys.revoke(parseId('key', key) ?? newId('key'), { reason: 'admin' });
    expect((await send(key)).error['code']).to.equal('key_not_rotatable');
    expect((await rotate(token)).status).to.equal(200);
    expect((await send(missing)).status).to.equal(401);
  });

  it('is replayed under its Idempotency-Key with the same token', async () => {
    const token = await app.token(['admin']);
    const key = await newKey();
    const send = () =>
      app.admin(`/keys/${key}/rotate`, {
        token,
        body: {},
        headers: { 'idempotency-key': 'again' },
      });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status]).to.deep.equal([200, 200]);
    expect(second.text).to.equal(first.text);
    expect((await rotate(token)).status).to.equal(401);
  });

  it('is neither a revocation nor a suspension: one token does any number of them', async () => {
    const token = await app.token(['admin']);
    for (const _ of [1, 2, 3]) {
      const revoked = await app.admin(`/keys/${await newKey()}/revoke`, { token, body: {} });
      expect(revoked.status).to.equal(200);
      const suspended = await app.admin(`/accounts/${app.account}/suspend`, { token, body: {} });
      expect(suspended.status).to.equal(200);
    }
    await app.paymount.accounts.resume(app.account);
  });

  it('takes the same id once of each admin', async () => {
    const claims = { jti: 'the-same' };
    expect((await rotate(await app.token(['admin'], claims))).status).to.equal(200);
    expect((await rotate(await app.token(['admin'], claims))).status).to.equal(401);
    const other = await app.token(['admin'], { ...claims, sub: 'eve@shop.test' });
    expect((await rotate(other)).status).to.equal(200);
  });

  it('takes it once of all processes', async () => {
    const token = await app.token(['admin']);
    expect((await rotate(token)).status).to.equal(200);
    const { issuer, jwksUri } = app.issuer;
    const authenticate = jwtAdmin({ issuer, audience: AUDIENCE, jwksUri });
    const other = await startHost(app, {
      mount: (host, paymount) => void host.use(paymount.managementRouter({ authenticate })),
    });
    const { status, error } = await ask(`${other.url}/keys/${await newKey()}/rotate`, {
      key: token,
      headers: JSON_TYPE,
      body: '{}',
    });
    expect([status, error['code']]).to.deep.equal([401, spent.code]);
    await other.close();
  });

  it('may be repeated by who has no token, but a session', async () => {
    const own = await startAdminApp({
      authenticate: () => hostSessionAdmin(() => ({ id: 'ada', roles: ['admin'] })),
    });
    const facts = { account: own.account, livemode: false, type: 'secret' } as const;
    for (let count = 0; count < 2; count += 1) {
      const key = await own.paymount.keys.create({ ...facts, name: 'a' });
      const { status } = await own.admin(`/keys/${key.id}/rotate`, {
        token: '',
        headers: { 'paymount-csrf': '1' },
        body: {},
      });
      expect(status).to.equal(200);
    }
    await own.close();
  });
});
