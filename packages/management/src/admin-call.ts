import type { Admin } from '@paymount/auth';
import type { AccountReader } from '@paymount/core/access';
import {
  type AccountId,
  type AdminScope,
  type AuditContext,
  type Call,
  type Environment,
  environmentOf,
  findOrThrow,
  type Id,
  type IdempotencyClaim,
  isAccountInAdminScope,
  isInAdminScope,
  type Owner,
  PaymountError,
  type RequestId,
} from '@paymount/core/kernel';
import { type RouteTable, routeTables, type TableRoute } from '@paymount/http';
import { environmentsWith, PERMISSIONS, type Permission } from './roles.ts';

/** The requirements of a route for the admin who calls it. */
export interface ManagementAccess {
  /** `none`: every admin. */
  readonly permission: Permission | 'none';
  /** In live it requires a login of the last 10 minutes. */
  readonly freshLogin?: true;
  /**
   * It replaces or removes a working object; a token can be used for one such call. Revoking and
   * suspending are not destructive in this sense: in an incident they must work quickly and
   * repeatedly.
   */
  readonly destructive?: true;
  /**
   * Fields that are not searched for card numbers and secrets: hashes, and values that are not
   * stored, or not as they were sent.
   */
  readonly unsearched?: readonly string[];
}

/** One authorized call of an admin, as its handler gets it. */
export interface AdminCall {
  readonly admin: Admin;
  readonly access: ManagementAccess;
  /** The accounts and environments that the admin sees here: lists show nothing else. */
  readonly adminScope: AdminScope;
  readonly requestId: RequestId;
  /** When the admin was authenticated. */
  readonly now: Date;
  /** For the audit row of each change. */
  readonly audit: AuditContext;
  /** Present when the request carried an `Idempotency-Key`. */
  readonly claim?: IdempotencyClaim;
}

export type ManagementRoute = TableRoute<ManagementAccess, AdminCall>;

const ACCESSES: readonly unknown[] = [...PERMISSIONS, 'none'];

/**
 * Starts a route table.
 * @param base the path that all patterns continue, such as `/keys`
 * @throws Error (when a route is added) if it declares no permission or an unknown one, or takes
 *   unknown parameters
 */
export const routesUnder: (base: string) => RouteTable<ManagementAccess, AdminCall> = routeTables({
  members: { permission: true, freshLogin: true, destructive: true, unsearched: true },
  findFault: ({ permission }) =>
    ACCESSES.includes(permission)
      ? undefined
      : `declares no permission; give it one of ${ACCESSES.join(', ')}`,
});

/** How old a login may be that grants rights in live. */
export const FRESH_SECONDS = 600;
/** The maximum difference between the clocks of two machines. */
const SKEW_SECONDS = 5;

/**
 * The environments in which an admin may use a route.
 * @throws PaymountError 403 `permission_denied` if there is none
 */
export function adminScopeFor(admin: Admin, { permission }: ManagementAccess): AdminScope {
  if (permission === 'none') return admin;
  const environments = environmentsWith(admin, permission);
  if (environments.length === 0) throw denied(permission, 'You lack');
  return { accounts: admin.accounts, environments };
}

/**
 * Loads the object of an id in the path, for a call that reads or changes it.
 * @throws PaymountError 404 `resource_missing`, also for an object that the admin may not see; then
 *   as `requireIn`
 */
export async function target<const Prefix extends string, Found extends Owner>(
  call: AdminCall,
  name: { readonly noun: string; readonly prefix: Prefix },
  id: string,
  find: (id: Id<Prefix>) => Promise<Found | undefined>,
): Promise<Found> {
  const found = await findOrThrow(name, id, async (known) => {
    const seen = await find(known);
    return seen !== undefined && isInAdminScope(call.admin, seen) ? seen : undefined;
  });
  requireIn(call, found.environment);
  return found;
}

/**
 * Reads the id of an account that the admin may see, from the path or a parameter.
 * @param param its name, if it is not part of the path
 * @throws PaymountError `resource_missing`: 404 for a path, 400 for a parameter
 */
export async function targetAccount<Found extends { readonly id: AccountId }>(
  call: AdminCall,
  id: string,
  find: (id: AccountId) => Promise<Found | undefined>,
  param?: string,
): Promise<Found> {
  const name = { noun: 'account', prefix: 'acct', ...(param && { param }) } as const;
  return findOrThrow(name, id, async (known) =>
    isAccountInAdminScope(call.admin, known) ? find(known) : undefined,
  );
}

/**
 * The owner of a new key or endpoint.
 * @throws PaymountError 400 `resource_missing` for an account that the admin may not see; then as
 *   `requireIn`
 */
export async function newOwner(
  call: AdminCall,
  sent: { readonly account: string; readonly livemode: boolean },
  accounts: AccountReader,
): Promise<Owner> {
  const { id } = await targetAccount(
    call,
    sent.account,
    (known) => accounts.find(known),
    'account',
  );
  const environment = environmentOf(sent.livemode);
  requireIn(call, environment);
  return { accountId: id, environment };
}

/**
 * Checks that a call may act in an environment.
 * @throws PaymountError 403 `permission_denied`; 401 `insufficient_user_authentication` if the
 *   route requires a fresh login there (RFC 9470)
 */
export function requireIn(
  { access, admin, adminScope, now }: AdminCall,
  environment: Environment,
): void {
  if (!adminScope.environments.includes(environment)) {
    throw denied(access.permission, `In ${environment} you lack`);
  }
  if (access.freshLogin === true) requireFreshLogin({ admin, now }, environment);
}

/**
 * Checks that an admin may grant rights in live, or see a secret there.
 * @throws PaymountError 401 `insufficient_user_authentication` unless the login is fresh (RFC 9470)
 */
export function requireFreshLogin(
  { admin, now }: Pick<AdminCall, 'admin' | 'now'>,
  environment: Environment,
): void {
  if (environment === 'test') return;
  const ageSeconds =
    admin.authTime === undefined ? Infinity : (now.getTime() - admin.authTime.getTime()) / 1_000;
  if (ageSeconds >= -SKEW_SECONDS && ageSeconds <= FRESH_SECONDS) return;
  const cure =
    admin.authTime === undefined
      ? 'Your login has no time: the host must set it as `authTime`, a token as `auth_time`.'
      : 'Sign in again, then repeat the request.';
  throw new PaymountError(
    'insufficient_user_authentication',
    `In live this requires a login of the last 10 minutes. ${cure}`,
    { extra: { max_age: FRESH_SECONDS } },
  );
}

/**
 * Checks that a call may change what concerns every account.
 * @throws PaymountError 403 `permission_denied` for an admin of some accounts
 */
export function requireAllAccounts({ admin, access }: AdminCall): void {
  if (admin.accounts === 'all') return;
  throw new PaymountError(
    'permission_denied',
    'This is allowed only for admins of all accounts; you may see some of them.',
    { extra: { required_permission: access.permission } },
  );
}

function denied(permission: string, lack: string): PaymountError {
  return new PaymountError('permission_denied', `${lack} ${permission}.`, {
    extra: { required_permission: permission },
  });
}

/** The same call to a service that acts for one account and environment. */
export function callFor(call: AdminCall, { accountId, environment }: Owner): Call {
  const { admin, requestId, audit, claim } = call;
  return {
    principal: { kind: 'admin', adminId: admin.id, accountId, environment, scopes: 'all' },
    requestId,
    audit,
    ...(claim && { claim }),
  };
}
