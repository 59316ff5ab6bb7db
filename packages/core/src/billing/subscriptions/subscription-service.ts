import { ClaimedError } from '../../changes/change.ts';
import { applyIn } from '../../changes/commit.ts';
import { intentFields, resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { CrashPoint } from '../../kernel/basics/crash-point.ts';
import type { Environment, Owner } from '../../kernel/basics/environment.ts';
import { type InvoiceId, newId, parseId } from '../../kernel/basics/id.ts';
import { credentialSnapshotFor, ownerOf } from '../../kernel/callers/call.ts';
import { makerOf } from '../../kernel/callers/maker.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow, idsAmong, missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import { chargeError } from '../../payments/charges/charge-error.ts';
import { type ChargeChange, writtenCharge } from '../../payments/charges/charge-storage.ts';
import type { Customer } from '../../payments/customers/customer.ts';
import { findLiveCustomer } from '../../payments/customers/live-customer.ts';
import type { Operation } from '../../payments/operations/operation.ts';
import type { OperationSender } from '../../payments/operations/operation-runner.ts';
import type { Processor } from '../../payments/processor/processor.ts';
import { assertSteady, clockField, timeOf } from '../../payments/test-clocks/object-clock.ts';
import { type AnswerOf, findAttached } from '../invoices/charge-invoice.ts';
import type { PriceWrite } from '../prices/price-storage.ts';
import type { Collection } from './attempt-invoice.ts';
import { type Billed, billDecision, then } from './bill-decision.ts';
import { type BillingDecision, edited } from './billing-decision.ts';
import { cancelSubscription, scheduleCancellation } from './cancel-subscription.ts';
import { changeSubscription } from './change-subscription.ts';
import { retriedNow } from './collect-subscription.ts';
import { createSubscription } from './create-subscription.ts';
import { endInvoices } from './end-invoices.ts';
import { countedProducts, type FoundItems, findItems } from './find-items.ts';
import { mergeItems } from './merge-items.ts';
import { pricesOf, toSubscriptionResource } from './render-subscription.ts';
import { resumeSubscription } from './resume-subscription.ts';
import { type Subscription, wholeSecond } from './subscription.ts';
import type {
  SubscriptionCancel,
  SubscriptionCreate,
  SubscriptionResume,
  SubscriptionUpdate,
} from './subscription-input.ts';
import { unmoved } from './subscription-owner.ts';
import {
  BLANK_SETTINGS,
  mergeSettings,
  toCancellation,
  toChange,
  toResumption,
  toScheduledEnd,
  trialEndOf,
} from './subscription-parameters.ts';
import type { SubscriptionFilter } from './subscription-repository.ts';
import type { SubscriptionJson } from './subscription-resource.ts';
import { assertLive } from './subscription-rules.ts';
import type { SubscriptionRepositories, SubscriptionStorage } from './subscription-storage.ts';

const NAME = { noun: 'subscription', prefix: 'sub' } as const;
/** Of one customer, that are not over. */
const MAX_SUBSCRIPTIONS = 500;

export interface SubscriptionPorts {
  readonly storage: SubscriptionStorage;
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly runner: OperationSender<ChargeChange>;
  readonly clock: Clock;
  readonly crashPoint: CrashPoint;
}

/** Of a list, as it was sent. */
export interface SubscriptionListFilter extends Omit<SubscriptionFilter, 'customerId' | 'priceId'> {
  readonly customer?: string;
  readonly price?: string;
}

/** What a request decides, to be committed. */
interface Decided {
  readonly decision: BillingDecision;
  /** The id of its invoice, if it makes one. */
  readonly invoiceId: InvoiceId;
  readonly prices?: FoundItems['writes'];
  /** Absent: nobody tries to charge the invoice. */
  readonly answers?: AnswerOf;
  readonly offSession?: boolean;
  /** Whether its open invoices become void. */
  readonly endsInvoices?: boolean;
}

/** What customers are charged for every period. Answers are as the API shows them, with their prices. */
export class SubscriptionService {
  readonly #ports: SubscriptionPorts;

  constructor(ports: SubscriptionPorts) {
    this.#ports = ports;
  }

  /**
   * Begins a subscription, and charges its first invoice unless `payment_behavior` says otherwise.
   * @throws PaymountError card codes (402) with `error_if_incomplete`; `resource_missing`,
   *   `payment_method_missing`, `payment_method_unattached`, `subscription_limit_reached`, and as
   *   `mergeItems`, `mergeSettings` and `createSubscription` list
   */
  async create(call: Call, input: SubscriptionCreate): Promise<SubscriptionJson> {
    const owner = ownerOf(call);
    const at = this.#ports.clock.now();
    return this.#commit(call, at, async (rows) => {
      const customer = await findLiveCustomer(rows, owner, input.customer, 'customer');
      assertSteady(customer);
      if ((await rows.subscriptions.countLive(owner, customer.id)) >= MAX_SUBSCRIPTIONS) {
        throw new PaymountError('subscription_limit_reached', undefined, { param: 'customer' });
      }
      const now = wholeSecond(timeOf(customer, at));
      const found = await findItems(rows, owner, { items: input.items, at: now });
      const invoiceId = newId('in');
      const first = await this.#begin(rows, { call, input, customer, found, now, invoiceId });
      const isTried = input.payment_behavior !== 'default_incomplete';
      const isStrict = input.payment_behavior === 'error_if_incomplete';
      return {
        decision: first,
        invoiceId,
        prices: found.writes,
        ...(isTried && { answers: isStrict ? 'subscription_or_error' : 'subscription' }),
        offSession: input.off_session ?? false,
      };
    });
  }

  /** @throws PaymountError `resource_missing` */
  async retrieve(call: Call, id: string): Promise<SubscriptionJson> {
    const { read } = this.#ports.storage;
    const found = await findOrThrow(NAME, id, (known) =>
      read.subscriptions.find(ownerOf(call), known),
    );
    return toSubscriptionResource(found, await pricesOf(read, [found]));
  }

  /** The subscriptions of `ids`, in no order; unknown ids are left out. */
  async retrieveMany(call: Call, ids: readonly string[]): Promise<readonly SubscriptionJson[]> {
    const { read } = this.#ports.storage;
    const found = await read.subscriptions.findMany(ownerOf(call), idsAmong('sub', ids));
    const prices = await pricesOf(read, found);
    return found.map((each) => toSubscriptionResource(each, prices));
  }

  /** Newest first. @throws PaymountError `resource_missing`, `invalid_cursor` */
  async list(
    call: Call,
    { customer, price, ...rest }: SubscriptionListFilter,
    page: PageRequest,
  ): Promise<Page<SubscriptionJson>> {
    const { read } = this.#ports.storage;
    const customerId = customer === undefined ? undefined : parseId('cus', customer);
    if (customer !== undefined && !customerId) throw missing('customer', customer, 'customer');
    const priceId = price === undefined ? undefined : parseId('price', price);
    if (price !== undefined && !priceId) throw missing('price', price, 'price');
    const filter = { ...rest, ...(customerId && { customerId }), ...(priceId && { priceId }) };
    const found = await read.subscriptions.list(ownerOf(call), filter, page);
    const prices = await pricesOf(read, found.data);
    return { ...found, data: found.data.map((each) => toSubscriptionResource(each, prices)) };
  }

  /**
   * Changes items, settings, or the end of a subscription, in one commit.
   * @throws PaymountError `resource_missing`, `parameter_invalid`, and as `mergeItems`, `mergeSettings`,
   *   `scheduleCancellation` and `changeSubscription` list
   */
  async update(call: Call, id: string, input: SubscriptionUpdate): Promise<SubscriptionJson> {
    const owner = ownerOf(call);
    if (input.payment_behavior === 'error_if_incomplete') {
      const message = 'An update cannot be undone if its charge fails; use allow_incomplete.';
      throw new PaymountError('parameter_invalid', message, { param: 'payment_behavior' });
    }
    return this.#locked(call, id, async (rows, before, at) => {
      const now = wholeSecond(timeOf(before, at));
      const found = await findItems(rows, owner, { items: input.items ?? [], at: now });
      const items = input.items === undefined ? undefined : mergeItems(before, found.entries, now);
      const set = await withSettings(rows, before, { input, now });
      const invoiceId = newId('in');
      let decision = unmoved(set);
      const end = toScheduledEnd(input, set.period);
      if (end !== null) {
        decision = then(decision, scheduleCancellation(set, end, { at: now, invoiceId }));
      }
      const change = toChange(input, items);
      const { prorationBehavior: _, prorationDate: __, ...asked } = change;
      if (Object.keys(asked).length > 0) {
        const changed = changeSubscription(decision.subscription, change, { at: now, invoiceId });
        decision = then(decision, changed);
      }
      const isTried = input.payment_behavior !== 'default_incomplete';
      return {
        decision,
        invoiceId,
        prices: found.writes,
        ...(isTried && { answers: 'subscription' }),
        offSession: input.off_session ?? false,
      };
    });
  }

  /**
   * Ends a subscription now. Its open invoices become void, unless `invoice_now`; one that is being charged
   * follows when the outcome is known, and its money is given back.
   * @throws PaymountError `resource_missing`, `subscription_canceled`, `subscription_unpaid`
   */
  async cancel(call: Call, id: string, input: SubscriptionCancel): Promise<SubscriptionJson> {
    return this.#locked(call, id, async (_, before, at) => {
      const decision = cancelSubscription(before, toCancellation(input), timeOf(before, at));
      const endsInvoices = decision.openInvoices === 'void';
      return { decision, invoiceId: newId('in'), answers: 'subscription', endsInvoices };
    });
  }

  /**
   * Ends a pause, and bills the period that begins.
   * @throws PaymountError `resource_missing`, `subscription_canceled`, `subscription_not_paused`
   */
  async resume(call: Call, id: string, input: SubscriptionResume): Promise<SubscriptionJson> {
    return this.#locked(call, id, async (_, before, at) => {
      const invoiceId = newId('in');
      const times = { at: timeOf(before, at), invoiceId };
      const decision = resumeSubscription(before, toResumption(input), times);
      return { decision, invoiceId, answers: 'subscription' };
    });
  }

  async #begin(
    rows: SubscriptionRepositories,
    made: {
      readonly call: Call;
      readonly input: SubscriptionCreate;
      readonly customer: Customer;
      readonly found: FoundItems;
      readonly now: Date;
      readonly invoiceId: InvoiceId;
    },
  ): Promise<BillingDecision> {
    const { call, input, customer, found, now, invoiceId } = made;
    const owner = ownerOf(call);
    const items = mergeItems(undefined, found.entries, now);
    const timezone = input.billing_timezone ?? 'UTC';
    const method = await methodOf(rows, { ...owner, customerId: customer.id }, input);
    const { cancel_at: cancelAt, billing_cycle_anchor: anchor, ...rest } = input;
    const { pauseCollection: _, ...settings } = mergeSettings(BLANK_SETTINGS, rest, {
      methodId: method ?? null,
      now,
    });
    const days = found.entries.flatMap(({ price }) => price?.recurring?.trialPeriodDays ?? []);
    const priceDays = days.length === 0 ? null : Math.max(...days);
    const times = { at: now, invoiceId };
    const first = createSubscription(
      {
        ...owner,
        ...clockField(customer),
        ...settings,
        ...items,
        id: newId('sub'),
        customerId: customer.id,
        timezone,
        trialEnd: trialEndOf(input, { priceDays, timezone, now }),
        anchor: anchor ?? null,
        backdatedTo: input.backdate_start_date ?? null,
        prorationBehavior: input.proration_behavior ?? 'create_prorations',
        cancelAt: cancelAt instanceof Date ? cancelAt : null,
        cancelAtPeriodEnd: input.cancel_at_period_end ?? false,
        createdBy: makerOf(call),
      },
      times,
    );
    if (cancelAt === undefined || cancelAt === '' || cancelAt instanceof Date) return first;
    const prorationBehavior = input.proration_behavior ?? 'create_prorations';
    const end = { cancelAt: first.subscription.period.end, prorationBehavior };
    return then(first, scheduleCancellation(first.subscription, end, times));
  }

  async #locked(
    call: Call,
    id: string,
    decide: (rows: SubscriptionRepositories, before: Subscription, at: Date) => Promise<Decided>,
  ): Promise<SubscriptionJson> {
    const at = this.#ports.clock.now();
    let before: Subscription | undefined;
    return this.#commit(
      call,
      at,
      async (rows) => {
        before = await findOrThrow(NAME, id, (known) =>
          rows.subscriptions.findForUpdate(ownerOf(call), known),
        );
        assertSteady(before);
        return decide(rows, before, at);
      },
      () => before,
    );
  }

  /** Commits what is decided in one transaction; then sends the charge of its invoice. */
  async #commit(
    call: Call,
    at: Date,
    decide: (rows: SubscriptionRepositories) => Promise<Decided>,
    toBefore: () => Subscription | undefined = () => undefined,
  ): Promise<SubscriptionJson> {
    const { storage, processors, crashPoint } = this.#ports;
    const owner = ownerOf(call);
    const isLater = storage.host !== undefined;
    const { billed, answers } = await storage.transaction(async (rows) => {
      const decided = await decide(rows);
      const before = toBefore();
      const made = await billDecision(rows, processors, {
        ...(before && { before }),
        decision: decided.decision,
        reason: before === undefined ? 'subscription_create' : 'subscription_update',
        invoiceId: decided.invoiceId,
        at,
        createdBy: makerOf(call),
        ...(decided.answers && { collection: collectionOf(call, decided, isLater) }),
      });
      const ended = decided.endsInvoices ? await endInvoices(rows, made.row, at) : [];
      crashPoint('operation.before_intent');
      await applyIn(rows, {
        ...owner,
        at,
        ...made.change,
        ...(made.operation && credentialSnapshotFor(call)),
        ...(made.operation
          ? intentFields(call, isLater, made.subscription)
          : resourceFields(call, made.subscription)),
        writes: [
          ...(await priceWrites(rows, owner, decided.prices)),
          ...made.change.writes,
          ...ended,
        ],
      });
      return { billed: made, answers: decided.answers };
    });
    crashPoint('operation.after_intent');
    const { operation } = billed;
    if (operation === undefined) return billed.subscription;
    return this.#send(call, billed, { operation, answers });
  }

  /** Phases 2 and 3 of its charge, now or after the host's commit. */
  async #send(
    call: Call,
    { subscription }: Billed,
    {
      operation,
      answers,
    }: { readonly operation: Operation; readonly answers: AnswerOf | undefined },
  ): Promise<SubscriptionJson> {
    const { storage, runner } = this.#ports;
    if (storage.host !== undefined) {
      storage.host.onSettled?.(() => runner.startAfterCommit(operation));
      return subscription;
    }
    const recorded = await runner.run(operation);
    if (recorded === undefined && call.claim !== undefined) throw new ClaimedError();
    const charge = recorded && writtenCharge(recorded.change);
    const error = charge && chargeError(charge);
    if (error !== undefined && answers === 'subscription_or_error') throw error;
    // The money may have moved, so it is never an error.
    return this.retrieve(call, subscription.id).catch(() => subscription);
  }
}

function collectionOf(call: Call, { answers, offSession }: Decided, deferred: boolean): Collection {
  return {
    call,
    createdBy: makerOf(call),
    offSession: offSession ?? false,
    deferred,
    isScheduled: false,
    ...(answers !== undefined && { answers }),
  };
}

async function priceWrites(
  rows: SubscriptionRepositories,
  owner: Owner,
  made: readonly PriceWrite[] = [],
): Promise<readonly PriceWrite[]> {
  return [...(await countedProducts(rows, owner, made)), ...made];
}

/** What `default_payment_method` names. @returns undefined if it was not sent */
async function methodOf(
  rows: SubscriptionRepositories,
  of: Owner & Pick<Subscription, 'customerId'>,
  { default_payment_method: name }: Pick<SubscriptionUpdate, 'default_payment_method'>,
): Promise<Subscription['defaultPaymentMethodId'] | undefined> {
  if (name === undefined) return undefined;
  if (name === '') return null;
  return (await findAttached(rows, of, { name, param: 'default_payment_method' })).id;
}

/** The subscription with other settings. A new payment method is tried at once if an invoice is not paid. */
async function withSettings(
  rows: SubscriptionRepositories,
  before: Subscription,
  { input, now }: { readonly input: SubscriptionUpdate; readonly now: Date },
): Promise<Subscription> {
  const { metadata: _, cancellation_details: details, ...others } = input;
  if (Object.values(others).some((value) => value !== undefined)) assertLive(before);
  const methodId = await methodOf(rows, before, input);
  const settings = mergeSettings(before, input, {
    ...(methodId !== undefined && { methodId }),
    now,
  });
  const { comment, feedback } = details ?? {};
  const cancellation = {
    ...before.cancellation,
    ...(comment !== undefined && { comment: comment || null }),
    ...(feedback !== undefined && { feedback: feedback || null }),
  };
  const next = edited(before, { ...settings, cancellation });
  const isOther = methodId !== undefined && methodId !== before.defaultPaymentMethodId;
  return isOther ? retriedNow(next, now) : next;
}
