import { expect } from 'chai';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import type { Reply } from '../support/ask.ts';
import { ROLES } from '../support/role-table.ts';
import type { ManagementRoute } from '../support/route-row.ts';
import { MANAGEMENT_ROUTES } from '../support/route-table.ts';

describe('Roles and permissions', () => {
  let app: AdminApp;

  before(async () => {
    app = await startAdminApp();
  });
  after(() => app.close());

  const send = ({ method, path }: ManagementRoute, token: string): Promise<Reply> =>
    app.admin(path, { token, method, ...(method === 'POST' ? { body: {} } : {}) });

  it('allow only /me without a role, or with an unknown one', async () => {
    for (const roles of [[], ['root'], ['constructor'], ['__proto__'], ['ADMIN']]) {
      for (const route of MANAGEMENT_ROUTES) {
        const { status } = await send(route, await app.token(roles));
        expect(status, `${route.name}`).to.equal(route.needs === 'none' ? 200 : 403);
      }
    }
  });

  it('add up when an admin has several', async () => {
    const { json } = await app.admin('/me', { token: await app.token(['support', 'security']) });
    const { live } = json['permissions'] as { live: string[] };
    expect(live).to.include.members([
      ...(ROLES['support']?.live ?? []),
      ...(ROLES['security']?.live ?? []),
    ]);
    expect(live).not.to.include('keys.write');
  });
});
