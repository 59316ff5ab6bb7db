import type { Admin, MerchantRole } from '@paymount/auth';
import type { Environment } from '@paymount/core/kernel';

/** The permissions of admins: `<object>.<action>`. Each route declares one. */
export const PERMISSIONS = [
  'accounts.read',
  'accounts.write',
  'accounts.suspend',
  'keys.read',
  'keys.write',
  'keys.revoke',
  'platforms.read',
  'platforms.write',
  'grants.read',
  'grants.revoke',
  'endpoints.read',
  'endpoints.write',
  'deliveries.read',
  'deliveries.replay',
  'events.expunge',
  'operations.read',
  'operations.settle',
  'notices.read',
  'notices.settle',
  'disputes.rule',
  'payouts.read',
  'payouts.write',
  'balance.adjust',
  'billing.read',
  'billing.write',
  'settlements.read',
  'settlements.settle',
  'test_clocks.read',
  'test_clocks.clear',
  'leaks.read',
  'leaks.write',
  'audit.read',
  'health.read',
] as const;

/** Those that only the dashboard has: admins have no route for them. */
const MERCHANT_PERMISSIONS = [
  'charges.read',
  'charges.refund',
  'balance.read',
  'events.trigger',
] as const;

export type Permission = (typeof PERMISSIONS | typeof MERCHANT_PERMISSIONS)[number];

/** All of them. */
const ALL: readonly Permission[] = [...PERMISSIONS, ...MERCHANT_PERMISSIONS];

/** A permission, and its environments. */
interface Grant {
  readonly permission: Permission;
  readonly environments: readonly Environment[];
}

const everywhere = (...permissions: readonly Permission[]): readonly Grant[] =>
  permissions.map((permission) => ({ permission, environments: ['live', 'test'] }));
const inTest = (...permissions: readonly Permission[]): readonly Grant[] =>
  permissions.map((permission) => ({ permission, environments: ['test'] }));

const viewer = everywhere(
  ...PERMISSIONS.filter((name) => name.endsWith('.read') && name !== 'audit.read'),
);
const support = [...viewer, ...everywhere('deliveries.replay')];

/** The one table of roles; several roles of an admin add up. */
export const ROLES: Readonly<Record<string, readonly Grant[]>> = {
  viewer,
  support,
  developer: [
    ...support,
    ...inTest('keys.write', 'keys.revoke', 'platforms.write', 'endpoints.write', 'billing.write'),
  ],
  security: [
    ...viewer,
    ...everywhere('audit.read', 'keys.revoke', 'grants.revoke', 'accounts.suspend', 'leaks.write'),
  ],
  admin: everywhere(...PERMISSIONS),
};

const merchantViewer = everywhere(
  ...(['accounts.read', 'keys.read', 'grants.read', 'endpoints.read', 'deliveries.read'] as const),
  ...(['leaks.read', 'charges.read', 'balance.read', 'payouts.read', 'billing.read'] as const),
);

/** The roles of a merchant's users, who act for their own accounts. */
const MERCHANT_ROLES: Readonly<Record<MerchantRole, readonly Grant[]>> = {
  viewer: merchantViewer,
  developer: [
    ...merchantViewer,
    ...everywhere('deliveries.replay'),
    ...inTest('keys.write', 'keys.revoke', 'endpoints.write', 'leaks.write'),
    ...inTest('charges.refund', 'events.trigger'),
  ],
  owner: [
    ...merchantViewer,
    ...everywhere(
      ...(['accounts.write', 'keys.write', 'keys.revoke', 'grants.revoke'] as const),
      ...(['endpoints.write', 'deliveries.replay', 'leaks.write', 'audit.read'] as const),
      'charges.refund',
      'billing.write',
    ),
    ...inTest('events.trigger'),
  ],
};

/** The environments in which an admin has a permission; unknown role names give none. */
export function environmentsWith(admin: Admin, permission: Permission): readonly Environment[] {
  const table: Readonly<Record<string, readonly Grant[]>> =
    admin.kind === 'user' ? MERCHANT_ROLES : ROLES;
  const grants = admin.roles.flatMap((role) => (Object.hasOwn(table, role) ? table[role] : []));
  return admin.environments.filter((environment) =>
    grants.some(
      (grant) => grant?.permission === permission && grant.environments.includes(environment),
    ),
  );
}

/** Every permission that an admin has in one environment. */
export function permissionsIn(admin: Admin, environment: Environment): readonly Permission[] {
  return ALL.filter((name) => environmentsWith(admin, name).includes(environment));
}
