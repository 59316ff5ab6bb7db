import { expect } from 'chai';
import type { Environment } from 'paymount';
import type { Reply } from '../support/ask.ts';
import { ofToday } from '../support/depth.ts';
import { SERVED } from '../support/served-routes.ts';
import { type DashboardSetup, startDashboardSetup } from './dashboard-setup.ts';

/** Every route of the dashboard, with the permission that it needs. */
const ROUTES: Readonly<Record<string, string>> = {
  'GET /accounts/{id}': 'accounts.read',
  'POST /accounts/{id}': 'accounts.write',
  'GET /accounts/{id}/billing_settings': 'billing.read',
  'POST /accounts/{id}/billing_settings': 'billing.write',
  'GET /keys': 'keys.read',
  'POST /keys': 'keys.write',
  'GET /keys/{id}': 'keys.read',
  'POST /keys/{id}': 'keys.write',
  'POST /keys/{id}/rotate': 'keys.write',
  'POST /keys/{id}/revoke': 'keys.revoke',
  'GET /keys/{id}/usage': 'keys.read',
  'GET /keys/{id}/ip_suggestions': 'keys.read',
  'GET /endpoints': 'endpoints.read',
  'POST /endpoints': 'endpoints.write',
  'GET /endpoints/{id}': 'endpoints.read',
  'POST /endpoints/{id}': 'endpoints.write',
  'POST /endpoints/{id}/rotate_secret': 'endpoints.write',
  'POST /endpoints/{id}/reveal_secrets': 'endpoints.write',
  'DELETE /endpoints/{id}': 'endpoints.write',
  'GET /deliveries': 'deliveries.read',
  'GET /deliveries/summary': 'deliveries.read',
  'GET /deliveries/{id}': 'deliveries.read',
  'POST /deliveries/{id}/retry': 'deliveries.replay',
  'GET /events': 'deliveries.read',
  'GET /events/{id}': 'deliveries.read',
  'POST /events/{id}/replay': 'deliveries.replay',
  'GET /replays': 'deliveries.read',
  'POST /replays': 'deliveries.replay',
  'GET /replays/{id}': 'deliveries.read',
  'POST /replays/{id}/cancel': 'deliveries.replay',
  'GET /leaks': 'leaks.read',
  'GET /leaks/{id}': 'leaks.read',
  'POST /leaks/{id}/dismiss': 'leaks.write',
  'POST /leaks/{id}/rotate_signing_secrets': 'leaks.write',
  'GET /audit': 'audit.read',
  'GET /audit/{id}': 'audit.read',
  'GET /bank_accounts': 'payouts.read',
  'GET /bank_accounts/{id}': 'payouts.read',
  'POST /bank_accounts/{id}/confirm': 'accounts.write',
  'GET /charges': 'charges.read',
  'GET /charges/{id}': 'charges.read',
  'GET /charges/{id}/refunds': 'charges.read',
  'POST /charges/{id}/refunds': 'charges.refund',
  'GET /refunds': 'charges.read',
  'GET /refunds/{id}': 'charges.read',
  'GET /balance': 'balance.read',
  'GET /balance_transactions': 'balance.read',
  'GET /balance_transactions/{id}': 'balance.read',
  'GET /connected_applications': 'grants.read',
  'GET /connected_applications/{id}': 'grants.read',
  'DELETE /connected_applications/{id}': 'grants.revoke',
  'POST /test_helpers/events': 'events.trigger',
};

const READS = [
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
const OWNER = [
  ...READS,
  'accounts.write',
  'keys.write',
  'keys.revoke',
  'grants.revoke',
  'endpoints.write',
  'deliveries.replay',
  'leaks.write',
  'audit.read',
  'charges.refund',
  'billing.write',
];
const MAY = {
  viewer: { live: READS, test: READS },
  developer: {
    live: [...READS, 'deliveries.replay'],
    test: [
      ...READS,
      'deliveries.replay',
      'keys.write',
      'keys.revoke',
      'endpoints.write',
      'events.trigger',
      'leaks.write',
      'charges.refund',
    ],
  },
  owner: { live: OWNER, test: [...OWNER, 'events.trigger'] },
} as const;

/** Each role in each environment. */
const STANDINGS = (['viewer', 'developer', 'owner'] as const).flatMap((role) =>
  (['test', 'live'] as const).map((environment) => ({ role, environment })),
);

/** The daily run asks each route in one environment, as a role that may and one that may not. */
describe('The routes of the dashboard', () => {
  let setup: DashboardSetup;

  before(async () => {
    setup = await startDashboardSetup();
  });
  after(() => setup.close());

  it('are exactly those of the table, with what each needs', () => {
    const served = SERVED.dashboard.map(({ method, pattern, facts }) => [
      `${method} ${pattern.replace(/:(\w+)/g, '{$1}')}`,
      facts.permission,
    ]);
    expect(Object.fromEntries(served)).to.deep.equal(ROUTES);
  });

  /** Asks for an object that is not there, with a body that says nothing. */
  function askLightly(cookie: string, name: string, environment: Environment): Promise<Reply> {
    const [method = '', pattern = ''] = name.split(' ');
    const more = method === 'GET' ? {} : { method, body: {} };
    return setup.call(cookie, pattern.replace('{id}', 'none'), { environment, ...more });
  }

  for (const [what, isPermitted] of [
    ['refuse a role what it does not permit', false],
    ['let a role do what it permits', true],
  ] as const) {
    describe(what, () => {
      for (const [index, [name, permission]] of Object.entries(ROUTES).entries()) {
        const concerned = STANDINGS.filter(({ role, environment }) => {
          const permitted: readonly string[] = MAY[role][environment];
          return permitted.includes(permission) === isPermitted;
        });
        if (concerned.length === 0) continue;
        it(name, async () => {
          for (const { role, environment } of ofToday(concerned, index)) {
            const { status, error } = await askLightly(setup.logIn(role), name, environment);
            const got = [status, error['code'], error['required_permission']];
            const refusal = [403, 'permission_denied', permission];
            const said = `${role} in ${environment}`;
            if (isPermitted) expect(got, said).not.to.deep.equal(refusal);
            else expect(got, said).to.deep.equal(refusal);
          }
        });
      }
    });
  }

  describe('answer 404 to a role in another account', () => {
    let other: string;
    before(async () => {
      const made = { name: 'Other', country: 'DE', default_currency: 'eur' } as const;
      other = (await setup.paymount.accounts.create(made)).id;
    });
    for (const [index, name] of Object.keys(ROUTES).entries()) {
      it(name, async () => {
        for (const { role, environment } of ofToday(STANDINGS, index)) {
          const accounts = [{ id: other, name: 'Other', role }];
          const cookie = setup.logIn(role, { accounts });
          const { status } = await askLightly(cookie, name, environment);
          expect(status, `${role} in ${environment}`).to.equal(404);
        }
      });
    }
  });
});
