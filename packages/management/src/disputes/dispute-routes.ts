import { DisputeResource, DisputeRuleInput, toDisputeResource } from '@paymount/core/payments';
import { callFor, type ManagementRoute, routesUnder, target } from '../admin-call.ts';
import type { ManagementServices } from '../services.ts';

const NAME = { noun: 'dispute', prefix: 'dp' } as const;

/** What admins record about disputes of merchants. */
export function disputeRoutes({
  disputes,
  directory,
}: ManagementServices): readonly ManagementRoute[] {
  const route = routesUnder('/disputes');
  route.post(
    '/:id/rule',
    {
      permission: 'disputes.rule',
      response: DisputeResource,
      freshLogin: true,
      operationId: 'ruleDispute',
      summary: 'Record a ruling about a chargeback, or that its ruling was reversed',
      body: DisputeRuleInput,
    },
    async ({ call, path, body }) => {
      const found = await target(call, NAME, path.id, (id) =>
        directory.disputes.find(call.admin, id),
      );
      return toDisputeResource(await disputes.rule(callFor(call, found), found, body));
    },
  );
  return route.routes;
}
