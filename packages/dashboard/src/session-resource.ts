import type { HostUser } from '@paymount/auth';
import type { Environment } from '@paymount/core/kernel';
import { permissionsIn } from '@paymount/management';
import type { ApiReference } from './api-reference.ts';
import type { DashboardLooks } from './looks.ts';
import { toMerchant } from './merchant.ts';

/** What the browser application shows of the user, and what each role may do. */
export function toSessionResource(
  hostUser: HostUser,
  environments: readonly Environment[],
  { looks, reference }: { readonly looks: DashboardLooks; readonly reference?: ApiReference },
): object {
  const { name = null, logoUrl = null, color = null }: Partial<Nullable<DashboardLooks>> = looks;
  const { userId, displayName, authTime, accounts } = hostUser;
  return {
    object: 'session',
    user: { id: userId, display_name: displayName },
    auth_time: authTime.toISOString(),
    environments,
    accounts: accounts.map(({ id, name, role }) => ({ id, name, role })),
    // Once for each role: a user may have thousands of accounts.
    permissions: Object.fromEntries(
      [...new Map(accounts.map((account) => [account.role, account]))].map(([role, account]) => {
        const merchant = toMerchant(hostUser, account, environments);
        return [
          role,
          { live: permissionsIn(merchant, 'live'), test: permissionsIn(merchant, 'test') },
        ];
      }),
    ),
    appearance: { name, logo_url: logoUrl, color },
    api_reference: reference === undefined ? null : { can_try: reference.canTry },
  };
}

type Nullable<Of> = { readonly [Name in keyof Of]: Of[Name] | null };
