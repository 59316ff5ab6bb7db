import {
  type Call,
  PaymountError,
  toBalanceTransactionResource,
  toChargeResource,
  toPaymentMethodResource,
  toRefundResource,
} from '@paymount/core';
import { toListResource } from './lists.ts';
import { type Expandable, inList } from './routing/expand.ts';
import type { Services } from './services.ts';

/** What `expand[]` may name, by resource (payments.md, section 2). */
export interface Expandables {
  readonly charge: Expandable;
  readonly refund: Expandable;
  readonly balanceTransaction: Expandable;
}

const REFUNDS_SHOWN = 10;

/** Resources refer to each other, so each target names its own fields by a function. */
export function createExpandables(services: Services): Expandables {
  const balanceTransaction = {
    scope: 'payouts:read',
    load: each(async (call, id) =>
      toBalanceTransactionResource(await services.balance.retrieveTransaction(call, id)),
    ),
    next: () => expandables.balanceTransaction,
  } as const;
  const source = {
    scope: 'charges:read',
    load: each(async (call, id) =>
      id.startsWith('re_')
        ? toRefundResource(await services.refunds.retrieve(call, id))
        : toChargeResource(await services.charges.retrieve(call, id)),
    ),
    next: () => ({ ...expandables.charge, ...expandables.refund }),
  } as const;
  const expandables: Expandables = {
    charge: {
      balance_transaction: balanceTransaction,
      payment_method: {
        scope: 'customers:read',
        load: each(async (call, id) =>
          toPaymentMethodResource(await services.paymentMethods.retrieve(call, id)),
        ),
      },
      refunds: {
        scope: 'charges:read',
        keyOf: (charge) => charge['id'],
        load: each(async (call, charge) => {
          const page = await services.refunds.list(call, { charge }, { limit: REFUNDS_SHOWN });
          return toListResource(`/v1/refunds?charge=${charge}`, page, toRefundResource);
        }),
        next: () => inList(expandables.refund),
      },
    },
    refund: {
      balance_transaction: balanceTransaction,
      charge: { ...source, next: () => expandables.charge },
      failure_balance_transaction: balanceTransaction,
    },
    balanceTransaction: { source },
  };
  return expandables;
}

/** Loads one by one what a page refers to: at most 100, most of them the same few. */
function each(
  load: (call: Call, key: string) => Promise<object>,
): (call: Call, keys: readonly string[]) => Promise<ReadonlyMap<string, object>> {
  return async (call, keys) => {
    const loaded = await Promise.all(
      keys.map(async (key) => [key, await present(load(call, key))] as const),
    );
    return new Map(loaded.flatMap(([key, found]) => (found === undefined ? [] : [[key, found]])));
  };
}

/** What is gone keeps its id in the resource that refers to it. */
async function present(loading: Promise<object>): Promise<object | undefined> {
  try {
    return await loading;
  } catch (error) {
    if (PaymountError.is(error) && error.code === 'resource_missing') return undefined;
    throw error;
  }
}
