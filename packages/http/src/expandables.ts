import { toBalanceTransactionResource } from '@paymount/core/ledger';
import {
  ChargeResource,
  LiveCustomerResource,
  type Refund,
  toAnyCustomerResource,
  toChargeResource,
  toPaymentMethodResource,
  toRefundResource,
} from '@paymount/core/payments';
import { toListResource } from './lists.ts';
import { type Expandable, inList, nullFields, type Target } from './routing/expand.ts';
import type { Services } from './services.ts';

/** The fields that `expand[]` may name, by resource. */
export interface Expandables {
  readonly charge: Expandable;
  readonly refund: Expandable;
  readonly customer: Expandable;
  readonly paymentMethod: Expandable;
  readonly balanceTransaction: Expandable;
  readonly key: Expandable;
}

const REFUNDS_SHOWN = 10;

/** Resources refer to each other, so each target returns its fields from a function. */
export function createExpandables(services: Services): Expandables {
  const balanceTransaction = {
    scope: 'payouts:read',
    load: async (call, ids) =>
      byId(await services.balance.retrieveTransactions(call, ids), toBalanceTransactionResource),
    next: () => expandables.balanceTransaction,
  } as const satisfies Target;
  const charge = {
    scope: 'charges:read',
    load: async (call, ids) =>
      byId(await services.charges.retrieveMany(call, ids), toChargeResource),
    next: () => expandables.charge,
  } as const satisfies Target;
  const source = {
    scope: 'charges:read',
    load: async (call, ids) =>
      new Map([
        ...byId(await services.refunds.retrieveMany(call, ids), toRefundResource),
        ...(await charge.load(call, ids)),
      ]),
    next: () => ({ ...expandables.charge, ...expandables.refund }),
  } as const satisfies Target;
  const key = {
    scope: 'secret_key',
    load: async (call, ids) => byId(await services.ownKeys.retrieveMany(call, ids), (json) => json),
    next: () => expandables.key,
  } as const satisfies Target;
  const customer = {
    scope: 'customers:read',
    load: async (call, ids) =>
      byId(await services.customers.retrieveMany(call, ids), toAnyCustomerResource),
    next: () => expandables.customer,
  } as const satisfies Target;
  const paymentMethod = {
    scope: 'customers:read',
    load: async (call, ids) =>
      byId(await services.paymentMethods.retrieveMany(call, ids), toPaymentMethodResource),
    next: () => expandables.paymentMethod,
  } as const satisfies Target;
  const expandables: Expandables = {
    charge: {
      ...nullFields(ChargeResource),
      balance_transaction: balanceTransaction,
      customer,
      payment_method: paymentMethod,
      refunds: {
        scope: 'charges:read',
        readKey: (resource) => resource['id'],
        load: async (call, charges) =>
          refundLists(charges, await services.refunds.newestOf(call, charges, REFUNDS_SHOWN + 1)),
        next: () => inList(expandables.refund),
      },
    },
    refund: {
      balance_transaction: balanceTransaction,
      charge,
      failure_balance_transaction: balanceTransaction,
    },
    customer: {
      ...nullFields(LiveCustomerResource),
      invoice_settings: { part: () => ({ default_payment_method: paymentMethod }) },
    },
    paymentMethod: { customer },
    balanceTransaction: { source },
    key: { replaced_by: key, replaces: key },
  };
  return expandables;
}

function byId<Item extends { readonly id: string }>(
  items: readonly Item[],
  toResource: (item: Item) => object,
): ReadonlyMap<string, object> {
  return new Map(items.map((item) => [item.id, toResource(item)]));
}

/** The first page of each charge's refunds; one more is read to know whether more follow. */
function refundLists(
  charges: readonly string[],
  refunds: readonly Refund[],
): ReadonlyMap<string, object> {
  return new Map(
    charges.map((charge) => {
      const of = refunds.filter(({ chargeId }) => chargeId === charge);
      const page = { data: of.slice(0, REFUNDS_SHOWN), hasMore: of.length > REFUNDS_SHOWN };
      return [charge, toListResource(`/v1/charges/${charge}/refunds`, page, toRefundResource)];
    }),
  );
}
