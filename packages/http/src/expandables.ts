import { toPriceResource, toProductResource } from '@paymount/core/billing';
import { hasScope } from '@paymount/core/kernel';
import { toBalanceTransactionResource } from '@paymount/core/ledger';
import {
  ChargeResource,
  LiveCustomerResource,
  type Refund,
  toAnyBankAccountResource,
  toAnyCustomerResource,
  toChargeResource,
  toDisputeResource,
  toPaymentMethodResource,
  toPayoutResource,
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
  readonly dispute: Expandable;
  readonly paymentMethod: Expandable;
  readonly balanceTransaction: Expandable;
  readonly payout: Expandable;
  readonly price: Expandable;
  readonly customerBalance: Expandable;
  readonly subscription: Expandable;
  readonly invoice: Expandable;
  readonly invoiceItem: Expandable;
  readonly invoiceLine: Expandable;
  readonly key: Expandable;
}

const REFUNDS_SHOWN = 10;
/** The charges whose refunds are read at once: 275 refunds, of which the largest have 15 MB. */
const CHARGES_AT_ONCE = 25;

/** Resources refer to each other, so each target returns its fields from a function. */
export function createExpandables(services: Services): Expandables {
  const targets = createTargets(services, () => expandables);
  const { balanceTransaction, charge, customer, dispute, key, paymentMethod, source } = targets;
  const { invoice, price } = targets;
  const expandables: Expandables = {
    charge: {
      ...nullFields(ChargeResource),
      balance_transaction: balanceTransaction,
      customer,
      dispute,
      invoice,
      payment_method: paymentMethod,
      refunds: {
        scope: 'charges:read',
        readKey: (resource) => resource['id'],
        keysAtOnce: CHARGES_AT_ONCE,
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
      // As at Stripe, where it is shown only on request.
      invoice_credit_balance: { part: () => ({}) },
    },
    customerBalance: { customer },
    dispute: { charge },
    paymentMethod: { customer },
    balanceTransaction: { source },
    payout: {
      balance_transaction: balanceTransaction,
      destination: {
        scope: 'secret_key',
        load: async (call, ids) =>
          byId(await services.bankAccounts.retrieveMany(call, ids), toAnyBankAccountResource),
      },
      failure_balance_transaction: balanceTransaction,
    },
    price: {
      product: {
        scope: 'subscriptions:write',
        load: async (call, ids) =>
          byId(await services.products.retrieveMany(call, ids), toProductResource),
      },
    },
    subscription: {
      customer,
      default_payment_method: paymentMethod,
      latest_invoice: invoice,
    },
    invoice: {
      charge,
      customer,
      default_payment_method: paymentMethod,
      lines: { part: () => inList(expandables.invoiceLine) },
      payments: { part: () => inList({ payment: { part: () => ({ charge }) } }) },
    },
    invoiceLine: { price },
    invoiceItem: { customer, invoice, price },
    key: { replaced_by: key, replaces: key },
  };
  return expandables;
}

/** The targets that several fields have. @param fields the fields of all resources, known later */
function createTargets(services: Services, fields: () => Expandables) {
  const charge = {
    scope: 'charges:read',
    load: async (call, ids) =>
      byId(await services.charges.retrieveMany(call, ids), toChargeResource),
    next: () => fields().charge,
  } as const satisfies Target;
  return {
    ...createBillingTargets(services, fields),
    charge,
    balanceTransaction: {
      scope: 'payouts:read',
      load: async (call, ids) =>
        byId(await services.balance.retrieveTransactions(call, ids), toBalanceTransactionResource),
      next: () => fields().balanceTransaction,
    },
    source: {
      // Whoever may read the transaction may read its source if it is a payout.
      scope: 'payouts:read',
      load: async (call, ids) => {
        const found = new Map(
          byId(await services.payouts.retrieveMany(call, ids), toPayoutResource),
        );
        const add = (more: ReadonlyMap<string, object>): void => {
          for (const [id, resource] of more) found.set(id, resource);
        };
        // The ids of what the caller's scopes do not cover stay ids.
        if (hasScope(call.principal, 'charges:read')) {
          add(byId(await services.refunds.retrieveMany(call, ids), toRefundResource));
          add(await charge.load(call, ids));
        }
        if (hasScope(call.principal, 'disputes:write')) {
          add(byId(await services.disputes.retrieveMany(call, ids), toDisputeResource));
        }
        return found;
      },
      next: () => ({
        ...fields().payout,
        ...fields().dispute,
        ...fields().charge,
        ...fields().refund,
      }),
    },
    key: {
      scope: 'secret_key',
      load: async (call, ids) =>
        byId(await services.ownKeys.retrieveMany(call, ids), (json) => json),
      next: () => fields().key,
    },
    customer: {
      scope: 'customers:read',
      load: async (call, ids) =>
        byId(await services.customers.retrieveMany(call, ids), toAnyCustomerResource),
      next: () => fields().customer,
    },
    dispute: {
      scope: 'disputes:write',
      load: async (call, ids) =>
        byId(await services.disputes.retrieveMany(call, ids), toDisputeResource),
      next: () => fields().dispute,
    },
    paymentMethod: {
      scope: 'customers:read',
      load: async (call, ids) =>
        byId(await services.paymentMethods.retrieveMany(call, ids), toPaymentMethodResource),
      next: () => fields().paymentMethod,
    },
  } as const satisfies Readonly<Record<string, Target>>;
}

/** The targets of billing. @param fields the fields of all resources, known later */
function createBillingTargets(services: Services, fields: () => Expandables) {
  return {
    invoice: {
      scope: 'subscriptions:write',
      load: async (call, ids) =>
        byId(await services.invoices.retrieveMany(call, ids), (each) =>
          services.invoices.show(each),
        ),
      next: () => fields().invoice,
    },
    price: {
      scope: 'subscriptions:write',
      load: async (call, ids) =>
        byId(await services.prices.retrieveMany(call, ids), toPriceResource),
      next: () => fields().price,
    },
  } as const satisfies Readonly<Record<string, Target>>;
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
