import { createHmac, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type AdminApp, MOUNT, startAdminApp } from '../support/admin-app.ts';
import { type AdminBelongings, type AdminSetup, adminSetup } from '../support/admin-setup.ts';
import { ask, JSON_TYPE, type Reply } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import {
  malformedCredentials,
  oauthCredentials,
  oneOfEach,
  type Presented,
  unknownKeys,
} from '../support/credentials.ts';
import { ofToday } from '../support/depth.ts';
import { startIssuer } from '../support/issuer.ts';
import { LiveBank } from '../support/live-bank.ts';
import { ROLES } from '../support/role-table.ts';
import type { ManagementRoute } from '../support/route-row.ts';
import { MANAGEMENT_ROUTES } from '../support/route-table.ts';
import { itWritesNothing } from '../support/writes-nothing.ts';

type Environment = 'live' | 'test';
const ENVIRONMENTS = ['test', 'live'] as const;
/** Tokens that served for a call that replaces or removes what works are remembered. */
const SPENT = ['idempotency_keys'];

/** A role in an environment. */
interface Standing {
  readonly role: string;
  readonly environment: Environment;
}

const bearer = (secret: string): string => `Bearer ${secret}`;
const basic = (secret: string): string => `Basic ${Buffer.from(`${secret}:`).toString('base64')}`;

/**
 * Every route of the management API, asked by everybody who may not, and by those who may: the daily run takes
 * a seventh of each class of them.
 */
describe('admin matrix', function () {
  this.timeout(30_000);
  let app: AdminApp;
  let setup: AdminSetup;
  let own: Readonly<Record<Environment, AdminBelongings>>;

  before(async () => {
    app = await startAdminApp({ paymount: { processors: { live: new LiveBank(fakeClock()) } } });
    setup = await adminSetup(app);
    own = {
      test: await setup.belongings(app.account, 'test'),
      live: await setup.belongings(app.account, 'live'),
    };
  });
  after(async () => {
    await setup.close();
    await app.close();
  });

  /** A request that would do what the route is for, on what is there. */
  async function askInEarnest(
    route: ManagementRoute,
    authorization: string | undefined,
    environment: Environment = 'test',
  ): Promise<Reply> {
    const { method, pattern, of, body } = route;
    const path = pattern.replace('{id}', own[environment][of ?? 'account']);
    const sent = body?.(own[environment], environment === 'live') ?? {};
    return askText(`${app.url}${MOUNT}${path}`, {
      key: '',
      method,
      headers: { ...JSON_TYPE, ...(authorization === undefined ? {} : { authorization }) },
      ...(method === 'POST' ? { body: JSON.stringify(sent) } : {}),
    });
  }

  /** The export is lines, which are no one JSON text. */
  async function askText(url: string, options: Parameters<typeof ask>[1]): Promise<Reply> {
    if (!url.endsWith('/export')) return ask(url, options);
    const answer = await fetch(url, { headers: options?.headers as Record<string, string> });
    const text = await answer.text();
    const json = answer.status === 200 ? {} : JSON.parse(text);
    const headers = Object.fromEntries(answer.headers);
    return { status: answer.status, headers, text, json, error: json.error ?? {} };
  }

  const as = async (role: string, claims: object = {}): Promise<string> =>
    `Bearer ${await app.token([role], { ...claims })}`;

  const summarize = ({ status, error }: Reply): string =>
    [status, error['code']].filter((part) => part !== undefined).join(' ');

  /** Asks every route in earnest. @param credentials a class of them; called when the tests run */
  function refuses(credentials: () => readonly Presented[], schemes = [bearer, basic]): void {
    for (const [index, route] of MANAGEMENT_ROUTES.entries()) {
      it(route.name, async () => {
        const presented = credentials().flatMap((each, at) =>
          // The first by Basic too.
          schemes.slice(0, at === 0 ? 2 : 1).map((scheme) => ({ ...each, scheme })),
        );
        for (const { what, secret, scheme } of ofToday(presented, index)) {
          const reply = await askInEarnest(route, scheme(secret));
          const said = `${what}: ${reply.text}`;
          expect(summarize(reply), said).to.equal('401 admin_unauthenticated');
          expect(reply.headers['www-authenticate'], said).to.match(/^Bearer realm="paymount"/);
          expect(reply.text, what).to.not.include(secret.slice(8, 40));
        }
      });
    }
    itWritesNothing(() => app.databaseUrl);
  }

  describe('answers 401 to who sends nothing', () => {
    for (const route of MANAGEMENT_ROUTES) {
      it(route.name, async () => {
        const reply = await askInEarnest(route, undefined);
        expect(summarize(reply)).to.equal('401 admin_unauthenticated');
        expect(reply.headers['www-authenticate']).to.equal('Bearer realm="paymount"');
      });
    }
    itWritesNothing(() => app.databaseUrl);
  });

  describe('answers 401 to a key of any type and environment, as Bearer and as Basic', () => {
    let keys: readonly Presented[];
    before(async () => {
      const { paymount, account } = app;
      keys = [
        ...(await oneOfEach(paymount, account)),
        ...(await oneOfEach(paymount, account, { environment: 'live' })),
        ...unknownKeys().slice(0, 2),
      ];
    });
    refuses(() => keys);
    it('with a message that says why', async () => {
      const { error } = await app.admin('/me', { token: app.secretKey });
      const message = 'A key of an account cannot be used for the management API.';
      expect(error['message']).to.equal(message);
    });
  });

  describe('answers 401 to every kind of credential that OAuth knows', () => {
    refuses(oauthCredentials);
  });

  describe('answers 401 to a text that is not a credential', () => {
    const long = ({ secret }: Presented): boolean => secret.length > 40;
    refuses(() => malformedCredentials(app.secretKey).filter(long), [bearer]);
  });

  describe('answers 401 to a token that is forged, old, or meant for others', () => {
    let forged: readonly Presented[];
    before(async () => {
      forged = await forgedTokens(app);
    });
    refuses(() => forged, [bearer]);
  });

  /** Whoever does not have what a route needs. */
  function lacking({ needs, of, makes }: ManagementRoute): readonly Standing[] {
    if (needs === 'none') return [];
    // An account is in both.
    const isEnvironmental = (of ?? 'account') !== 'account' || makes === true;
    return Object.entries(ROLES).flatMap(([role, { live, test }]) =>
      ENVIRONMENTS.filter((environment) => {
        const granted = isEnvironmental ? ROLES[role]?.[environment] : [...live, ...test];
        return granted?.includes(needs) !== true;
      }).map((environment) => ({ role, environment })),
    );
  }

  describe('names the permission that a route needs to a role that lacks it', () => {
    for (const [index, route] of MANAGEMENT_ROUTES.entries()) {
      it(route.name, async () => {
        for (const { role, environment } of ofToday(lacking(route), index)) {
          const reply = await askInEarnest(route, await as(role), environment);
          const what = `${role} in ${environment}: ${reply.text}`;
          expect(summarize(reply), what).to.equal('403 permission_denied');
          expect(reply.error['required_permission'], what).to.equal(route.needs);
        }
      });
    }
    itWritesNothing(() => app.databaseUrl, SPENT);
  });

  describe('admits a role wherever it may be enough', () => {
    for (const [index, route] of MANAGEMENT_ROUTES.entries()) {
      const { name, method, path, needs } = route;
      /** Names nothing and says nothing, so that it does nothing. */
      const askLightly = async (role: string): Promise<string> => {
        const body = method === 'POST' ? { body: '{}' } : {};
        const headers = { ...JSON_TYPE, authorization: await as(role) };
        return summarize(
          await askText(app.url + MOUNT + path, { key: '', method, headers, ...body }),
        );
      };
      it(name, async () => {
        const roles = Object.keys(ROLES).filter((role) =>
          ENVIRONMENTS.some((each) => needs === 'none' || ROLES[role]?.[each].includes(needs)),
        );
        const admitted = await askLightly('admin');
        expect(admitted).to.match(/^(?:200|400|404)/);
        for (const role of ofToday(roles, index)) {
          expect(await askLightly(role), role).to.equal(admitted);
        }
      });
    }
  });

  describe('forbids account changes to an admin of the test environment only', () => {
    for (const route of MANAGEMENT_ROUTES.filter(({ spans }) => spans === true)) {
      it(route.name, async () => {
        const reply = await askInEarnest(route, await as('admin', { environments: ['test'] }));
        expect(summarize(reply), reply.text).to.equal('403 permission_denied');
        expect(reply.error['required_permission']).to.equal(route.needs);
        expect(reply.error['message']).to.equal(`In live you lack ${route.needs}.`);
      });
    }
    itWritesNothing(() => app.databaseUrl, SPENT);
  });

  describe('demands a login of the last ten minutes for keys and settlements of live', () => {
    for (const route of MANAGEMENT_ROUTES.filter(({ freshLogin }) => freshLogin === true)) {
      it(route.name, async () => {
        const old = Math.floor(app.clock.now().getTime() / 1_000) - 601;
        for (const claims of [{ auth_time: old }, { auth_time: undefined }]) {
          const reply = await askInEarnest(route, await as('admin', claims), 'live');
          expect(summarize(reply)).to.equal('401 insufficient_user_authentication');
          expect(reply.headers['www-authenticate']).to.include('max_age=600');
        }
      });
    }
    itWritesNothing(() => app.databaseUrl, SPENT);
  });

  describe('does the work of every route for an admin, so that each refusal was worth something', () => {
    const order = ['GET', 'POST', 'DELETE'];
    const ordered = MANAGEMENT_ROUTES.toSorted(
      (a, b) => order.indexOf(a.method) - order.indexOf(b.method),
    );
    for (const [index, route] of ordered.entries()) {
      it(route.name, async () => {
        for (const environment of ofToday(
          route.testOnly ? (['test'] as const) : ENVIRONMENTS,
          index,
        )) {
          const reply = await askInEarnest(route, await as('admin'), environment);
          expect(reply.status, `${environment}: ${reply.text}`).to.equal(200);
        }
      });
    }
  });
});

async function forgedTokens({ clock, issuer, token }: AdminApp): Promise<readonly Presented[]> {
  const good = (await token(['admin'])).split('.');
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const unsigned = `${part({ alg: 'none', typ: 'at+jwt' })}.${good[1]}.`;
  const head = part({ alg: 'HS256', typ: 'at+jwt', kid: 'key-1' });
  const mac = createHmac('sha256', await issuer.publicPem())
    .update(`${head}.${good[1]}`)
    .digest('base64url');
  const other = await startIssuer();
  const seconds = Math.floor(clock.now().getTime() / 1_000);
  const claims = { iss: issuer.issuer, sub: 'eve', roles: ['admin'], jti: randomUUID() };
  const forged = {
    'a token without a signature': unsigned,
    'a token signed with the public key': `${head}.${good[1]}.${mac}`,
    'a token with another payload': `${good[0]}.${part({ ...claims })}.${good[2]}`,
    'a token of another issuer': await other.sign({
      ...claims,
      aud: 'https://payments.test/admin',
      iat: seconds,
      exp: seconds + 60,
    }),
    'an expired token': await token(['admin'], { iat: seconds - 900, exp: seconds - 60 }),
    'a token for another API': await token(['admin'], { aud: 'https://other.test' }),
    'a token of a login': await token(['admin'], {}, { typ: 'JWT' }),
  };
  await other.close();
  return Object.entries(forged).map(([what, secret]) => ({ what, secret }));
}
