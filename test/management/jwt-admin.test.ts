import { expect } from 'chai';
import { SignJWT, UnsecuredJWT } from 'jose';
import { jwtAdmin } from 'paymount';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { AUDIENCE } from '../support/issuer.ts';

describe('An admin who is authenticated by a token', () => {
  let app: AdminApp;
  before(async () => {
    app = await startAdminApp({
      authenticate: ({ issuer, jwksUri }) =>
        jwtAdmin({ issuer, audience: AUDIENCE, jwksUri, refetchSeconds: 0 }),
    });
  });
  after(() => app.close());

  const nowSeconds = (): number => Math.floor(app.clock.now().getTime() / 1_000);

  /** How `/me` answers to a token. */
  async function verdict(token: string): Promise<string> {
    const { status, error, headers, json } = await app.admin('/me', { token });
    if (status === 200) return `200 ${String(json['id'])}`;
    if (status === 401) expect(headers['www-authenticate']).to.equal('Bearer realm="paymount"');
    return `${status} ${String(error['code'])}: ${String(error['message'])}`;
  }

  async function claims(more: object): Promise<string> {
    return verdict(await app.token(['viewer'], { ...more }));
  }

  const refused = (why: string): string => `401 admin_unauthenticated: ${why}`;
  const because = (claim: string): string =>
    refused(`The token is not accepted because of its \`${claim}\`.`);

  it('is who the token says, with its roles, its name and the time of the login', async () => {
    const token = await app.token(['support', 'security', 'unheard-of'], { name: 'Ada L.' });
    const { json } = await app.admin('/me', { token });
    expect(json).to.deep.include({
      object: 'admin',
      id: 'ada@shop.test',
      display_name: 'Ada L.',
      roles: ['support', 'security', 'unheard-of'],
      accounts: 'all',
      environments: ['live', 'test'],
      via: 'jwt',
    });
    expect(Date.parse(String(json['auth_time'])) / 1_000).to.be.closeTo(nowSeconds(), 2);
  });

  it('is not authenticated without a token, with an empty one, or with another scheme', async () => {
    const none = refused('Send `Authorization: Bearer` with a token.');
    expect(await verdict('')).to.equal(none);
    for (const authorization of ['Bearer', 'Bearer ', 'Basic YTpi', 'Bearer a b']) {
      const { status, error } = await app.admin('/me', { token: '', headers: { authorization } });
      expect([status, error['message']], authorization).to.deep.equal([401, none.slice(27)]);
    }
  });

  it('is whom a token names in which chance wrote what looks like a key', async () => {
    // In base64 the first two characters are "oat_", where they begin at the third byte of three.
    const chance = `\u286b\u007f${'a'.repeat(60)}`;
    const tokens = await Promise.all(
      ['', '-', '--'].map((before) => app.token(['viewer'], { name: before + chance })),
    );
    const token = tokens.find((text) => /oat_[0-9A-Za-z]{46}/.test(text)) ?? 'none of them';
    expect(await verdict(token)).to.equal('200 ada@shop.test');
  });

  it('is not authenticated with two headers, equal or not', async () => {
    const bearer = `Bearer ${await app.token(['viewer'])}`;
    const headers = { authorization: [bearer, bearer] };
    const { status, error } = await app.admin('/me', { token: '', headers });
    expect([status, error['code']]).to.deep.equal([400, 'multiple_credentials']);
  });

  it('is let in until the token has expired, and five seconds longer', async () => {
    expect(await claims({ exp: nowSeconds() - 4 })).to.equal('200 ada@shop.test');
    expect(await claims({ exp: nowSeconds() - 6 })).to.equal(
      refused('The token has expired; get a new one.'),
    );
  });

  it('is not let in before the token holds, but for five seconds', async () => {
    expect(await claims({ nbf: nowSeconds() + 4 })).to.equal('200 ada@shop.test');
    expect(await claims({ nbf: nowSeconds() + 7 })).to.equal(because('nbf'));
    expect(await claims({ iat: nowSeconds() + 7 })).to.equal(because('iat'));
  });

  it('is let in by a token of 15 minutes at most, whatever its end', async () => {
    const exp = nowSeconds() + 3_600;
    expect(await claims({ iat: nowSeconds() - 900, exp })).to.equal('200 ada@shop.test');
    expect(await claims({ iat: nowSeconds() - 907, exp })).to.equal(
      refused('The token has expired; get a new one.'),
    );
  });

  it('is not let in by tokens for others, of others, or of another kind', async () => {
    expect(await claims({ aud: 'https://shop.test' })).to.equal(because('aud'));
    expect(await claims({ iss: 'https://evil.test' })).to.equal(because('iss'));
    expect(await verdict(await app.token(['admin'], {}, { typ: 'JWT' }))).to.equal(because('typ'));
  });

  for (const claim of ['exp', 'iat', 'sub'] as const) {
    it(`is not let in by a token without \`${claim}\``, async () => {
      expect(await claims({ [claim]: undefined })).to.equal(because(claim));
    });
  }

  it('is not let in by a login at no time', async () => {
    for (const seconds of [1e300, -1e300, 8.64e12 + 1]) {
      expect(await claims({ auth_time: seconds })).to.equal(
        refused('The `auth_time` of the token is not a valid timestamp.'),
      );
    }
  });

  it('is not let in by a subject that could be no id', async () => {
    for (const sub of ['', 'a\nb', 'x'.repeat(256), 'a\ud800', '\udfffa', 'a\u2028b', 'a\u2029']) {
      expect(await claims({ sub })).to.equal(
        refused('The `sub` of the token is not a valid admin id.'),
      );
    }
  });

  it('is not authenticated by an unsigned token', async () => {
    const seconds = nowSeconds();
    const token = new UnsecuredJWT({ sub: 'eve', roles: ['admin'] })
      .setIssuer(app.issuer.issuer)
      .setAudience(AUDIENCE)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + 600)
      .encode();
    expect(await verdict(token)).to.match(/^401 admin_unauthenticated/);
    const [, payload] = (await app.token(['admin'])).split('.');
    const header = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    expect(await verdict(`${header}.${payload}.`)).to.match(/^401 admin_unauthenticated/);
  });

  it('is not let in by a token signed with the public key as a shared secret', async () => {
    const secret = new TextEncoder().encode(await app.issuer.publicPem());
    const token = await new SignJWT({ roles: ['admin'] })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: 'key-1' })
      .setIssuer(app.issuer.issuer)
      .setAudience(AUDIENCE)
      .setSubject('eve')
      .setIssuedAt(nowSeconds())
      .setExpirationTime(nowSeconds() + 600)
      .sign(secret);
    expect(await verdict(token)).to.equal(
      refused('The token is signed with an algorithm that is not accepted.'),
    );
  });

  it('is not authenticated by a token that was changed', async () => {
    const [header, payload, signature] = (await app.token(['viewer'])).split('.');
    const claimed = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...claimed, roles: ['admin'] }));
    const wrong = refused('The signature of the token does not verify.');
    expect(await verdict(`${header}.${forged.toString('base64url')}.${signature}`)).to.equal(wrong);
    const junk = refused('The value after Bearer is not a token that can be verified.');
    expect(await verdict(`${header}.${payload}`)).to.equal(junk);
    expect(await verdict('junk')).to.equal(junk);
  });

  it('is known by the new key as soon as the issuer signs with it, and no more by the old', async () => {
    const old = await app.token(['viewer']);
    expect(await verdict(old)).to.equal('200 ada@shop.test');
    await app.issuer.rotate();
    expect(await verdict(await app.token(['viewer']))).to.equal('200 ada@shop.test');
    expect(await verdict(old)).to.equal(
      refused('The issuer publishes no key that the token could be signed with.'),
    );
  });

  it('is not let in by a key that the issuer does not publish', async () => {
    const token = await app.token(['admin'], {}, { kid: 'another' });
    expect(await verdict(token)).to.equal(
      refused('The issuer publishes no key that the token could be signed with.'),
    );
  });

  it('waits, with 503, while the keys of the issuer cannot be fetched', async () => {
    const authenticate = jwtAdmin({
      issuer: app.issuer.issuer,
      audience: AUDIENCE,
      jwksUri: app.issuer.jwksUri,
    });
    const own = await startAdminApp({ authenticate: () => authenticate });
    try {
      app.issuer.fail(true);
      const token = await app.token(['viewer']);
      const down = await own.admin('/me', { token });
      expect([down.status, down.error['code']]).to.deep.equal([503, 'unavailable']);
      expect(down.headers['retry-after']).to.equal('1');
      app.issuer.fail(false);
      expect((await own.admin('/me', { token })).status).to.equal(200);
    } finally {
      app.issuer.fail(false);
      await own.close();
    }
  });

  it('causes one request to the issuer for many logins, also with unknown key ids', async () => {
    const own = await startAdminApp();
    const before = own.issuer.asked;
    for (let count = 0; count < 5; count += 1) {
      await own.admin('/me', { token: await own.token(['viewer']) });
      const unknown = await own.token(['viewer'], {}, { kid: `made-up-${count}` });
      expect((await own.admin('/me', { token: unknown })).status).to.equal(401);
    }
    expect(own.issuer.asked - before).to.equal(1);
    await own.close();
  });

  it('may be known by keys that are given at once', async () => {
    const own = await startAdminApp({
      authenticate: (issuer) =>
        jwtAdmin({ issuer: issuer.issuer, audience: AUDIENCE, jwks: issuer.jwks() }),
    });
    expect((await own.admin('/me')).status).to.equal(200);
    expect(own.issuer.asked).to.equal(0);
    await own.close();
  });
});

describe('jwtAdmin', () => {
  const good = { issuer: 'https://id.test', audience: AUDIENCE, jwksUri: 'https://id.test/jwks' };

  it('refuses options that would admit everybody or nobody', () => {
    const cases: readonly (readonly [object, string])[] = [
      [{ issuer: '' }, '`issuer` is empty'],
      [{ audience: '' }, '`audience` is empty'],
      [{ algorithms: [] }, '`algorithms` must be a list with values of'],
      [{ algorithms: ['HS256'] }, '`algorithms` must be a list with values of'],
      [{ algorithms: ['none'] }, '`algorithms` must be a list with values of'],
      [{ maxTokenAge: 'for ever' }, '`maxTokenAge` must be a number'],
      [{ maxTokenAge: '13h' }, 'at most 12h'],
      [{ jwksUri: 'http://id.test/jwks' }, '`jwksUri` must begin with https://'],
      [{ jwksUri: undefined }, 'Pass the keys of the issuer: `jwksUri`, their https:// URL'],
      [{ jwksUri: 'id.test' }, 'Pass the keys of the issuer: `jwksUri`, their https:// URL'],
      [{ jwks: {} }, '`jwks` must be a set of keys: an object with a list `keys`.'],
      [{ jwks: null }, '`jwks` must be a set of keys: an object with a list `keys`.'],
      [{ jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } }, 'contains a secret key'],
    ];
    for (const [wrong, message] of cases) {
      expect(() => jwtAdmin({ ...good, ...wrong }), message).to.throw(message);
    }
    expect(() => jwtAdmin(good)).not.to.throw();
  });

  it('takes roles as an array or as a text, from the claim that the host names', async () => {
    const own = await startAdminApp({
      authenticate: ({ issuer, jwksUri }) =>
        jwtAdmin({ issuer, audience: AUDIENCE, jwksUri, rolesClaim: 'https://id.test/roles' }),
    });
    for (const roles of [['viewer', 'support'], 'viewer support']) {
      const token = await own.token(['admin'], { 'https://id.test/roles': roles });
      const { json } = await own.admin('/me', { token });
      expect(json['roles']).to.deep.equal(['viewer', 'support']);
    }
    const { json } = await own.admin('/me', { token: await own.token(['admin']) });
    expect(json['roles']).to.deep.equal([]);
    await own.close();
  });

  it('shows nothing where the claim that bounds an admin is absent', async () => {
    const own = await startAdminApp();
    const token = await own.token(['admin'], { accounts: undefined, environments: undefined });
    const { json } = await own.admin('/me', { token });
    expect(json).to.deep.include({ accounts: [], environments: [] });
    expect((await own.admin('/accounts', { token })).status).to.equal(403);
    await own.close();
  });
});
