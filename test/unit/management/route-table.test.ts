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

  it('returns the environments of both the roles and the admin', () => {
    const developer = { ...admin, roles: ['developer'] };
    expect(environmentsWith(developer, 'keys.read')).to.deep.equal(['live', 'test']);
    expect(environmentsWith(developer, 'keys.write')).to.deep.equal(['test']);
    expect(environmentsWith({ ...developer, environments: ['live'] }, 'keys.write')).to.deep.equal(
      [],
    );
    expect(environmentsWith({ ...admin, roles: ['toString'] }, 'keys.read')).to.deep.equal([]);
  });
});
