import { applyIn } from '../../changes/commit.ts';
import { BY_TIME } from '../../changes/events/event-cause.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { CrashPoint } from '../../kernel/basics/crash-point.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import { newId } from '../../kernel/basics/id.ts';
import { causeOfResult } from '../../payments/operations/cause-of-result.ts';
import type { ToSend } from '../../payments/operations/operation-subject.ts';
import type { PaymentMethodReader } from '../../payments/payment-methods/payment-method-repository.ts';
import type { Processor } from '../../payments/processor/processor.ts';
import { clockField, timeOf } from '../../payments/test-clocks/object-clock.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { invoiceUpdate } from '../invoices/invoice-storage.ts';
import type { PrepareInvoiceCharge } from '../invoices/invoice-subjects.ts';
import { scheduledAttempt } from '../invoices/scheduled-attempt.ts';
import { attemptInvoice } from './attempt-invoice.ts';
import { type Billed, billDecision } from './bill-decision.ts';
import { type BillingDecision, edited } from './billing-decision.ts';
import { cancelDue, cancelSubscription, expireIncomplete } from './cancel-subscription.ts';
import { attemptsEnded, giveUp, retriedNow } from './collect-subscription.ts';
import { effectsOf } from './decision-effects.ts';
import { endInvoices } from './end-invoices.ts';
import { collectingMethod, forbiddenOf } from './find-subscription-method.ts';
import {
  draftsOf,
  exhaustedOf,
  givenUpDrafts,
  givenUpInvoices,
  isGivenUp,
  isPayable,
  type OpenInvoice,
  openInvoicesOf,
} from './give-up-invoices.ts';
import { nextActionOf } from './next-action.ts';
import { pricesOf } from './render-subscription.ts';
import { collectionResumed, isBehind, renewSubscription } from './renew-subscription.ts';
import { isOver, type Subscription } from './subscription.ts';
import { committedOwner, unmoved } from './subscription-owner.ts';
import type { DueSubscription, TakenSubscription } from './subscription-repository.ts';
import type {
  SubscriptionChange,
  SubscriptionRepositories,
  SubscriptionStorage,
} from './subscription-storage.ts';
import { paidOf } from './unpaid-time.ts';

export interface AdvancePorts {
  readonly storage: SubscriptionStorage;
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly clock: Clock;
  readonly crashPoint: CrashPoint;
  readonly prepareInvoiceCharge: PrepareInvoiceCharge;
}

/** What time does to a subscription: its change, and what is sent to the processor after the commit. */
interface Step extends Pick<Billed, 'change'> {
  readonly toSend?: ToSend;
}

/** What a step decides by: the subscription is locked. */
interface Held extends Omit<TakenSubscription, 'subscription' | 'isDisputed'> {
  readonly rows: SubscriptionRepositories;
  readonly before: Subscription;
  readonly at: Date;
  /** The time of its clock. */
  readonly now: Date;
}

/**
 * Does the one thing that is due of a subscription, in one transaction. A run that is early, or is repeated,
 * changes nothing but when it is looked at again.
 * @param until the time by which it counts as due: of its test clock, if it is on one
 * @returns what is to be sent; undefined if nothing is, or if another worker has it
 */
export async function advanceSubscription(
  ports: AdvancePorts,
  due: DueSubscription,
  until: Date,
): Promise<ToSend | undefined> {
  const { storage, clock, crashPoint } = ports;
  const sent = await storage.transaction(async (rows) => {
    const taken = await rows.subscriptions.takeDue(due, until);
    if (taken === undefined) return undefined;
    // It is looked at now, so nothing is left of what made it due.
    const before = { ...taken.subscription, nextActionAt: null, isWoken: false };
    const at = clock.now();
    const held = { ...taken, rows, before, at, now: timeOf(before, at) };
    const { change, toSend } = taken.isDisputed
      ? await endDisputed(held)
      : await stepOf(ports, held);
    const { accountId, environment } = before;
    const whole = { accountId, environment, at, ...clockField(before), ...change };
    await applyIn(rows, whole, { isLast: true });
    crashPoint('billing.before_commit');
    return toSend;
  });
  crashPoint('billing.after_commit');
  return sent;
}

/** Ends a subscription whose customer is about to be deleted, in a transaction of its own; not one that is over. */
export async function endSubscription(
  { storage, clock }: Pick<AdvancePorts, 'storage' | 'clock'>,
  { accountId, environment, id }: Subscription,
): Promise<void> {
  await storage.transaction(async (rows) => {
    const before = await rows.subscriptions.findForUpdate({ accountId, environment }, id);
    if (before === undefined || isOver(before)) return;
    const at = clock.now();
    const held = { rows, before, hasWaitingItems: true, at, now: timeOf(before, at) };
    const { change } = await endedUnbilled(held);
    await applyIn(rows, { accountId, environment, at, ...clockField(before), ...change });
  });
}

/** The money was taken back, so the customer has not paid: nothing more is collected, or given back. */
async function endDisputed(held: Held): Promise<Step> {
  const { rows, before, now } = held;
  await rows.subscriptions.settleDispute(before, before.id);
  const lost = { isProrated: false, isInvoicedNow: false, details: {} };
  return ended(held, cancelSubscription(before, { ...lost, reason: 'payment_disputed' }, now));
}

async function stepOf(ports: AdvancePorts, held: Held): Promise<Step> {
  const { before, customer, now } = held;
  if (customer?.deletedAt !== undefined && !isOver(before)) return endedUnbilled(held);
  const action = nextActionOf(before);
  if (action === null) return changed(held, unmoved(edited(before, {})));
  if (action.at > now) {
    // It is looked at early because the customer has another payment method.
    if (await hasOtherMethod(held)) return retry(ports, held, retriedNow(before, now));
    return changed(held, unmoved(edited(before, {})));
  }
  switch (action.kind) {
    case 'expire':
      return endedIf(held, expireIncomplete(before, now));
    case 'cancel':
      return endedIf(held, cancelDue(before, await paidOf(held.rows, before), now), ports);
    case 'resume_collection':
      return resumeCollection(held);
    case 'retry':
      return retry(ports, held, before);
    case 'give_up':
      if (await hasOtherMethod(held)) return retry(ports, held, retriedNow(before, now));
      return giveUpOn(held);
    case 'renew':
      return renew(ports, held);
  }
}

async function renew(ports: AdvancePorts, held: Held): Promise<Step> {
  const { rows, before, customer, price, hasWaitingItems, at, now } = held;
  const invoiceId = newId('in');
  const method = await collectingMethod(methodsOf(held), before, customer);
  const canPay = method !== undefined || before.collectionMethod === 'send_invoice';
  const decision = renewSubscription(before, { at: now, invoiceId, canPay });
  if (decision === null) return changed(held, unmoved(edited(before, {})));
  // A trial may end it.
  if (isOver(decision.subscription)) return ended(held, decision);
  const billed = await billDecision(rows, ports.processors, {
    before,
    decision,
    reason: 'subscription_cycle',
    customer,
    knownPrices: price === undefined ? [] : [price],
    hasWaitingItems,
    invoiceId,
    at,
    isSkipped: await isSkipped(held, decision.subscription),
    cause: BY_TIME,
    collection: { ...scheduledAttempt(), isScheduled: true, method },
  });
  return { change: billed.change, ...sentWith(ports, billed) };
}

/** The payment method that was read with the subscription is not read again. */
function methodsOf({ rows, method }: Held): Parameters<typeof collectingMethod>[0] {
  const find: PaymentMethodReader['find'] = async (owner, id) =>
    id === method?.id ? method : rows.paymentMethods.find(owner, id);
  return { paymentMethods: { find } };
}

/** The charge that was made with an invoice, and what it is about, so that nobody reads it again. */
function sentWith(
  { storage, prepareInvoiceCharge }: AdvancePorts,
  { operation, made, row, prices }: Billed,
): Pick<Step, 'toSend'> {
  if (operation === undefined || made === undefined) return {};
  const cause = causeOfResult(made.charge, operation);
  const method = made.charge.paymentMethodId;
  const owner = committedOwner(row, { cause, read: storage.read, prices, method });
  if (owner === undefined) return { toSend: { operation } };
  return { toSend: { operation, subject: prepareInvoiceCharge({ ...made, owner }) } };
}

/** Whether the account bills only the newest of the periods that were missed, and this is not the one. */
async function isSkipped({ rows, now }: Held, renewed: Subscription): Promise<boolean> {
  if (!isBehind(renewed, now)) return false;
  return (await rows.billingSettings.find(renewed.accountId))?.catchUp === 'bill_latest';
}

/** @param subscription as it is after a new payment method was noticed */
async function retry(
  { processors }: AdvancePorts,
  held: Held,
  subscription: Subscription,
): Promise<Step> {
  const { rows, before, at } = held;
  if (subscription.status !== 'past_due') return changed(held, unmoved(edited(before, {})));
  const { invoiceId } = subscription.dunning;
  const invoice = await rows.invoices.findForUpdate(before, invoiceId);
  const method = await collectingMethod(methodsOf(held), subscription, held.customer, invoice);
  const isForbidden = method === undefined && forbiddenOf(subscription) !== undefined;
  if (invoice?.status !== 'open' || isForbidden)
    return changed(held, unmoved(attemptsEnded(before)));
  const collection = { ...scheduledAttempt(), isScheduled: true };
  const tried = await attemptInvoice(rows, processors, { subscription, invoice, at, collection });
  const { intent } = tried;
  const others = await givenUpOf(held, tried.decision, invoice);
  const writes = [invoiceUpdate(invoice, tried.invoice), ...others];
  const step = await changed(held, tried.decision, writes);
  if (intent === undefined) return step;
  const { charge, operation, attached } = intent;
  return {
    toSend: { operation },
    change: {
      ...step.change,
      ...(attached && { attached }),
      writes: [
        ...step.change.writes,
        { kind: 'charge', mode: 'insert', row: charge },
        { kind: 'operation', mode: 'insert', row: operation },
      ],
    },
  };
}

/** Whether the payment method that would be tried is another one than the last that failed. */
async function hasOtherMethod(held: Held): Promise<boolean> {
  const { rows, before, customer } = held;
  if (before.status !== 'past_due' || before.chargingInvoiceId !== null) return false;
  const invoice = await rows.invoices.find(before, before.dunning.invoiceId);
  if (invoice?.status !== 'open') return false;
  const method = await collectingMethod(methodsOf(held), before, customer, invoice);
  if (method === undefined) return false;
  const charge = invoice.chargeId && (await rows.charges.find(before, invoice.chargeId));
  const tried = charge ? charge.paymentMethodId : null;
  return before.dunning.lastFailureCode === null ? true : tried !== method.id;
}

async function giveUpOn(held: Held): Promise<Step> {
  const { rows, before, now } = held;
  const decision = giveUp(before, { at: now, exhausted: await exhaustedOf(rows, before) });
  if (decision === null) return changed(held, unmoved(edited(before, {})));
  return changed(held, decision, await givenUpOf(held, decision));
}

/** What follows for open invoices from a decision that may have ended collection. @param tried it knows itself */
async function givenUpOf(
  { rows, before, now }: Held,
  { subscription: after }: BillingDecision,
  tried?: Invoice,
): Promise<SubscriptionChange['writes']> {
  if (!isGivenUp(before, after)) return [];
  const open: OpenInvoice[] = [];
  for (const { invoice: seen, isCharging } of await openInvoicesOf(rows, before)) {
    if (seen.id === tried?.id) continue;
    const invoice = await rows.invoices.findForUpdate(before, seen.id);
    if (invoice && isPayable(invoice)) open.push({ invoice, isCharging });
  }
  const outcome = { before, after, at: now };
  const drafts = await draftsOf(rows, before);
  return [...givenUpInvoices(open, outcome), ...givenUpDrafts(drafts, outcome)];
}

/** Money is collected again: the drafts of the pause are issued, the oldest first. */
async function resumeCollection(held: Held): Promise<Step> {
  const { rows, before, now } = held;
  const { accountId, environment, id } = before;
  await rows.invoices.releaseDrafts({ accountId, environment }, id, now);
  return changed(held, unmoved(collectionResumed(before)));
}

/** An end that is not due after all changes nothing. */
async function endedIf(
  held: Held,
  decision: BillingDecision | null,
  ports?: AdvancePorts,
): Promise<Step> {
  if (decision === null) return changed(held, unmoved(edited(held.before, {})));
  return ended(held, decision, ports);
}

/** Nobody is left to pay: nothing is billed, or given back. */
function endedUnbilled(held: Held): Promise<Step> {
  const gone = { isProrated: false, isInvoicedNow: false, details: {} };
  return ended(held, cancelSubscription(held.before, gone, held.now));
}

/** An end makes its open invoices void, and may bill or give back time. */
async function ended(held: Held, decision: BillingDecision, ports?: AdvancePorts): Promise<Step> {
  const { rows, before, at } = held;
  const invoices = await endInvoices(rows, before, at, decision.invoicing === 'now');
  if (ports === undefined || decision.lines.length === 0) return changed(held, decision, invoices);
  const billed = await billDecision(rows, ports.processors, {
    before,
    decision,
    reason: 'subscription_update',
    invoiceId: newId('in'),
    at,
    cause: BY_TIME,
    collection: { ...scheduledAttempt(), isScheduled: true },
  });
  const { change } = billed;
  const writes = [...change.writes, ...invoices];
  return { change: { ...change, writes }, ...sentWith(ports, billed) };
}

async function changed(
  { rows, before, at }: Held,
  decision: BillingDecision,
  writes: SubscriptionChange['writes'] = [],
): Promise<Step> {
  const prices = await pricesOf(rows, [decision.subscription]);
  const { effects } = effectsOf(before, decision, { prices, at, cause: BY_TIME });
  return { change: { ...effects, writes: [...effects.writes, ...writes] } };
}
