import { findOrThrow } from '@paymount/core/kernel';
import {
  type SettlementDifference,
  SettlementDifferenceResource,
  SettlementDifferenceSettleInput,
  toSettlementDifferenceResource,
} from '@paymount/core/payments';
import { listSchema, Nothing, toListResource, toPageRequest } from '@paymount/http';
import { z } from 'zod';
import { type AdminCall, type ManagementRoute, requireIn, routesUnder } from '../admin-call.ts';
import { AdminListQuery, toFilter } from '../admin-list-query.ts';
import type { ManagementServices } from '../services.ts';

const PATH = '/settlement_differences';
const NAME = { noun: 'settlement difference', prefix: 'sd' } as const;

const SettlementDifferenceListQuery = AdminListQuery.extend({
  state: z
    .enum([...SettlementDifferenceResource.shape.state.options, 'any'])
    .optional()
    .meta({ description: 'The default is `open`. `any`: all differences.' }),
  kind: SettlementDifferenceResource.shape.kind.optional(),
  processor: z.string().max(255).optional().meta({ description: 'Name of the adapter.' }),
});

/** What processors settled and the ledger does not agree with: list, retrieve, settle. */
export function settlementRoutes({
  settlements,
  directory,
}: ManagementServices): readonly ManagementRoute[] {
  const route = routesUnder(PATH);
  const facts = { response: SettlementDifferenceResource } as const;
  /** A difference may have no account; then only admins of all accounts see it. */
  const find = async (call: AdminCall, id: string): Promise<SettlementDifference> => {
    const { settlementDifferences } = directory;
    const found = await findOrThrow(NAME, id, (known) =>
      settlementDifferences.find(call.admin, known),
    );
    requireIn(call, found.environment);
    return found;
  };

  route.get(
    '',
    {
      permission: 'settlements.read',
      operationId: 'listSettlementDifferences',
      summary: 'List what processors settled and the ledger does not agree with, newest first',
      query: SettlementDifferenceListQuery,
      response: listSchema('SettlementDifferenceList', SettlementDifferenceResource),
    },
    async ({ call, query }) => {
      const { account, livemode, state, kind, processor } = query;
      const filter = {
        ...(await toFilter(call, { account, livemode }, directory.accounts)),
        ...(state && { state }),
        ...(kind && { kind }),
        ...(processor && { processor }),
      };
      const { settlementDifferences } = directory;
      const page = await settlementDifferences.list(call.adminScope, filter, toPageRequest(query));
      return toListResource(PATH, page, toSettlementDifferenceResource);
    },
  );
  route.get(
    '/:id',
    {
      ...facts,
      permission: 'settlements.read',
      operationId: 'retrieveSettlementDifference',
      summary: 'Retrieve a difference between a settlement and the ledger',
      query: Nothing,
    },
    async ({ call, path }) => toSettlementDifferenceResource(await find(call, path.id)),
  );
  route.post(
    '/:id/settle',
    {
      ...facts,
      permission: 'settlements.settle',
      freshLogin: true,
      operationId: 'settleSettlementDifference',
      summary: 'Settle a difference that you have cleared up, with a note',
      body: SettlementDifferenceSettleInput,
    },
    async ({ call, path, body }) => {
      const { id } = await find(call, path.id);
      return toSettlementDifferenceResource(await settlements.settle(call, id, body));
    },
  );
  return route.routes;
}
