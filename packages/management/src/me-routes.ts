import { Nothing } from '@paymount/http';
import { z } from 'zod';
import { type ManagementRoute, routesUnder } from './admin-call.ts';
import { PERMISSIONS, permissionsIn } from './roles.ts';

const PermissionsResource = z.array(z.enum(PERMISSIONS).meta({ id: 'Permission' }));

const AdminResource = z
  .strictObject({
    object: z.literal('admin'),
    id: z.string(),
    display_name: z.string(),
    roles: z.array(z.string()),
    permissions: z.strictObject({ live: PermissionsResource, test: PermissionsResource }),
    accounts: z.union([z.literal('all'), z.array(z.string())]),
    environments: z.array(z.enum(['live', 'test'])),
    auth_time: z.string().nullable(),
    via: z.string().meta({ description: 'How the admin was authenticated.' }),
  })
  .meta({ id: 'Admin' });

/** The calling admin, and their permissions. */
export function meRoutes(): readonly ManagementRoute[] {
  const route = routesUnder('/me');
  route.get(
    '',
    {
      permission: 'none',
      operationId: 'retrieveMe',
      summary: 'Retrieve yourself and your permissions',
      query: Nothing,
      response: AdminResource,
    },
    async ({ call: { admin } }) => ({
      object: 'admin',
      id: admin.id,
      display_name: admin.displayName,
      roles: admin.roles,
      permissions: { live: permissionsIn(admin, 'live'), test: permissionsIn(admin, 'test') },
      accounts: admin.accounts,
      environments: admin.environments,
      auth_time: admin.authTime?.toISOString() ?? null,
      via: admin.via,
    }),
  );
  return route.routes;
}
