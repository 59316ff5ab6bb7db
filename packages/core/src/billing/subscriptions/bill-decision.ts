import type { EventCause } from '../../changes/events/event-cause.ts';
import type { Environment, Owner } from '../../kernel/basics/environment.ts';
import { type InvoiceId, newId } from '../../kernel/basics/id.ts';
import type { Maker } from '../../kernel/callers/maker.ts';
import type { Charge } from '../../payments/charges/charge.ts';
import type { Customer } from '../../payments/customers/customer.ts';
import type { Operation } from '../../payments/operations/operation.ts';
import type { Processor } from '../../payments/processor/processor.ts';
import { clockField, timeOf } from '../../payments/test-clocks/object-clock.ts';
import {
  type BillingReason,
  type DraftInvoice,
  draftWithLines,
  type Invoice,
  markedUncollectible,
  voided,
} from '../invoices/invoice.ts';
import type { InvoiceItem } from '../invoices/invoice-item.ts';
import {
  type InvoiceLine,
  lineOf,
  MAX_INVOICE_AMOUNT,
  MAX_ITEMS,
  totalOf,
} from '../invoices/invoice-lines.ts';
import type { InvoiceWrite } from '../invoices/invoice-storage.ts';
import { issueInvoice } from '../invoices/issue-invoice.ts';
import type { Price } from '../prices/price.ts';
import type { PriceWrite } from '../prices/price-storage.ts';
import { type Attempted, attemptInvoice, type Collection } from './attempt-invoice.ts';
import { isCollected } from './bill-period.ts';
import type { BillingDecision, LineDraft } from './billing-decision.ts';
import { collectedAgain } from './collect-again.ts';
import { invoicePaid } from './collect-subscription.ts';
import { effectsOf } from './decision-effects.ts';
import { type PricesById, pricesOf } from './render-subscription.ts';
import { isOver, type Subscription } from './subscription.ts';
import { assertFitsEvent } from './subscription-event.ts';
import { invoiceOfPeriod, voidedDecision } from './subscription-owner.ts';
import type { SubscriptionJson } from './subscription-resource.ts';
import type { SubscriptionChange, SubscriptionRepositories } from './subscription-storage.ts';
import { waitingItem } from './waiting-item.ts';

/** What is decided, and how it is billed. */
export interface Billing {
  /** As it was read, and locked; absent: it is new. */
  readonly before?: Subscription;
  readonly decision: BillingDecision;
  readonly reason: BillingReason;
  /** As it was read in this transaction. @defaultValue it is read */
  readonly customer?: Customer | undefined;
  /** Prices that were read in this transaction. @defaultValue none */
  readonly knownPrices?: readonly Price[];
  /** False: nothing of the customer waits for an invoice. @defaultValue true */
  readonly hasWaitingItems?: boolean;
  /** The id of its invoice, if it makes one. */
  readonly invoiceId: InvoiceId;
  readonly at: Date;
  /** Of its event. */
  readonly cause: EventCause;
  readonly createdBy?: Maker;
  /** Absent: nobody tries to charge the invoice; it stays open. */
  readonly collection?: Collection;
  /**
   * A newer period is charged instead: what the invoice asks for is void at once, and what waits for an invoice
   * still waits.
   */
  readonly isSkipped?: boolean;
  /** Prices that are committed with it. */
  readonly newPrices?: readonly Price[];
}

/** What is committed for a decision. */
export interface Billed {
  readonly change: Pick<
    SubscriptionChange,
    'writes' | 'events' | 'newPeriods' | 'movedEnd' | 'attached' | 'clock'
  >;
  readonly subscription: SubscriptionJson;
  /** As it is committed. */
  readonly row: Subscription;
  /** The prices that it shows. */
  readonly prices: PricesById;
  /** What is sent to the processor after the commit. */
  readonly operation?: Operation;
  /** The invoice and the charge that it makes. */
  readonly made?: { readonly invoice: Invoice; readonly charge: Charge };
}

type Processors = Readonly<Record<Environment, Processor>>;

/**
 * The change of a decision: the subscription with its periods, the invoice with its charge, or the items
 * that wait for the next one. Locks: the subscription, invoice items, the number of the invoice.
 * @throws PaymountError as `attemptInvoice` lists, and `object_too_large`, for a caller
 */
export async function billDecision(
  rows: SubscriptionRepositories,
  processors: Processors,
  billing: Billing,
): Promise<Billed> {
  const { before, at, cause } = billing;
  const { decision, waiting } = splitLines(billing);
  await keepForNext(rows, decision, { ...billing, waiting });
  // Before the number of an invoice is taken: from then on others of the account wait.
  const known = await pricesOf(rows, [decision.subscription], billing.knownPrices);
  const again =
    before &&
    (await collectedAgain(rows, before, { after: decision.subscription, at: timeOf(before, at) }));
  const made: Made =
    decision.invoicing === 'now'
      ? await makeInvoice(rows, processors, { ...billing, decision })
      : { decision };
  const { decision: decided, invoice, intent, writes = [] } = made;
  const subscription: Subscription =
    invoice === undefined
      ? decided.subscription
      : { ...decided.subscription, latestInvoiceId: invoice.id };
  const fresh = billing.newPrices ?? [];
  const prices = new Map([...known, ...fresh.map((price) => [price.id, price] as const)]);
  // A worker must go on, and nobody is kept from ending it.
  if (cause.requestId !== undefined && !isOver(subscription)) assertFitsEvent(subscription, prices);
  const next = { ...decided, subscription };
  const { effects, resource, row } = effectsOf(before, next, { prices, at, cause });
  const { charge, operation, attached } = intent ?? {};
  return {
    subscription: resource,
    row,
    prices,
    ...(operation && { operation }),
    ...(invoice && charge && { made: { invoice, charge } }),
    change: {
      ...effects,
      writes: [
        ...(invoice ? [{ kind: 'invoice', mode: 'insert', row: invoice } as const] : []),
        ...writes,
        ...(again ?? []),
        ...effects.writes,
        ...(charge ? [{ kind: 'charge', mode: 'insert', row: charge } as const] : []),
        ...(operation ? [{ kind: 'operation', mode: 'insert', row: operation } as const] : []),
      ],
      ...(attached && { attached }),
      ...clockField(subscription),
    },
  };
}

/** One decision after another, in one commit. */
export function then(first: BillingDecision, next: BillingDecision): BillingDecision {
  const invoices = [first.invoicing, next.invoicing];
  return {
    subscription: next.subscription,
    event: next.event ?? first.event,
    newPeriods: [...first.newPeriods, ...next.newPeriods],
    movedEnd: next.movedEnd ?? first.movedEnd,
    lines: [...first.lines, ...next.lines],
    invoicing: invoices.includes('now') ? 'now' : invoices.includes('next') ? 'next' : 'none',
  };
}

/** An invoice that was made, and the balance that it took; none if there is nothing to bill. */
interface Made extends Pick<Attempted, 'decision' | 'intent'> {
  readonly invoice?: Invoice;
  readonly writes?: readonly InvoiceWrite[];
}

/** Makes the invoice of a decision, issues it, and tries to charge it. */
async function makeInvoice(
  rows: SubscriptionRepositories,
  processors: Processors,
  billing: Billing,
): Promise<Made> {
  const { decision, at, collection } = billing;
  const { subscription } = decision;
  const draft = await draftOf(rows, billing);
  if (draft.lines.length === 0) return { decision };
  const now = timeOf(subscription, at);
  const { behavior } = subscription.pauseCollection ?? {};
  // Nobody ends the pause of a subscription that has ended.
  if (behavior === 'keep_as_draft' && !isOver(subscription)) return { decision, invoice: draft };
  // What nobody has to pay takes no balance: neither what becomes void, nor a trial.
  const isTrial = billing.reason === 'subscription_create' && draft.total === 0;
  const isVoid = behavior === 'void' || billing.isSkipped === true;
  const usesBalance = isCollected(subscription) && !isVoid && !isTrial;
  const { invoice: issued, writes } = await issueInvoice(rows, draft, at, {
    usesBalance,
    isVoid,
    seen: billing.customer,
  });
  if (issued.status === 'paid') {
    const paid = invoicePaid(subscription, invoiceOfPeriod(issued), now);
    return { decision: paid === null ? decision : then(decision, paid), invoice: issued, writes };
  }
  if (issued.status !== 'open') return { decision, invoice: issued, writes };
  if (isVoid) {
    const invoice = voided(issued, now);
    const gone = await voidedDecision(rows, subscription, { invoice, at });
    return { decision: then(decision, gone), invoice };
  }
  if (behavior === 'mark_uncollectible') {
    return { decision, invoice: markedUncollectible(issued, now), writes };
  }
  const isSent = subscription.collectionMethod === 'send_invoice';
  if (isSent || collection === undefined) return { decision, invoice: issued, writes };
  if (subscription.chargingInvoiceId !== null) {
    // A worker charges it when the outcome of the other charge is known.
    return { decision, invoice: { ...issued, nextActionAt: now }, writes };
  }
  const tried = { subscription, invoice: issued, at, collection };
  const { decision: outcome, ...attempt } = await attemptInvoice(rows, processors, tried);
  return { ...attempt, decision: then(decision, outcome), writes };
}

/** The draft with the lines of a decision, and what waits for the customer as far as it fits. */
async function draftOf(rows: SubscriptionRepositories, billing: Billing): Promise<DraftInvoice> {
  const { decision, invoiceId, reason, at, createdBy } = billing;
  const { subscription } = decision;
  const { accountId, environment, customerId, currency, period } = subscription;
  const owner: Owner = { accountId, environment };
  const lines: InvoiceLine[] = decision.lines.map((line) => ({ ...line, id: newId('il') }));
  const waiting = { customerId, currency, subscriptionId: subscription.id };
  // A first invoice may never be paid, and others are not to be paid: what waits goes on waiting.
  const takes =
    billing.hasWaitingItems !== false &&
    reason !== 'subscription_create' &&
    isCollected(subscription) &&
    billing.isSkipped !== true;
  const taken = takes ? await rows.invoiceItems.take(owner, waiting, invoiceId, MAX_ITEMS) : [];
  const fitting = fittingItems(taken, totalOf(lines));
  const left = taken.filter((item) => !fitting.includes(item)).map(({ id }) => id);
  if (left.length > 0) await rows.invoiceItems.release(owner, invoiceId, left);
  const isPeriod = reason !== 'subscription_update' || decision.newPeriods.length > 0;
  const draft: DraftInvoice = {
    ...owner,
    id: invoiceId,
    version: 1,
    status: 'draft',
    customerId,
    subscriptionId: subscription.id,
    periodIndex: isPeriod ? period.index : null,
    ...(!isPeriod && { changedIndex: period.index }),
    billingReason: reason,
    currency,
    autoAdvance: false,
    collectionMethod: subscription.collectionMethod,
    daysUntilDue: subscription.daysUntilDue,
    dueDate: null,
    defaultPaymentMethodId: null,
    description: null,
    footer: null,
    metadata: {},
    lines: [],
    total: 0,
    periodStart: period.start,
    periodEnd: period.end,
    attemptCount: 0,
    chargeId: null,
    isAbandoned: false,
    created: timeOf(subscription, at),
    ...(createdBy && { createdBy }),
    ...clockField(subscription),
  };
  return draftWithLines(draft, [...lines, ...fitting.map((item) => lineOf(item))]);
}

/** The items that an invoice can take, the oldest first; the others wait for the next one. */
function fittingItems(items: readonly InvoiceItem[], total: number): readonly InvoiceItem[] {
  let sum = total;
  return items.filter(({ amount }) => {
    if (Math.abs(sum + amount) > MAX_INVOICE_AMOUNT) return false;
    sum += amount;
    return true;
  });
}

/**
 * Which lines are invoiced now, and which wait for the next invoice. Credits beside what nobody has to pay would be
 * lost with it, so they wait.
 */
function splitLines({ decision, isSkipped }: Pick<Billing, 'decision' | 'isSkipped'>): {
  readonly decision: BillingDecision;
  readonly waiting: readonly LineDraft[];
} {
  const { lines, invoicing, subscription } = decision;
  if (invoicing !== 'now') return { decision, waiting: invoicing === 'next' ? lines : [] };
  const isLost = !isCollected(subscription) || isSkipped === true;
  const asked = isLost ? lines.filter(({ amount }) => amount >= 0) : lines;
  if (totalOf(asked) <= 0) return { decision, waiting: [] };
  return {
    decision: { ...decision, lines: asked },
    waiting: lines.filter((line) => !asked.includes(line)),
  };
}

/**
 * Lines wait as invoice items for the next invoice of the subscription. Those of a decision that begins a period are
 * for time of the period before, so they name no item: they stay whether the invoice of the new period is paid or
 * not.
 */
async function keepForNext(
  rows: Pick<SubscriptionRepositories, 'invoiceItems'>,
  { subscription, newPeriods }: BillingDecision,
  made: Pick<Billing, 'at' | 'createdBy'> & { readonly waiting: readonly LineDraft[] },
): Promise<void> {
  if (made.waiting.length === 0) return;
  const isOfEarlier = newPeriods.length > 0;
  const lines = isOfEarlier
    ? made.waiting.map((line) => ({ ...line, subscriptionItemId: null }))
    : made.waiting;
  await rows.invoiceItems.insert(lines.map((line) => waitingItem(subscription, line, made)));
}

/** The prices that are made with a change. */
export function pricesIn(made: readonly PriceWrite[] = []): readonly Price[] {
  return made.flatMap((write) => (write.kind === 'price' ? [write.row] : []));
}
