import { Nothing } from '@paymount/http';
import {
  environmentsWith,
  type ManagementServices,
  managementRoutes,
  PERMISSIONS,
} from '@paymount/management';
import { expect } from 'chai';
import { z } from 'zod';
import { routesUnder } from '../../../packages/management/src/admin-call.ts';

const handle = async (): Promise<object> => ({});

describe('the route table of the management API', () => {
  const facts = { summary: 'x', answers: z.strictObject({}) };

  it('fails at start for a route that declares no permission', () => {
    const route = routesUnder('/x');
    // @ts-expect-error a permission is missing; JavaScript would not notice
    expect(() => route.post('', { ...facts, body: Nothing }, handle)).to.throw(
      'POST /x declares no permission; give it one of accounts.read,',
    );
    const unknown = { ...facts, permission: 'keys.all', query: Nothing } as const;
    // @ts-expect-error no such permission
    expect(() => route.get('/:id', unknown, handle)).to.throw('GET /x/:id declares no permission');
    expect(route.routes).to.deep.equal([]);
  });

  it('fails at start for a route that would take unknown parameters', () => {
    const body = z.object({ a: z.string() });
    expect(() =>
      routesUnder('/x').post('', { ...facts, permission: 'keys.write', body }, handle),
    ).to.throw('POST /x takes unknown parameters');
  });

  it('holds exactly the routes of the reference, each with its permission', () => {
    const services = { directory: {} } as ManagementServices;
    const rows = managementRoutes(services).map(({ method, pattern, facts: of }) =>
      [
        `${method} ${pattern} ${of.permission}`,
        ...(of.freshLogin ? ['fresh login'] : []),
        ...(of.destructive ? ['token once'] : []),
      ].join(', '),
    );
    expect(rows).to.deep.equal([
      'GET /accounts accounts.read',
      'GET /accounts/:id accounts.read',
      'POST /accounts accounts.write',
      'POST /accounts/:id accounts.write',
      'POST /accounts/:id/suspend accounts.suspend',
      'POST /accounts/:id/resume accounts.suspend',
      'GET /keys keys.read',
      'GET /keys/:id keys.read',
      'POST /keys keys.write, fresh login',
      'POST /keys/:id keys.write',
      'POST /keys/:id/rotate keys.write, fresh login, token once',
      'POST /keys/:id/revoke keys.revoke',
      'GET /keys/:id/usage keys.read',
      'GET /keys/:id/ip_suggestions keys.read',
      'GET /endpoints endpoints.read',
      'GET /endpoints/:id endpoints.read',
      'POST /endpoints endpoints.write',
      'POST /endpoints/:id endpoints.write',
      'POST /endpoints/:id/rotate_secret endpoints.write, token once',
      'DELETE /endpoints/:id endpoints.write, token once',
      'GET /deliveries deliveries.read',
      'GET /deliveries/:id deliveries.read',
      'POST /deliveries/:id/retry deliveries.replay',
      'GET /events deliveries.read',
      'GET /events/:id deliveries.read',
      'POST /events/:id/replay deliveries.replay',
      'GET /replays deliveries.read',
      'GET /replays/:id deliveries.read',
      'POST /replays deliveries.replay',
      'POST /replays/:id/cancel deliveries.replay',
      'GET /operations operations.read',
      'GET /operations/:id operations.read',
      'POST /operations/:id/settle operations.settle, fresh login',
      'POST /operations/:id/dismiss operations.settle, fresh login',
      'GET /leaks leaks.read',
      'POST /leaks leaks.write',
      'GET /leaks/:id leaks.read',
      'POST /leaks/:id/dismiss leaks.write',
      'POST /leaks/:id/rotate_signing_secrets leaks.write, token once',
      'GET /audit audit.read',
      'GET /audit/export audit.read',
      'POST /audit/verify audit.read',
      'GET /audit/:id audit.read',
      'GET /health health.read',
      'GET /metrics health.read',
      'GET /me none',
    ]);
  });

  it('has a use for every permission that a role gives', () => {
    const used = managementRoutes({ directory: {} } as ManagementServices).map(
      ({ facts: { permission } }) => permission,
    );
    expect(PERMISSIONS.filter((permission) => !used.includes(permission))).to.deep.equal([]);
  });
});

describe('environmentsWith', () => {
  const admin = {
    id: 'ada',
    displayName: 'Ada',
    accounts: 'all',
    environments: ['live', 'test'],
    via: 'test',
  } as const;

  it('is where both the roles and the admin reach', () => {
    const developer = { ...admin, roles: ['developer'] };
    expect(environmentsWith(developer, 'keys.read')).to.deep.equal(['live', 'test']);
    expect(environmentsWith(developer, 'keys.write')).to.deep.equal(['test']);
    expect(environmentsWith({ ...developer, environments: ['live'] }, 'keys.write')).to.deep.equal(
      [],
    );
    expect(environmentsWith({ ...admin, roles: ['toString'] }, 'keys.read')).to.deep.equal([]);
  });
});
