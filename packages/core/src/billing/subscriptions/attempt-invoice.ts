import type { Environment } from '../../kernel/basics/environment.ts';
import type { Processor } from '../../payments/processor/processor.ts';
import { timeOf } from '../../payments/test-clocks/object-clock.ts';
import { attemptFailure } from '../invoices/attempt-failure.ts';
import { type Attempt, type AttemptIntent, prepareAttempt } from '../invoices/charge-invoice.ts';
import { attempted, type Invoice, type PayableInvoice } from '../invoices/invoice.ts';
import type { BillingDecision } from './billing-decision.ts';
import { chargeSent, collectionFailed } from './collect-subscription.ts';
import { forbiddenOf } from './find-subscription-method.ts';
import { exhaustedOf } from './give-up-invoices.ts';
import type { Subscription } from './subscription.ts';
import { afterFailure, invoiceOfPeriod, unmoved } from './subscription-owner.ts';
import type { SubscriptionRepositories } from './subscription-storage.ts';

/** How the invoices of a subscription are charged. */
export interface Collection
  extends Omit<Attempt, 'at' | 'processors' | 'paymentMethod' | 'ownerMethodId'> {
  /**
   * The worker asks, because it is due: what cannot be charged counts as a failed attempt. A caller gets
   * an error instead.
   */
  readonly isScheduled: boolean;
}

/** An attempt to charge an invoice: its intent, or none if there is nothing to charge. */
export interface Attempted {
  readonly decision: BillingDecision;
  readonly invoice: Invoice;
  readonly intent?: AttemptIntent;
}

type Rows = Pick<SubscriptionRepositories, 'customers' | 'paymentMethods' | 'billingSettings'>;

/**
 * Attempts to charge an invoice of a subscription; both rows are locked. None at all to charge counts as a
 * failed attempt, so it can never stay `past_due` for ever.
 * @throws PaymountError as `prepareAttempt` lists, for a caller
 */
export async function attemptInvoice(
  rows: Rows,
  processors: Readonly<Record<Environment, Processor>>,
  tried: {
    readonly subscription: Subscription;
    readonly invoice: PayableInvoice;
    readonly at: Date;
    readonly collection: Collection;
  },
): Promise<Attempted> {
  const { subscription, invoice, at, collection } = tried;
  const { isScheduled, ...attempt } = collection;
  try {
    const intent = await prepareAttempt(rows, invoice, {
      ...attempt,
      at,
      processors,
      ownerMethodId: subscription.defaultPaymentMethodId,
      forbidden: isScheduled ? forbiddenOf(subscription) : undefined,
    });
    const decision = unmoved(chargeSent(subscription, invoice.id));
    return { decision, invoice: attempted(invoice, intent.charge.id), intent };
  } catch (error) {
    const failure = isScheduled ? attemptFailure(error) : undefined;
    if (failure === undefined) throw error;
    const now = timeOf(subscription, at);
    const decision = collectionFailed(subscription, {
      invoice: invoiceOfPeriod(invoice),
      failure,
      isScheduled,
      exhausted: await exhaustedOf(rows, subscription),
      at: now,
    });
    const tried = attempted(invoice, null);
    return { decision, invoice: afterFailure(tried, subscription, decision, now) };
  }
}
