import {
  type AddressOfInvoice,
  type FinalizingAnswer,
  type InvoiceJson,
  type SubscriptionEventType,
  type SubscriptionJson,
  toInvoiceResource,
} from '@paymount/core/billing';
import type { AccountId, Environment } from '@paymount/core/kernel';
import {
  type ChargeJson,
  type DisputeJson,
  type PaymentRules,
  type PayoutJson,
  type RefundJson,
  toChargeResource,
  toDisputeResource,
  toPayoutResource,
  toRefundResource,
} from '@paymount/core/payments';
import type { HookPayload as CoreHookPayload } from '@paymount/core/store';
import type { StorageHook } from './postgres-storage.ts';

/** The argument of a hook: the resources as the API shows them, with account and environment. */
export type HookPayload = {
  readonly account: AccountId;
  readonly environment: Environment;
} & (
  | { readonly kind: 'charge'; readonly charge: ChargeJson }
  /** `refund` is a refund of `charge`. */
  | { readonly kind: 'refund'; readonly charge: ChargeJson; readonly refund: RefundJson }
  /**
   * `dispute` is a dispute of `charge` in its new state: opened, prevented, answered or decided. Of a
   * refund that has prevented it, the hook runs for the refund first, in the same transaction.
   */
  | { readonly kind: 'dispute'; readonly charge: ChargeJson; readonly dispute: DisputeJson }
  /** Of no charge. */
  | { readonly kind: 'payout'; readonly payout: PayoutJson }
  /**
   * Of no charge. `finalizing`: it is about to get its number, and what the hook returns is added to it. If a charge
   * pays it, the hook runs for the charge first, in the same transaction. If nothing is due, the hook runs for
   * `finalized` and then for `paid`.
   */
  | {
      readonly kind: 'invoice';
      readonly event: 'finalizing' | 'finalized' | 'paid';
      readonly invoice: InvoiceJson;
    }
  /**
   * `event` is the type of the event that is recorded, and `subscription` its `data.object`. Of the charge and
   * the invoice that led to it, the hook runs first, in the same transaction. Changes without an event do not
   * call it.
   */
  | {
      readonly kind: 'subscription';
      readonly event: SubscriptionEventType;
      readonly subscription: SubscriptionJson;
    }
);

/**
 * The host's SQL, which commits with a result or not at all; at most 5 s, because rows are locked.
 * @returns for the event `finalizing` of an invoice, lines to add; nothing otherwise
 */
export type HostHook = (
  trx: Parameters<StorageHook>[0],
  settled: HookPayload,
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook that returns nothing is an async function without a value
) => Promise<FinalizingAnswer | void>;

/**
 * Computes the operator's fee for a captured charge.
 * @param charge as it was before the capture
 * @param amount the captured amount, in minor units
 * @param account the merchant of the charge
 */
export type FeeSchedule = (
  charge: ChargeJson,
  amount: number,
  account: AccountId,
) => ReturnType<PaymentRules['fees']>;

/** The hook in the form that storage calls. */
export function toStorageHook(hook: HostHook, addressOf: AddressOfInvoice): StorageHook {
  return (trx, settled) => hook(trx, shown(settled, addressOf));
}

/** The fees in the form that core calls. */
export function toCoreFees(fees: FeeSchedule): PaymentRules['fees'] {
  return (charge, amount) => fees(toChargeResource(charge), amount, charge.accountId);
}

function shown(settled: CoreHookPayload, addressOf: AddressOfInvoice): HookPayload {
  if (settled.kind === 'payout') {
    const { accountId: account, environment } = settled.payout;
    return { kind: 'payout', account, environment, payout: toPayoutResource(settled.payout) };
  }
  if (settled.kind === 'subscription') {
    const { accountId: account, environment, kind, event, subscription } = settled;
    return { kind, event, account, environment, subscription };
  }
  if (settled.kind === 'invoice') {
    const { accountId: account, environment } = settled.invoice;
    const { kind, event } = settled;
    const invoice = toInvoiceResource(settled.invoice, addressOf);
    return { kind, event, account, environment, invoice };
  }
  const { accountId: account, environment } = settled.charge;
  const charge = toChargeResource(settled.charge);
  if (settled.kind === 'charge') return { kind: 'charge', account, environment, charge };
  if (settled.kind === 'dispute') {
    const dispute = toDisputeResource(settled.dispute);
    return { kind: 'dispute', account, environment, charge, dispute };
  }
  const refund = toRefundResource(settled.refund);
  return { kind: 'refund', account, environment, charge, refund };
}
