import type { EventCause } from '../../changes/events/event-cause.ts';
import type { PaymentMethodId } from '../../kernel/basics/id.ts';
import type { ChargeReader } from '../../payments/charges/charge-repository.ts';
import type { CustomerReader } from '../../payments/customers/customer-repository.ts';
import type { PaymentMethodReader } from '../../payments/payment-methods/payment-method-repository.ts';
import { timeOf } from '../../payments/test-clocks/object-clock.ts';
import type { BillingSettingsReader } from '../billing-settings/billing-settings-repository.ts';
import {
  type DraftInvoice,
  type Invoice,
  markedUncollectible,
  type PayableInvoice,
  voided,
  withRefundDue,
} from '../invoices/invoice.ts';
import type { InvoiceItem } from '../invoices/invoice-item.ts';
import { lineOf } from '../invoices/invoice-lines.ts';
import type {
  FailedAttempt,
  Followed,
  InvoiceEffects,
  InvoiceOwner,
  InvoiceOwners,
  OwningSubscription,
} from '../invoices/invoice-owner.ts';
import type { InvoiceReader } from '../invoices/invoice-repository.ts';
import type { PriceReader, ProductReader } from '../prices/price-repository.ts';
import { type BillingDecision, edited, NOTHING_BILLED } from './billing-decision.ts';
import {
  chargeSent,
  collectedNext,
  collectionFailed,
  debitSubmitted,
  type Exhausted,
  type InvoiceOfPeriod,
  invoicePaid,
  retriedNow,
} from './collect-subscription.ts';
import { effectsOf } from './decision-effects.ts';
import { collectingMethod, forbiddenOf } from './find-subscription-method.ts';
import {
  draftsOf,
  exhaustedOf,
  givenUpDrafts,
  givenUpInvoices,
  isGivenUp,
  type OpenInvoice,
  openInvoicesOf,
} from './give-up-invoices.ts';
import { type PricesById, pricesOf, toSubscriptionResource } from './render-subscription.ts';
import { invoiceUncollectible, invoiceVoided } from './settle-subscription.ts';
import { isOver, type Subscription } from './subscription.ts';
import { answerFor } from './subscription-answer.ts';
import type { SubscriptionReader, SubscriptionRepository } from './subscription-repository.ts';
import { billedBefore, isOfCurrentPeriod, soldBefore, unbilledBy } from './voided-time.ts';
import { lostCreditsOf } from './waiting-item.ts';

interface Read {
  readonly subscriptions: SubscriptionReader;
  readonly prices: PriceReader;
  readonly products: ProductReader;
  readonly customers: CustomerReader;
  readonly paymentMethods: Pick<PaymentMethodReader, 'find'>;
  readonly invoices: InvoiceReader;
  readonly charges: ChargeReader;
  readonly billingSettings: BillingSettingsReader;
}
interface Rows extends Read {
  readonly subscriptions: SubscriptionRepository;
}

/** Subscriptions as the owners of their invoices. */
export const SUBSCRIPTION_OWNERS: InvoiceOwners<Read, Rows> = {
  async load(read, of) {
    return ownerFor(read, of, await read.subscriptions.find(of, of.subscriptionId));
  },
  async hold(rows, of) {
    return ownerFor(rows, of, await rows.subscriptions.findForUpdate(of, of.subscriptionId));
  },
};

async function ownerFor(
  read: Omit<Read, 'subscriptions'>,
  { cause }: OwningSubscription,
  subscription: Subscription | undefined,
): Promise<InvoiceOwner> {
  if (subscription === undefined) throw new Error('An invoice has lost its subscription.');
  return new SubscriptionOwner(subscription, {
    cause,
    read,
    prices: await pricesOf(read, [subscription]),
    method: await methodOf(read, subscription),
    open: 'dunning' in subscription ? await openInvoicesOf(read, subscription) : [],
    drafts: 'dunning' in subscription ? await draftsOf(read, subscription) : [],
    exhausted: await exhaustedOf(read, subscription),
  });
}

async function methodOf(
  read: Pick<Read, 'customers' | 'paymentMethods'>,
  subscription: Subscription,
): Promise<PaymentMethodId | null> {
  if (isOver(subscription)) return null;
  const customer = await read.customers.find(subscription, subscription.customerId);
  return (await collectingMethod(read, subscription, customer))?.id ?? null;
}

/**
 * The owner of an invoice that was committed with it and is charged now; nothing is read.
 * @param facts `method`: what is charged
 * @returns undefined for one that is not paid, because the outcome depends on its other invoices
 */
export function committedOwner(
  subscription: Subscription,
  facts: Pick<OwnerFacts, 'cause' | 'read' | 'prices' | 'method'>,
): InvoiceOwner | undefined {
  if ('dunning' in subscription) return undefined;
  return new SubscriptionOwner(subscription, {
    ...facts,
    open: [],
    drafts: [],
    exhausted: 'cancel',
  });
}

/** What a subscription must know of others to decide. */
interface OwnerFacts {
  readonly cause: EventCause;
  readonly read: Pick<Read, 'prices' | 'products'>;
  readonly prices: PricesById;
  /** What pays an invoice that names no payment method itself; not of one that is over. */
  readonly method: PaymentMethodId | null;
  /** Its open invoices, the oldest first; only of one that is not paid. */
  readonly open: readonly OpenInvoice[];
  /** Its drafts; only of one that is not paid. */
  readonly drafts: readonly DraftInvoice[];
  readonly exhausted: Exhausted;
}

/** A subscription that gets to know the outcome of one of its invoices. */
class SubscriptionOwner implements InvoiceOwner {
  readonly #subscription: Subscription;
  readonly #facts: OwnerFacts;

  constructor(subscription: Subscription, facts: OwnerFacts) {
    this.#subscription = subscription;
    this.#facts = facts;
  }

  get isOver(): boolean {
    return isOver(this.#subscription);
  }

  get timeZone(): string {
    return this.#subscription.calendar.timezone;
  }

  get defaultPaymentMethodId(): PaymentMethodId | null {
    return this.#subscription.defaultPaymentMethodId;
  }

  get forbidden(): readonly string[] | undefined {
    return forbiddenOf(this.#subscription);
  }

  get isCharging(): boolean {
    return this.#subscription.chargingInvoiceId !== null;
  }

  answer(answers: string): object {
    return answerFor(toSubscriptionResource(this.#subscription, this.#facts.prices), answers);
  }

  charging(invoice: Invoice, at: Date): Followed {
    return this.#followed(invoice, unmoved(chargeSent(this.#subscription, invoice.id)), at);
  }

  debited(invoice: Invoice, at: Date): Followed {
    return this.#followed(invoice, debitSubmitted(this.#subscription, invoice.id), at);
  }

  /** Of a subscription that has ended, a worker gives back what was not used by then. */
  paid(invoice: Invoice, at: Date): Followed {
    const now = timeOf(this.#subscription, at);
    const decision = invoicePaid(this.#subscription, invoiceOfPeriod(invoice), now);
    if (decision !== null)
      return this.#followed(invoice, this.#goOn(decision, invoice, at, true), at);
    const settled = invoice.isAbandoned ? this.#paidAfterEnd(invoice, now) : invoice;
    return this.#followed(
      settled,
      unmoved(edited(this.#subscription, { chargingInvoiceId: null })),
      at,
    );
  }

  /** A debit of time before the end was on its way when the end came: that time was used, and is paid now. */
  #paidAfterEnd(invoice: Invoice, now: Date): Invoice {
    const subscription = this.#subscription;
    const end = 'endedAt' in subscription ? subscription.endedAt : now;
    const isUsed = invoice.lines.every(({ period }) => new Date(period.end) <= end);
    return isUsed ? { ...invoice, isAbandoned: false } : withRefundDue(invoice, now);
  }

  failed(
    invoice: Invoice,
    { failure, isScheduled, methodId, card }: FailedAttempt,
    at: Date,
  ): Followed {
    const now = timeOf(this.#subscription, at);
    const method = invoice.defaultPaymentMethodId ?? this.#facts.method;
    const failed = collectionFailed(this.#subscription, {
      invoice: invoiceOfPeriod(invoice),
      failure,
      isScheduled,
      isOtherMethod: !isScheduled && methodId !== method,
      card,
      exhausted: this.#facts.exhausted,
      at: now,
    });
    const isChosen = !isScheduled || invoice.defaultPaymentMethodId !== null;
    const decision = isChosen ? failed : this.#withOtherMethod(failed, methodId, now);
    const followed = this.#followed(
      afterFailure(invoice, this.#subscription, decision, now),
      decision,
      at,
    );
    const outcome = { before: this.#subscription, after: decision.subscription, at: now };
    const others = [
      ...givenUpInvoices(this.#others(invoice), outcome),
      ...givenUpDrafts(this.#facts.drafts, outcome),
    ];
    const { effects } = followed;
    return { ...followed, effects: { ...effects, writes: [...effects.writes, ...others] } };
  }

  /**
   * Another invoice that is not paid is collected next: the subscription is not recovered before that.
   * @param isPaid the invoice was paid. @defaultValue nobody has to pay it any more
   */
  #goOn(decision: BillingDecision, invoice: Invoice, at: Date, isPaid = false): BillingDecision {
    const before = this.#subscription;
    const next = this.#others(invoice).find((each) => !each.isCharging && isCharged(each.invoice));
    if (next === undefined || !('dunning' in before)) return decision;
    if (decision.subscription.status !== 'active') return decision;
    return collectedNext(decision, next.invoice.id, {
      dunning: before.dunning,
      ...(isPaid && { paid: invoiceOfPeriod(invoice) }),
      at: timeOf(before, at),
    });
  }

  #others({ id }: Invoice): readonly OpenInvoice[] {
    return this.#facts.open.filter(({ invoice }) => invoice.id !== id);
  }

  /** The customer may have named another payment method while the one before was tried. */
  #withOtherMethod(
    decision: BillingDecision,
    tried: FailedAttempt['methodId'],
    at: Date,
  ): BillingDecision {
    const { subscription } = decision;
    const { method } = this.#facts;
    if (tried === null || method === null || method === tried) return decision;
    return { ...decision, subscription: retriedNow(subscription, at) };
  }

  async voided(invoice: Invoice, at: Date): Promise<Followed> {
    const { read } = this.#facts;
    const decision = await voidedDecision(read, this.#subscription, { invoice, at });
    return this.#followed(invoice, this.#goOn(decision, invoice, at), at);
  }

  uncollectible(invoice: Invoice, at: Date): Followed {
    const now = timeOf(this.#subscription, at);
    const decision = invoiceUncollectible(this.#subscription, { id: invoice.id, at: now });
    return this.#followed(invoice, this.#goOn(decision, invoice, at), at);
  }

  unbilled(item: InvoiceItem, at: Date): InvoiceEffects {
    const before = this.#subscription;
    if (isOver(before)) return { writes: [] };
    const { period } = before;
    const lines = { lines: [lineOf(item)], periodIndex: null, periodStart: period.start };
    const billed = billedBefore(before, lines, new Map());
    const facts = unbilledBy(before, billed);
    const { prices, cause } = this.#facts;
    return effectsOf(before, unmoved(edited(before, facts)), { prices, at, cause }).effects;
  }

  creditsLost(invoice: Invoice, at: Date): Promise<readonly InvoiceItem[]> {
    return lostCreditsOf(this.#facts.read, this.#subscription, { invoice, at });
  }

  isOfCurrentPeriod(invoice: Invoice): boolean {
    return isOfCurrentPeriod(this.#subscription, invoice);
  }

  #followed(invoice: Invoice, decision: BillingDecision, at: Date): Followed {
    const before = this.#subscription;
    const { prices, cause } = this.#facts;
    const { effects, resource } = effectsOf(before, decision, { prices, at, cause });
    return { invoice, effects, answer: (answers) => answerFor(resource, answers) };
  }
}

/** What an invoice bills, as the rules know it. */
export function invoiceOfPeriod(invoice: Invoice): InvoiceOfPeriod {
  const { id, periodIndex, billingReason, isFailureAnnounced = false } = invoice;
  const isFirst = billingReason === 'subscription_create';
  return { id, periodIndex, isFirst, isFailureAnnounced, isOnRequest: !isCharged(invoice) };
}

/** Whether attempts to charge an invoice follow by themselves. */
function isCharged({ status, collectionMethod }: Invoice): boolean {
  return status === 'open' && collectionMethod === 'charge_automatically';
}

/** What follows from an invoice that became void. */
export async function voidedDecision(
  read: Pick<Read, 'prices' | 'products'>,
  subscription: Subscription,
  { invoice, at }: { readonly invoice: Invoice; readonly at: Date },
): Promise<BillingDecision> {
  const before = billedBefore(subscription, invoice, await soldBefore(read, invoice));
  return invoiceVoided(subscription, { id: invoice.id, before, at: timeOf(subscription, at) });
}

/** A decision that changes only facts of the subscription. */
export function unmoved(subscription: Subscription): BillingDecision {
  return { ...NOTHING_BILLED, subscription, event: null };
}

/** An attempt that ended collection leaves the invoice uncollectible; of an end before it, void. */
export function afterFailure(
  failed: Invoice,
  before: Subscription,
  { subscription: after, event }: BillingDecision,
  at: Date,
): Invoice {
  const isAnnounced = event === 'subscription.payment_failed';
  const invoice = isAnnounced ? { ...failed, isFailureAnnounced: true } : failed;
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible') return invoice;
  const payable: PayableInvoice = invoice;
  if (isOver(before)) return invoice.isAbandoned ? voided(payable, at) : invoice;
  return isGivenUp(before, after) ? markedUncollectible(payable, at) : invoice;
}
