import { authorizeRoute, createGuard, toChallenge } from '@paymount/auth';
import { mintKey } from '@paymount/core/access';
import { toStoredErrorResponse } from '@paymount/core/changes';
import { newId, PaymountError, type Principal } from '@paymount/core/kernel';
import { expect } from 'chai';
import { checkCharacters } from '../../support/check-characters.ts';
import { fakeClock } from '../../support/clock.ts';
import { keptLog } from '../../support/kept-log.ts';
import { basic, requestWith, StoredKeys, storedKey } from '../../support/memory-credentials.ts';

const NOW = '2026-05-01T12:00:00.000Z';
const INVALID_TOKEN = 'Bearer realm="paymount", error="invalid_token"';
const DOCS = 'https://github.com/paymount/paymount/blob/main/docs/reference/errors.md#';

const secret = storedKey('secret', 'test');
const live = storedKey('secret', 'live');
const publishable = storedKey('publishable', 'test');
const restricted = storedKey('restricted', 'test', { scopes: ['charges:read', 'webhooks:write'] });
const revoked = storedKey('secret', 'test', { status: 'revoked' });
const expired = storedKey('restricted', 'test', {
  scopes: ['charges:read'],
  expiresAt: new Date(NOW),
});
const lasting = storedKey('secret', 'test', { expiresAt: new Date('2026-05-01T12:00:00.001Z') });
const suspended = storedKey('secret', 'test', { suspended: true });
const unknown = mintKey('secret', 'test');

function setUp() {
  const stored = new StoredKeys(
    secret,
    live,
    publishable,
    restricted,
    revoked,
    expired,
    lasting,
    suspended,
  );
  const clock = fakeClock(NOW);
  const guard = createGuard({ credentials: stored, clock, logger: keptLog() });
  return { stored, clock, guard };
}

/** The refusal as the client sees it. */
interface Refusal {
  readonly status: number;
  readonly challenge: string | undefined;
  readonly body: string;
}

async function readRefusal(work: () => unknown): Promise<Refusal> {
  try {
    await work();
  } catch (error) {
    if (!PaymountError.is(error)) throw error;
    const { status, body } = toStoredErrorResponse(error, REQUEST_ID);
    return { status, challenge: toChallenge(error), body };
  }
  throw new Error('The request was let in.');
}

const REQUEST_ID = newId('req');

function body(type: string, code: string, message: string, extra = ''): string {
  return (
    `{"error":{"type":"${type}","code":"${code}","message":"${message}",${extra}` +
    `"doc_url":"${DOCS}${code}","request_id":"${REQUEST_ID}"}}`
  );
}

const redacted = (key: { credential: { key: { redacted: string } } }): string =>
  key.credential.key.redacted;
const bearer = (key: { secret: string }): string => `Bearer ${key.secret}`;

describe('the guard', () => {
  for (const [title, authorization, code, message] of [
    ['no header', undefined, 'api_key_missing', 'The request carries no key.'],
    ['an empty header', '', 'api_key_missing', 'The request carries no key.'],
    [
      'another scheme',
      'Digest username="x"',
      'api_key_malformed',
      'Authorization must begin with Bearer or Basic.',
    ],
    [
      'a bare key',
      secret.secret,
      'api_key_malformed',
      'Authorization must begin with Bearer or Basic.',
    ],
    [
      'an empty Bearer',
      'Bearer ',
      'api_key_malformed',
      'The key is empty; is the variable that holds it set?',
    ],
    [
      'an empty Basic user',
      basic(':'),
      'api_key_malformed',
      'The key is empty; is the variable that holds it set?',
    ],
    [
      'bad base64',
      'Basic sk_test',
      'api_key_malformed',
      'The value after Basic must be the base64 form of the key and a colon.',
    ],
    [
      'Basic without a colon',
      basic(secret.secret),
      'api_key_malformed',
      'The value after Basic lacks the colon that ends the user name.',
    ],
    [
      'Basic with a password',
      basic(`${secret.secret}:x`),
      'api_key_malformed',
      'The key is the user name of Basic; the password must be empty.',
    ],
    [
      'the key as password',
      basic(`:${secret.secret}`),
      'api_key_malformed',
      'The key is the user name of Basic; the password must be empty.',
    ],
    [
      '129 characters',
      `Bearer sk_test_${'a'.repeat(121)}`,
      'api_key_malformed',
      'The key is longer than 128 characters.',
    ],
    [
      'a huge Basic value',
      `Basic ${'QUJD'.repeat(4000)}`,
      'api_key_malformed',
      'The value after Basic must be the base64 form of the key and a colon.',
    ],
    [
      'another prefix',
      'Bearer xx_test_1',
      'api_key_malformed',
      'The key begins with no known prefix, such as sk_live_ or sk_test_.',
    ],
    [
      'two keys in one header',
      `${bearer(secret)}, ${bearer(secret)}`,
      'api_key_malformed',
      'The key holds a character that no key holds.',
    ],
    [
      'a truncated key',
      bearer(secret).slice(0, -3),
      'api_key_malformed',
      'The key looks truncated: 37 characters follow its prefix, and a whole key has at least 40.',
    ],
    [
      'an unknown key',
      `Bearer ${unknown}`,
      'api_key_invalid',
      `No such key exists: sk_test_pm...${unknown.slice(-4)}.`,
    ],
    [
      'a revoked key',
      bearer(revoked),
      'api_key_revoked',
      `The key ${redacted(revoked)} was revoked.`,
    ],
    [
      'a key that expires now',
      bearer(expired),
      'api_key_expired',
      `The key ${redacted(expired)} has expired.`,
    ],
    [
      'a live key',
      bearer(live),
      'livemode_mismatch',
      `${redacted(live)} is a live key, but this is the test environment.`,
    ],
  ] as const) {
    it(`answers 401 ${code} to ${title}`, async () => {
      const { guard } = setUp();
      const refusal = await readRefusal(() =>
        guard.authenticate(requestWith(authorization), 'test'),
      );
      expect(refusal).to.deep.equal({
        status: 401,
        challenge: code === 'api_key_missing' ? 'Bearer realm="paymount"' : INVALID_TOKEN,
        body: body('authentication_error', code, message),
      });
    });
  }

  it('answers 401 livemode_mismatch to a test key in live, naming both', async () => {
    const { guard } = setUp();
    const refusal = await readRefusal(() =>
      guard.authenticate(requestWith(bearer(secret)), 'live'),
    );
    expect(refusal.body).to.equal(
      body(
        'authentication_error',
        'livemode_mismatch',
        `${redacted(secret)} is a test key, but this is the live environment.`,
      ),
    );
  });

  it('answers 400 to two Authorization headers, equal or not, without a challenge', async () => {
    const { guard, stored } = setUp();
    for (const [first, second] of [
      [bearer(secret), bearer(secret)],
      [bearer(secret), basic(`${secret.secret}:`)],
      [bearer(secret), bearer(live)],
      ['', bearer(secret)],
    ] as const) {
      const refusal = await readRefusal(() =>
        guard.authenticate(requestWith([first, second]), 'test'),
      );
      expect(refusal).to.deep.equal({
        status: 400,
        challenge: undefined,
        body: body(
          'invalid_request_error',
          'multiple_credentials',
          'The request carries two `Authorization` headers. Send one.',
        ),
      });
    }
    expect(stored.asked).to.deep.equal({ lookUps: 0, syncs: 0 });
  });

  it('answers 403 account_disabled once the account is suspended', async () => {
    const { guard } = setUp();
    const refusal = await readRefusal(() =>
      guard.authenticate(requestWith(bearer(suspended)), 'test'),
    );
    expect(refusal).to.deep.equal({
      status: 403,
      challenge: undefined,
      body: body('permission_error', 'account_disabled', 'The account is suspended.'),
    });
  });

  it('answers 401 to an access token that does not exist, after one look-up', async () => {
    const { guard, stored } = setUp();
    const text = `oat_pm${'x'.repeat(32)}`;
    const token = text + checkCharacters(text);
    const asked = requestWith(`Bearer ${token}`);
    const refusal = await readRefusal(() => guard.authenticate(asked, 'test'));
    const message = `No such token exists: oat_pm...${token.slice(-4)}.`;
    expect(refusal.body).to.equal(body('authentication_error', 'api_key_invalid', message));
    expect(stored.asked).to.include({ lookUps: 1 });
  });

  it('answers 401 to the other credentials of OAuth without asking the database', async () => {
    const { guard, stored } = setUp();
    for (const [prefix, what] of [
      ['ort', 'a refresh token, which only /oauth/token accepts'],
      ['oac', 'an authorization code, which only /oauth/token accepts'],
      ['ocs', 'a client secret, which only the paths below /oauth accept'],
    ]) {
      const text = `${prefix}_pm${'x'.repeat(32)}`;
      const token = text + checkCharacters(text);
      const header = `Bearer ${token}`;
      const refusal = await readRefusal(() => guard.authenticate(requestWith(header), 'test'));
      expect(refusal.body).to.equal(
        body(
          'authentication_error',
          'api_key_invalid',
          `${prefix}_pm...${token.slice(-4)} is ${what}. Send an access token.`,
        ),
      );
    }
    expect(stored.asked).to.deep.equal({ lookUps: 0, syncs: 0 });
  });

  it('refuses typos without asking the database', async () => {
    const { guard, stored } = setUp();
    for (let place = 8; place < secret.secret.length; place += 1) {
      const other = secret.secret.charAt(place) === 'A' ? 'B' : 'A';
      const typo = secret.secret.slice(0, place) + other + secret.secret.slice(place + 1);
      const refusal = await readRefusal(() =>
        guard.authenticate(requestWith(`Bearer ${typo}`), 'test'),
      );
      expect(refusal.body).to.contain('"code":"api_key_malformed"');
    }
    expect(stored.asked).to.deep.equal({ lookUps: 0, syncs: 0 });
  });

  it('gives the same principal by Basic and by Bearer, in any case and spacing', async () => {
    const { guard } = setUp();
    const { key } = secret.credential;
    const expected: Principal = {
      kind: 'key',
      keyType: 'secret',
      keyId: key.id,
      snapshot: { keyId: key.id, keyVersion: 1, accountVersion: 1 },
      accountId: key.accountId,
      environment: 'test',
      scopes: 'all',
    };
    for (const header of [
      bearer(secret),
      `bearer ${secret.secret}`,
      `BEARER   ${secret.secret}`,
      basic(`${secret.secret}:`),
      basic(`${secret.secret}:`).replace('Basic', 'bASIC '),
    ]) {
      const principal = await guard.authenticate(requestWith(header), 'test');
      expect(principal, header).to.deep.equal(expected);
    }
  });

  it('refuses Basic and Bearer with the same error', async () => {
    const { guard } = setUp();
    for (const key of [
      unknown,
      revoked.secret,
      expired.secret,
      live.secret,
      suspended.secret,
      'x',
    ]) {
      const [one, other] = [`Bearer ${key}`, basic(`${key}:`)];
      expect(await readRefusal(() => guard.authenticate(requestWith(one), 'test'))).to.deep.equal(
        await readRefusal(() => guard.authenticate(requestWith(other), 'test')),
      );
    }
  });

  it('takes a key until the moment of its expiry', async () => {
    const { guard, clock } = setUp();
    await guard.authenticate(requestWith(bearer(lasting)), 'test');
    clock.advance(1);
    const refusal = await readRefusal(() =>
      guard.authenticate(requestWith(bearer(lasting)), 'test'),
    );
    expect(refusal.body).to.contain('"code":"api_key_expired"');
  });

  it('never echoes a key beyond its shortened form', async () => {
    const { guard } = setUp();
    for (const key of [secret, live, revoked, expired, suspended]) {
      for (const header of [
        `Bearer ${key.secret}x`,
        `Bearer ${key.secret}`,
        basic(`${key.secret}:pw`),
      ]) {
        const refusal = await readRefusal(() =>
          guard.authenticate(requestWith(header), 'live'),
        ).catch(() => undefined);
        expect(refusal?.body ?? '').not.to.contain(key.secret.slice(10, 42));
        expect(refusal?.body ?? '').not.to.contain('"pw"');
      }
    }
  });
});

describe('authorizeRoute', () => {
  async function authenticateKey(key: { secret: string }): Promise<Principal> {
    return setUp().guard.authenticate(requestWith(`Bearer ${key.secret}`), 'test');
  }

  it('lets a secret key through everywhere', async () => {
    const principal = await authenticateKey(secret);
    expect(() => authorizeRoute(principal, { scope: 'charges:write' })).not.to.throw();
    expect(() => authorizeRoute(principal, { scope: 'secret_key' })).not.to.throw();
  });

  it('admits a publishable key only to routes that create tokens', async () => {
    const principal = await authenticateKey(publishable);
    expect(() =>
      authorizeRoute(principal, { scope: 'customers:write', publishable: true }),
    ).not.to.throw();
    for (const scope of ['charges:read', 'secret_key'] as const) {
      expect(await readRefusal(() => authorizeRoute(principal, { scope }))).to.deep.equal({
        status: 403,
        challenge: undefined,
        body: body(
          'permission_error',
          'publishable_key_not_allowed',
          'A publishable key may only create tokens and payment methods.',
        ),
      });
    }
  });

  it('names the scope that a restricted key lacks; write does not imply read', async () => {
    const principal = await authenticateKey(restricted);
    expect(() => authorizeRoute(principal, { scope: 'charges:read' })).not.to.throw();
    expect(
      await readRefusal(() => authorizeRoute(principal, { scope: 'charges:write' })),
    ).to.deep.equal({
      status: 403,
      challenge: 'Bearer error="insufficient_scope", scope="charges:write"',
      body: body(
        'permission_error',
        'insufficient_scope',
        'This key lacks charges:write.',
        '"required_scope":"charges:write","granted_scopes":["charges:read","webhooks:write"],',
      ),
    });
  });

  it('keeps routes outside the scopes to secret keys', async () => {
    const principal = await authenticateKey(restricted);
    expect(
      await readRefusal(() => authorizeRoute(principal, { scope: 'secret_key' })),
    ).to.deep.equal({
      status: 403,
      challenge: undefined,
      body: body(
        'permission_error',
        'secret_key_required',
        'No scope covers this route, so this key cannot call it. Use a secret key.',
      ),
    });
  });
});
