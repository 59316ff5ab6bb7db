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
  const facts = { operationId: 'x', summary: 'x', response: z.strictObject({}) };

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

  it('holds exactly the routes of the reference, each with its name and permission', () => {
    const services = { directory: {} } as ManagementServices;
    const rows = managementRoutes(services).map(({ method, pattern, facts: of }) =>
      [
        `${of.operationId} ${method} ${pattern} ${of.permission}`,
        ...(of.freshLogin ? ['fresh login'] : []),
        ...(of.destructive ? ['token once'] : []),
      ].join(', '),
    );
    expect(rows).to.deep.equal([
      'listAccounts GET /accounts accounts.read',
      'retrieveAccount GET /accounts/:id accounts.read',
      'createAccount POST /accounts accounts.write',
      'updateAccount POST /accounts/:id accounts.write',
      'suspendAccount POST /accounts/:id/suspend accounts.suspend',
      'resumeAccount POST /accounts/:id/resume accounts.suspend',
      'listKeys GET /keys keys.read',
      'retrieveKey GET /keys/:id keys.read',
      'createKey POST /keys keys.write, fresh login',
      'rotateKey POST /keys/:id/rotate keys.write, fresh login, token once',
      'updateKey POST /keys/:id keys.write',
      'revokeKey POST /keys/:id/revoke keys.revoke',
      'retrieveKeyUsage GET /keys/:id/usage keys.read',
      'retrieveKeyIpSuggestions GET /keys/:id/ip_suggestions keys.read',
      'listWebhookEndpoints GET /endpoints endpoints.read',
      'retrieveWebhookEndpoint GET /endpoints/:id endpoints.read',
      'createWebhookEndpoint POST /endpoints endpoints.write',
      'updateWebhookEndpoint POST /endpoints/:id endpoints.write',
      'rotateWebhookEndpointSecret POST /endpoints/:id/rotate_secret endpoints.write, token once',
      'deleteWebhookEndpoint DELETE /endpoints/:id endpoints.write, token once',
      'listDeliveries GET /deliveries deliveries.read',
      'retrieveDelivery GET /deliveries/:id deliveries.read',
      'retryDelivery POST /deliveries/:id/retry deliveries.replay',
      'listEvents GET /events deliveries.read',
      'retrieveEvent GET /events/:id deliveries.read',
      'replayEvent POST /events/:id/replay deliveries.replay',
      'listReplays GET /replays deliveries.read',
      'retrieveReplay GET /replays/:id deliveries.read',
      'createReplay POST /replays deliveries.replay',
      'cancelReplay POST /replays/:id/cancel deliveries.replay',
      'listOperations GET /operations operations.read',
      'retrieveOperation GET /operations/:id operations.read',
      'settleOperation POST /operations/:id/settle operations.settle, fresh login',
      'dismissOperation POST /operations/:id/dismiss operations.settle, fresh login',
      'listLeaks GET /leaks leaks.read',
      'retrieveLeak GET /leaks/:id leaks.read',
      'reportLeak POST /leaks leaks.write',
      'dismissLeak POST /leaks/:id/dismiss leaks.write',
      'rotateLeakedSigningSecrets POST /leaks/:id/rotate_signing_secrets leaks.write, token once',
      'listAuditEntries GET /audit audit.read',
      'exportAuditEntries GET /audit/export audit.read',
      'verifyAuditChains POST /audit/verify audit.read',
      'retrieveAuditEntry GET /audit/:id audit.read',
      'retrieveHealth GET /health health.read',
      'retrieveMetrics GET /metrics health.read',
      'retrieveMe GET /me none',
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
