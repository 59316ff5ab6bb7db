import { randomUUID } from 'node:crypto';
import type { AccountId } from '@paymount/core/kernel';
import type { JWTPayload } from 'jose';
import { type Authenticator, type Environment, jwtAdmin, type PaymountOptions } from 'paymount';
import { startApp, type TestApp } from './app.ts';
import { type Ask, ask, JSON_TYPE, type Reply } from './ask.ts';
import { type FakeClock, fakeClock } from './clock.ts';
import { AUDIENCE, type Issuer, type SignedAs, startIssuer } from './issuer.ts';

/** Where the management API is mounted, beside `/v1`. */
export const MOUNT = '/admin/payments';

/** What an admin sends. */
export interface AdminAsk extends Omit<Ask, 'key' | 'body'> {
  /** @defaultValue a new token of an admin of the role `admin` */
  readonly token?: string;
  /** Sent as JSON. */
  readonly body?: object;
}

/** A host with the management API for admins of an issuer of its own. */
export interface AdminApp extends TestApp {
  readonly clock: FakeClock;
  readonly issuer: Issuer;
  /** A token of an admin with these roles; each has a `jti` of its own. */
  token(roles: readonly string[], claims?: JWTPayload, more?: SignedAs): Promise<string>;
  /** Sends a request below the mount; POST when it has a body. */
  admin(path: string, more?: AdminAsk): Promise<Reply>;
  newAccount(name?: string): Promise<AccountId>;
}

/** Starts a host; `close()` it in `after`. */
export async function startAdminApp(
  options: {
    readonly paymount?: Partial<PaymountOptions>;
    /** Of `/v1` and its keys. @defaultValue test */
    readonly environment?: Environment;
    /** @defaultValue tokens of the issuer, whose claims `accounts` and `environments` bound them */
    readonly authenticate?: (issuer: Issuer) => Authenticator;
    /** @defaultValue a new one */
    readonly clock?: FakeClock;
  } = {},
): Promise<AdminApp> {
  const { clock = fakeClock() } = options;
  const issuer = await startIssuer();
  const authenticate = (options.authenticate ?? boundedTokens)(issuer);
  const { environment = 'test' } = options;
  const app = await startApp({
    environment,
    paymount: { clock, ...options.paymount },
    mount(host, paymount) {
      host.use(MOUNT, paymount.managementRouter({ authenticate }));
      host.use(paymount.router({ environment }));
    },
  });
  const token: AdminApp['token'] = (roles, claims = {}, more = {}) => {
    const seconds = Math.floor(clock.now().getTime() / 1_000);
    return issuer.sign(
      {
        iss: issuer.issuer,
        aud: AUDIENCE,
        sub: 'ada@shop.test',
        iat: seconds,
        exp: seconds + 600,
        auth_time: seconds,
        jti: randomUUID(),
        accounts: 'all',
        environments: ['live', 'test'],
        roles: [...roles],
        ...claims,
      },
      more,
    );
  };
  return {
    ...app,
    clock,
    issuer,
    token,
    async admin(path, { token: given, body, headers, ...more } = {}) {
      const bearer = given ?? (await token(['admin']));
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      return ask(app.url + MOUNT + path, {
        ...more,
        ...sent,
        key: '',
        headers: {
          ...(bearer === '' ? {} : { authorization: `Bearer ${bearer}` }),
          ...(body === undefined ? {} : JSON_TYPE),
          ...headers,
        },
      });
    },
    async newAccount(name = 'Another shop') {
      const made = { name, country: 'DE', default_currency: 'eur' };
      return (await app.paymount.accounts.create(made)).id as AccountId;
    },
    async close() {
      await app.close();
      await issuer.close();
    },
  };
}

function boundedTokens({ issuer, jwksUri }: Issuer): Authenticator {
  return jwtAdmin({
    issuer,
    audience: AUDIENCE,
    jwksUri,
    accountsClaim: 'accounts',
    environmentsClaim: 'environments',
  });
}
