import { CurrencyInput } from '@paymount/core/kernel';
import {
  BalanceResource,
  type BalanceTransactionFilter,
  BalanceTransactionResource,
  balanceTransactionTypes,
  toBalanceResource,
  toBalanceTransactionResource,
} from '@paymount/core/ledger';
import type { z } from 'zod';
import {
  CreatedInput,
  clockFilter,
  idFilter,
  ListQuery,
  listSchema,
  toClockFilter,
  toListResource,
  toPageRequest,
} from '../lists.ts';
import { type Expandable, inList } from '../routing/expand.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

const PATH = '/v1/balance_transactions';

const BalanceTransactionListQuery = ListQuery.extend({
  created: CreatedInput,
  currency: CurrencyInput.optional(),
  source: idFilter('The id of a charge, refund, payout, dispute or adjustment.'),
  payout: idFilter('Only what this automatic payout contains.'),
  type: BalanceTransactionResource.shape.type.optional(),
  test_clock: clockFilter('what is on none, or of one source or payout all'),
});

/** The balance, and its balance transactions. */
export function balanceRoutes(
  { balance, payouts }: Services,
  expand: Expandable,
): readonly Route[] {
  const route = routesUnder('/v1/balance');
  route.get(
    '',
    {
      scope: 'payouts:read',
      operationId: 'retrieveBalance',
      summary: 'Retrieve the balance',
      response: BalanceResource,
      query: Nothing,
    },
    async ({ call }) => toBalanceResource(call.principal.environment, await balance.retrieve(call)),
  );

  const lines = routesUnder(PATH);
  lines.get(
    '',
    {
      scope: 'payouts:read',
      operationId: 'listBalanceTransactions',
      summary: 'List balance transactions, newest first',
      query: BalanceTransactionListQuery,
      response: listSchema('BalanceTransactionList', BalanceTransactionResource),
      expand: inList(expand),
    },
    async ({ call, query }) => {
      const { payout } = query;
      const filter = {
        ...toFilter(query),
        ...(payout && { payoutId: await payouts.requireAutomatic(call, payout) }),
      };
      const page = await balance.listTransactions(call, filter, toPageRequest(query));
      return toListResource(PATH, page, toBalanceTransactionResource);
    },
  );
  lines.get(
    '/:id',
    {
      scope: 'payouts:read',
      operationId: 'retrieveBalanceTransaction',
      summary: 'Retrieve a balance transaction',
      response: BalanceTransactionResource,
      query: Nothing,
      expand,
    },
    async ({ call, path }) =>
      toBalanceTransactionResource(await balance.retrieveTransaction(call, path.id)),
  );
  return [...route.routes, ...lines.routes];
}

function toFilter(query: z.output<typeof BalanceTransactionListQuery>): BalanceTransactionFilter {
  const { created, currency, source, type } = query;
  return {
    ...(created && { created }),
    ...(currency && { currency }),
    ...(source && { sourceId: source }),
    ...(type && { types: balanceTransactionTypes(type) }),
    ...toClockFilter(query),
  };
}
