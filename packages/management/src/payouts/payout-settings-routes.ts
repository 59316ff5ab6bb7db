import {
  PayoutSettingsInput,
  PayoutSettingsResource,
  toPayoutSettingsResource,
} from '@paymount/core/payments';
import { Nothing } from '@paymount/http';
import { ACCOUNTS_PATH, requireEverywhere } from '../accounts/account-calls.ts';
import { type AdminCall, type ManagementRoute, routesUnder, targetAccount } from '../admin-call.ts';
import type { ManagementServices } from '../services.ts';

/** How accounts are paid out: retrieve, change. */
export function payoutSettingsRoutes({
  payoutSettings,
  directory,
}: ManagementServices): readonly ManagementRoute[] {
  const route = routesUnder(ACCOUNTS_PATH);
  const find = (call: AdminCall, id: string) =>
    targetAccount(call, id, (known) => directory.accounts.find(known));

  route.get(
    '/:id/payout_settings',
    {
      permission: 'payouts.read',
      response: PayoutSettingsResource,
      operationId: 'retrievePayoutSettings',
      summary: 'Retrieve how an account is paid out',
      query: Nothing,
    },
    async ({ call, path }) => {
      const { id } = await find(call, path.id);
      return toPayoutSettingsResource(await payoutSettings.retrieve(id));
    },
  );
  route.post(
    '/:id/payout_settings',
    {
      permission: 'payouts.write',
      response: PayoutSettingsResource,
      freshLogin: true,
      operationId: 'updatePayoutSettings',
      summary: 'Change how an account is paid out: its schedule, or none at all',
      body: PayoutSettingsInput,
    },
    async ({ call, path, body }) => {
      const { id } = await find(call, path.id);
      requireEverywhere(call);
      return toPayoutSettingsResource(await payoutSettings.update(call, id, body));
    },
  );
  return route.routes;
}
