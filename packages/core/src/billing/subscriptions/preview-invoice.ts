import type { AreaStorage } from '../../changes/area-storage.ts';
import { applyIn } from '../../changes/commit.ts';
import { causeOf } from '../../changes/events/event-cause.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Environment, Owner } from '../../kernel/basics/environment.ts';
import { newId } from '../../kernel/basics/id.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { withRenamedParams } from '../../kernel/errors/renamed-params.ts';
import type { Processor } from '../../payments/processor/processor.ts';
import { timeOf } from '../../payments/test-clocks/object-clock.ts';
import type { Invoice } from '../invoices/invoice.ts';
import {
  type InvoiceJson,
  toInvoiceLineResource,
  toInvoiceResource,
} from '../invoices/invoice-resource.ts';
import { isInvoiceWrite } from '../invoices/invoice-storage.ts';
import type { PriceWrite } from '../prices/price-storage.ts';
import { type Billed, type Billing, billDecision, pricesIn } from './bill-decision.ts';
import type { BillingDecision } from './billing-decision.ts';
import { cancelSubscription } from './cancel-subscription.ts';
import { decideCreation } from './decide-creation.ts';
import { decideUpdate } from './decide-update.ts';
import { priceWrites } from './find-items.ts';
import { renewSubscription } from './renew-subscription.ts';
import { resumeSubscription } from './resume-subscription.ts';
import type { Subscription } from './subscription.ts';
import type { InvoicePreview } from './subscription-input.ts';
import { assertMetadata, toResumption } from './subscription-parameters.ts';
import type {
  SubscriptionReaders,
  SubscriptionRepositories,
  SubscriptionWrite,
} from './subscription-storage.ts';
import { assertCreditsPaid } from './unpaid-time.ts';

export interface PreviewPorts {
  readonly storage: AreaStorage<SubscriptionReaders, SubscriptionRepositories>;
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly clock: Clock;
}

/** Ends the transaction of a preview, so that nothing of it is kept. */
class Previewed extends Error {
  readonly invoice: Invoice;

  constructor(invoice: Invoice) {
    super('A preview is never committed.');
    this.invoice = invoice;
  }
}

/**
 * Shows the invoice that a change, or nothing but time, would lead to: the code that bills runs in a
 * transaction, which is then rolled back. So a preview is what is billed, to the cent and the line.
 * @throws PaymountError `invoice_upcoming_none`, `parameter_missing`, `resource_missing`,
 *   `subscription_customer_mismatch`, and whatever the change would be refused with
 */
export async function previewInvoice(
  ports: PreviewPorts,
  call: Call,
  input: InvoicePreview,
): Promise<InvoiceJson> {
  try {
    return await ports.storage.transaction(async (rows) => {
      const preview = new Preview(withoutNumbers(rows), ports, call);
      throw new Previewed(await withRenamedParams(() => preview.of(input), toParam));
    });
  } catch (error) {
    if (error instanceof Previewed) return toPreview(error.invoice);
    throw error;
  }
}

/** A preview has no number, so nobody who issues an invoice of the account waits for it. */
function withoutNumbers(rows: SubscriptionRepositories): SubscriptionRepositories {
  const invoices = { ...rows.invoices, takeNumber: () => Promise.resolve(1) };
  return { ...rows, invoices };
}

/** The name of a parameter of a change, which a preview takes in `subscription_details`. */
function toParam(param: string): string {
  if (/^(?:customer|subscription|subscription_details)\b/.test(param)) return param;
  return param.replace(/^\w+/, 'subscription_details[$&]');
}

/** One preview, in the transaction that is rolled back. */
class Preview {
  readonly #rows: SubscriptionRepositories;
  readonly #ports: PreviewPorts;
  readonly #call: Call;
  readonly #owner: Owner;
  readonly #at: Date;

  constructor(rows: SubscriptionRepositories, ports: PreviewPorts, call: Call) {
    this.#rows = rows;
    this.#ports = ports;
    this.#call = call;
    this.#owner = ownerOf(call);
    this.#at = ports.clock.now();
  }

  async of(input: InvoicePreview): Promise<Invoice> {
    assertMetadata(input.subscription_details ?? {});
    if (input.subscription !== undefined) return this.#ofSubscription(input.subscription, input);
    const { customer, subscription_details: details } = input;
    if (customer === undefined || details?.items === undefined) {
      const message = 'Send subscription, or customer and subscription_details[items].';
      throw new PaymountError('parameter_missing', message, { param: 'subscription' });
    }
    return this.#ofNew(customer, { ...details, items: details.items });
  }

  async #ofNew(
    customer: string,
    details: NonNullable<InvoicePreview['subscription_details']> & {
      readonly items: NonNullable<NonNullable<InvoicePreview['subscription_details']>['items']>;
    },
  ): Promise<Invoice> {
    const { billing_cycle_anchor: anchor, start_date: start } = details;
    const invoiceId = newId('in');
    const input = {
      customer,
      items: details.items,
      ...(anchor instanceof Date && { billing_cycle_anchor: anchor }),
      ...(details.cancel_at !== undefined && { cancel_at: details.cancel_at }),
      ...(details.trial_end !== undefined && { trial_end: details.trial_end }),
      ...(details.proration_behavior && { proration_behavior: details.proration_behavior }),
      ...(start && { backdate_start_date: start }),
    };
    const at = this.#at;
    const { decision, prices } = await decideCreation(this.#rows, this.#call, {
      input,
      at,
      invoiceId,
    });
    const billed = await this.#bill(decision, {
      invoiceId,
      reason: 'subscription_create',
      newPrices: pricesIn(prices),
    });
    return invoiceIn(billed) ?? this.#upcoming(await this.#apply(billed, prices));
  }

  async #ofSubscription(id: string, input: InvoicePreview): Promise<Invoice> {
    const asked = { noun: 'subscription', prefix: 'sub', param: 'subscription' } as const;
    // Locked, so that a change at the same time is over before it, or waits for it.
    const find = (known: Subscription['id']) =>
      this.#rows.subscriptions.findForUpdate(this.#owner, known);
    const before = await findOrThrow(asked, id, find);
    if (input.customer !== undefined && input.customer !== before.customerId) {
      throw new PaymountError('subscription_customer_mismatch', undefined, { param: 'customer' });
    }
    const {
      cancel_now: isCanceled,
      resume_at: resumes,
      ...change
    } = input.subscription_details ?? {};
    const invoiceId = newId('in');
    const times = { at: timeOf(before, this.#at), invoiceId };
    const how = { before, invoiceId, reason: 'subscription_update' } as const;
    if (isCanceled) {
      const isProrated = (change.proration_behavior ?? 'create_prorations') !== 'none';
      const end = { isProrated, isInvoicedNow: true, details: {} };
      const param = 'proration_behavior';
      const decision = cancelSubscription(before, end, times.at);
      await assertCreditsPaid(this.#rows, before, { lines: decision.lines, param });
      return required(await this.#bill(decision, how));
    }
    if (resumes !== undefined) {
      const { proration_behavior: behavior } = change;
      const resumption = toResumption(behavior ? { proration_behavior: behavior } : {});
      return required(await this.#bill(resumeSubscription(before, resumption, times), how));
    }
    const { start_date: _, billing_cycle_anchor: anchor, ...rest } = change;
    const update =
      anchor instanceof Date ? rest : { ...rest, ...(anchor && { billing_cycle_anchor: anchor }) };
    const decided = await decideUpdate(this.#rows, before, {
      input: update,
      at: this.#at,
      invoiceId,
    });
    const newPrices = pricesIn(decided.prices);
    const billed = await this.#bill(decided.decision, { ...how, newPrices });
    return invoiceIn(billed) ?? this.#upcoming(await this.#apply(billed, decided.prices));
  }

  /** The invoice of the next period. */
  async #upcoming(subscription: Subscription): Promise<Invoice> {
    const invoiceId = newId('in');
    const times = { at: subscription.period.end, invoiceId, canPay: true };
    // As it is at the end of the period.
    const { pauseCollection, period } = subscription;
    const isResumed = pauseCollection?.resumesAt && pauseCollection.resumesAt <= period.end;
    const then = {
      ...subscription,
      chargingInvoiceId: null,
      ...(isResumed && { pauseCollection: null }),
    };
    const decision = renewSubscription(then, times);
    if (decision === null) throw new PaymountError('invoice_upcoming_none');
    const how = { before: subscription, invoiceId, reason: 'subscription_cycle' } as const;
    return required(await this.#bill(decision, how));
  }

  #bill(
    decision: BillingDecision,
    how: Pick<Billing, 'before' | 'invoiceId' | 'reason' | 'newPrices'>,
  ): Promise<Billed> {
    return billDecision(this.#rows, this.#ports.processors, {
      ...how,
      decision,
      at: this.#at,
      cause: causeOf(this.#call),
    });
  }

  /** Writes a change, so that the next invoice is made of it. */
  async #apply({ change }: Billed, prices: readonly PriceWrite[]): Promise<Subscription> {
    // Nobody hears of what is rolled back: no event, and the host's hook is not called.
    const { events: _, ...silent } = change;
    const made = await priceWrites(this.#rows, this.#owner, prices);
    await applyIn(this.#rows, {
      ...this.#owner,
      at: this.#at,
      ...silent,
      writes: [...made, ...change.writes],
    });
    const written = change.writes.find(isSubscriptionWrite);
    if (written === undefined) throw new Error('A decision writes its subscription.');
    return written.row;
  }
}

function isSubscriptionWrite(write: { readonly kind: string }): write is SubscriptionWrite {
  return write.kind === 'subscription';
}

function required(billed: Billed): Invoice {
  const invoice = invoiceIn(billed);
  if (invoice === undefined) throw new PaymountError('invoice_upcoming_none');
  return invoice;
}

/** The invoice that it makes. */
function invoiceIn({ change }: Billed): Invoice | undefined {
  return change.writes.filter(isInvoiceWrite).find(({ mode }) => mode === 'insert')?.row;
}

/** It has no number and cannot be read again, and so it shows all of its lines. */
function toPreview(invoice: Invoice): InvoiceJson {
  const shown = toInvoiceResource(invoice, () => undefined);
  const id = `upcoming_${invoice.id}`;
  return {
    ...shown,
    id,
    number: null,
    status: 'draft',
    paid: false,
    amount_paid: 0,
    amount_remaining: shown.amount_due,
    lines: {
      ...shown.lines,
      url: `/v1/invoices/${id}/lines`,
      has_more: false,
      data: invoice.lines.map((line) => ({ ...toInvoiceLineResource(invoice, line), invoice: id })),
    },
    status_transitions: {
      finalized_at: null,
      paid_at: null,
      voided_at: null,
      marked_uncollectible_at: null,
    },
  };
}
