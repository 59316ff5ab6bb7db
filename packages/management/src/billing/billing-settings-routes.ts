import {
  BillingSettingsInput,
  BillingSettingsResource,
  type BillingSettingsUpdate,
  toBillingSettingsResource,
} from '@paymount/core/billing';
import { PaymountError } from '@paymount/core/kernel';
import { Nothing } from '@paymount/http';
import { ACCOUNTS_PATH, requireEverywhere } from '../accounts/account-calls.ts';
import { type AdminCall, type ManagementRoute, routesUnder, targetAccount } from '../admin-call.ts';
import type { ManagementServices } from '../services.ts';

/** How the subscriptions of accounts are billed: retrieve, change. */
export function billingSettingsRoutes({
  billingSettings,
  directory,
}: ManagementServices): readonly ManagementRoute[] {
  const route = routesUnder(ACCOUNTS_PATH);
  const find = (call: AdminCall, id: string) =>
    targetAccount(call, id, (known) => directory.accounts.find(known));

  route.get(
    '/:id/billing_settings',
    {
      permission: 'billing.read',
      response: BillingSettingsResource,
      operationId: 'retrieveBillingSettings',
      summary: 'Retrieve how the subscriptions of an account are billed',
      query: Nothing,
    },
    async ({ call, path }) => {
      const { id } = await find(call, path.id);
      return toBillingSettingsResource(await billingSettings.retrieve(id));
    },
  );
  route.post(
    '/:id/billing_settings',
    {
      permission: 'billing.write',
      response: BillingSettingsResource,
      operationId: 'updateBillingSettings',
      summary: 'Change how the subscriptions of an account are billed',
      body: BillingSettingsInput,
    },
    async ({ call, path, body }) => {
      const { id } = await find(call, path.id);
      requireEverywhere(call);
      assertMayChange(call, body);
      return toBillingSettingsResource(await billingSettings.update(call, id, body));
    },
  );
  return route.routes;
}

/** A merchant must not take more of what all accounts share. */
function assertMayChange({ admin, access }: AdminCall, input: BillingSettingsUpdate): void {
  if (admin.kind !== 'user' || input.charges_per_second === undefined) return;
  throw new PaymountError(
    'permission_denied',
    'Only admins change charges_per_second; leave it out, or ask the operator of the service.',
    { param: 'charges_per_second', extra: { required_permission: access.permission } },
  );
}
