import { expect } from 'chai';
import { SERVED } from '../support/served-routes.ts';
import { type DashboardStage, startDashboardStage } from './dashboard-stage.ts';

/** Every route of the dashboard, with the permission that it needs. */
const ROUTES: Readonly<Record<string, string>> = {
  'GET /accounts/{id}': 'accounts.read',
  'POST /accounts/{id}': 'accounts.write',
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
  ...['accounts.read', 'keys.read', 'grants.read', 'endpoints.read', 'deliveries.read'],
  ...['leaks.read', 'charges.read', 'balance.read'],
];
const OWNER = [
  ...[...READS, 'accounts.write', 'keys.write', 'keys.revoke', 'grants.revoke'],
  ...['endpoints.write', 'deliveries.replay', 'leaks.write', 'audit.read', 'charges.refund'],
];
const MAY = {
  viewer: { live: READS, test: READS },
  developer: {
    live: [...READS, 'deliveries.replay'],
    test: [
      ...[...READS, 'deliveries.replay', 'keys.write', 'keys.revoke', 'endpoints.write'],
      ...['events.trigger', 'leaks.write', 'charges.refund'],
    ],
  },
  owner: { live: OWNER, test: [...OWNER, 'events.trigger'] },
} as const;

describe('The routes of the dashboard', () => {
  let stage: DashboardStage;

  before(async () => {
    stage = await startDashboardStage();
  });
  after(() => stage.close());

  it('are exactly those of the table, with what each needs', () => {
    const served = SERVED.dashboard.map(({ method, pattern, facts }) => [
      `${method} ${pattern.replace(/:(\w+)/g, '{$1}')}`,
      facts.permission,
    ]);
    expect(Object.fromEntries(served)).to.deep.equal(ROUTES);
  });

  for (const role of ['viewer', 'developer', 'owner'] as const) {
    for (const environment of ['test', 'live'] as const) {
      it(`refuse the role ${role} in ${environment} what it does not permit`, async () => {
        const cookie = stage.logIn(role);
        for (const [name, permission] of Object.entries(ROUTES)) {
          const [method = '', pattern = ''] = name.split(' ');
          const path = pattern.replace('{id}', 'none');
          const more = method === 'GET' ? {} : { method, body: {} };
          const { status, error } = await stage.call(cookie, path, { environment, ...more });
          const isRefused = !(MAY[role][environment] as readonly string[]).includes(permission);
          const refusal = [403, 'permission_denied', permission];
          const got = [status, error?.['code'], error?.['required_permission']];
          if (isRefused) expect(got, name).to.deep.equal(refusal);
          else expect(got, name).not.to.deep.equal(refusal);
        }
      });

      it(`answer 404 in ${environment} to the role ${role} in another account`, async () => {
        const other = await stage.paymount.accounts.create({
          ...{ name: 'Other', country: 'DE', default_currency: 'eur' },
        });
        const accounts = [{ id: other.id, name: 'Other', role }];
        const cookie = stage.logIn(role, { accounts });
        for (const name of Object.keys(ROUTES)) {
          const [method = '', pattern = ''] = name.split(' ');
          const more = method === 'GET' ? {} : { method, body: {} };
          const path = pattern.replace('{id}', 'none');
          const { status } = await stage.call(cookie, path, { environment, ...more });
          expect(status, name).to.equal(404);
        }
      });
    }
  }
});
