import {
  AdjustmentCreateInput,
  AdjustmentResource,
  toAdjustmentResource,
} from '@paymount/core/payments';
import { callFor, type ManagementRoute, newOwner, routesUnder } from '../admin-call.ts';
import type { ManagementServices } from '../services.ts';

/** What admins book on the balances of merchants. */
export function adjustmentRoutes({
  adjustments,
  directory,
}: ManagementServices): readonly ManagementRoute[] {
  const route = routesUnder('/adjustments');
  route.post(
    '',
    {
      permission: 'balance.adjust',
      response: AdjustmentResource,
      freshLogin: true,
      operationId: 'createAdjustment',
      summary: 'Reserve funds of a balance, release them, or write off a debt',
      body: AdjustmentCreateInput,
    },
    async ({ call, body }) => {
      const { account, livemode, ...input } = body;
      const owner = await newOwner(call, { account, livemode }, directory.accounts);
      return toAdjustmentResource(await adjustments.create(callFor(call, owner), input));
    },
  );
  return route.routes;
}
