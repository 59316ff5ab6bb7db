import { createHmac, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type AdminApp, MOUNT, startAdminApp } from '../support/admin-app.ts';
import { type AdminBelongings, type AdminStage, adminStage } from '../support/admin-stage.ts';
import { ask, JSON_TYPE, type Reply } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import {
  malformedCredentials,
  oauthCredentials,
  oneOfEach,
  type Presented,
  unknownKeys,
} from '../support/credentials.ts';
import { startIssuer } from '../support/issuer.ts';
import { LiveBank } from '../support/live-bank.ts';
import { ROLES } from '../support/role-table.ts';
import type { ManagementRoute } from '../support/route-row.ts';
import { MANAGEMENT_ROUTES } from '../support/route-table.ts';
import { tableContents } from '../support/table-contents.ts';

type Environment = 'live' | 'test';
const ENVIRONMENTS = ['test', 'live'] as const;

/** Every route of the management API, asked by everybody who may not, and by those who may. */
describe('admin matrix', function () {
  this.timeout(30_000);
  let app: AdminApp;
  let stage: AdminStage;
  let own: Readonly<Record<Environment, AdminBelongings>>;

  before(async () => {
    app = await startAdminApp({ paymount: { processors: { live: new LiveBank(fakeClock()) } } });
    stage = await adminStage(app);
    own = {
      test: await stage.belongings(app.account, 'test'),
      live: await stage.belongings(app.account, 'live'),
    };
  });
  after(async () => {
    await stage.close();
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

  async function unchanged(work: () => Promise<void>, except: readonly string[] = []) {
    const before = await tableContents(app.databaseUrl, except);
    await work();
    expect(await tableContents(app.databaseUrl, except)).to.deep.equal(before);
  }

  async function expectUnauthenticated(
    credentials: readonly Presented[],
    schemes: readonly ((secret: string) => string)[],
  ): Promise<void> {
    for (const [index, { what, secret }] of credentials.entries()) {
      for (const scheme of index === 0 ? schemes : schemes.slice(0, 1)) {
        for (const route of MANAGEMENT_ROUTES) {
          const reply = await askInEarnest(route, scheme(secret));
          const said = `${what}, ${route.name}: ${reply.text}`;
          expect(summarize(reply), said).to.equal('401 admin_unauthenticated');
          expect(reply.headers['www-authenticate'], said).to.match(/^Bearer realm="paymount"/);
          expect(reply.text, what).to.not.include(secret.slice(8, 40));
        }
      }
    }
  }

  const bearer = (secret: string): string => `Bearer ${secret}`;
  const basic = (secret: string): string => `Basic ${Buffer.from(`${secret}:`).toString('base64')}`;

  it('answers 401 to who sends nothing', async () => {
    await unchanged(async () => {
      for (const route of MANAGEMENT_ROUTES) {
        const reply = await askInEarnest(route, undefined);
        expect(summarize(reply), route.name).to.equal('401 admin_unauthenticated');
        expect(reply.headers['www-authenticate']).to.equal('Bearer realm="paymount"');
      }
    });
  });

  it('answers 401 to a key of any type and environment, as Bearer and as Basic', async () => {
    const { paymount, account } = app;
    const keys = [
      ...(await oneOfEach(paymount, account)),
      ...(await oneOfEach(paymount, account, { environment: 'live' })),
      ...unknownKeys().slice(0, 2),
    ];
    await unchanged(() => expectUnauthenticated(keys, [bearer, basic]));
    const { error } = await app.admin('/me', { token: app.secretKey });
    expect(error['message']).to.equal('A key of an account cannot be used for the management API.');
  });

  it('answers 401 to every kind of credential that OAuth knows', async () => {
    await unchanged(() => expectUnauthenticated(oauthCredentials(), [bearer, basic]));
  });

  it('answers 401 to a text that is not a credential', async () => {
    const texts = malformedCredentials(app.secretKey).filter(({ secret }) => secret.length > 40);
    await unchanged(() => expectUnauthenticated(texts, [bearer]));
  });

  it('answers 401 to a token that is forged, old, or meant for others', async () => {
    const good = (await app.token(['admin'])).split('.');
    const part = (value: object): string =>
      Buffer.from(JSON.stringify(value)).toString('base64url');
    const unsigned = `${part({ alg: 'none', typ: 'at+jwt' })}.${good[1]}.`;
    const head = part({ alg: 'HS256', typ: 'at+jwt', kid: 'key-1' });
    const mac = createHmac('sha256', await app.issuer.publicPem())
      .update(`${head}.${good[1]}`)
      .digest('base64url');
    const other = await startIssuer();
    const seconds = Math.floor(app.clock.now().getTime() / 1_000);
    const claims = { iss: app.issuer.issuer, sub: 'eve', roles: ['admin'], jti: randomUUID() };
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
      'an expired token': await app.token(['admin'], { iat: seconds - 900, exp: seconds - 60 }),
      'a token for another API': await app.token(['admin'], { aud: 'https://other.test' }),
      'a token of a login': await app.token(['admin'], {}, { typ: 'JWT' }),
    };
    await other.close();
    const presented = Object.entries(forged).map(([what, secret]) => ({ what, secret }));
    await unchanged(async () => {
      for (const { what, secret } of presented) {
        for (const route of MANAGEMENT_ROUTES) {
          const reply = await askInEarnest(route, bearer(secret));
          expect(summarize(reply), `${what}, ${route.name}: ${reply.text}`).to.equal(
            '401 admin_unauthenticated',
          );
        }
      }
    });
  });

  for (const [role, permissions] of Object.entries(ROLES)) {
    for (const environment of ENVIRONMENTS) {
      it(`lets ${role} do in ${environment} what the role is for, and names what else it would need`, async () => {
        await unchanged(async () => {
          for (const route of MANAGEMENT_ROUTES) {
            const { needs, of, makes } = route;
            const anywhere = [...permissions.live, ...permissions.test];
            // An account is in both.
            const isEnvironmental = (of ?? 'account') !== 'account' || makes === true;
            const granted = isEnvironmental ? permissions[environment] : anywhere;
            if (needs === 'none' || granted.includes(needs)) continue;
            const reply = await askInEarnest(route, await as(role), environment);
            const what = `${role} in ${environment}, ${route.name}: ${reply.text}`;
            expect(summarize(reply), what).to.equal('403 permission_denied');
            expect(reply.error['required_permission'], what).to.equal(needs);
          }
        }, ['idempotency_keys']);
      });
    }

    it(`admits ${role} wherever the role may be enough`, async () => {
      for (const route of MANAGEMENT_ROUTES) {
        const { needs } = route;
        const anywhere = [...permissions.live, ...permissions.test];
        if (needs !== 'none' && !anywhere.includes(needs)) continue;
        // Names nothing and says nothing, so that it does nothing.
        const lightly = async (name: string): Promise<string> => {
          const body = route.method === 'POST' ? { body: '{}' } : {};
          const headers = { ...JSON_TYPE, authorization: await as(name) };
          const url = `${app.url}${MOUNT}${route.path}`;
          return summarize(await askText(url, { key: '', method: route.method, headers, ...body }));
        };
        expect(await lightly(role), `${role}, ${route.name}`).to.equal(await lightly('admin'));
        expect(await lightly(role)).to.match(/^(?:200|400|404)/);
      }
    });
  }

  it('forbids account changes to an admin of the test environment only', async () => {
    await unchanged(async () => {
      for (const route of MANAGEMENT_ROUTES.filter(({ spans }) => spans === true)) {
        const reply = await askInEarnest(route, await as('admin', { environments: ['test'] }));
        const what = `${route.name}: ${reply.text}`;
        expect(summarize(reply), what).to.equal('403 permission_denied');
        expect(reply.error['required_permission'], what).to.equal(route.needs);
        expect(reply.error['message'], what).to.equal(`In live you lack ${route.needs}.`);
      }
    }, ['idempotency_keys']);
  });

  it('demands a login of the last ten minutes for keys and settlements of live', async () => {
    const old = Math.floor(app.clock.now().getTime() / 1_000) - 601;
    await unchanged(async () => {
      for (const route of MANAGEMENT_ROUTES.filter(({ freshLogin }) => freshLogin === true)) {
        for (const claims of [{ auth_time: old }, { auth_time: undefined }]) {
          const reply = await askInEarnest(route, await as('admin', claims), 'live');
          expect(summarize(reply)).to.equal('401 insufficient_user_authentication');
          expect(reply.headers['www-authenticate']).to.include('max_age=600');
        }
      }
    }, ['idempotency_keys']);
  });

  it('does the work of every route for an admin, so that each refusal was worth something', async () => {
    const order = ['GET', 'POST', 'DELETE'];
    const ordered = MANAGEMENT_ROUTES.toSorted(
      (a, b) => order.indexOf(a.method) - order.indexOf(b.method),
    );
    for (const environment of ENVIRONMENTS) {
      for (const route of ordered) {
        if (environment === 'live' && route.testOnly) continue;
        const reply = await askInEarnest(route, await as('admin'), environment);
        expect(reply.status, `${environment}, ${route.name}: ${reply.text}`).to.equal(200);
      }
    }
  });
});
