import { ClaimedError } from '../../changes/change.ts';
import { applyIn } from '../../changes/commit.ts';
import { causeOf } from '../../changes/events/event-cause.ts';
import { hookRefusal } from '../../changes/hook-refusal.ts';
import { intentFields, resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { CrashPoint } from '../../kernel/basics/crash-point.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import { newId, parseId } from '../../kernel/basics/id.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { credentialSnapshotFor, isAnsweredFirst, ownerOf } from '../../kernel/callers/call.ts';
import { makerOf } from '../../kernel/callers/maker.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow, idsAmong, missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import { chargeError } from '../../payments/charges/charge-error.ts';
import { type ChargeChange, writtenCharge } from '../../payments/charges/charge-storage.ts';
import type { Operation } from '../../payments/operations/operation.ts';
import type { OperationSender } from '../../payments/operations/operation-runner.ts';
import type { Processor } from '../../payments/processor/processor.ts';
import { assertSteady, timeOf } from '../../payments/test-clocks/object-clock.ts';
import type { AnswerOf } from '../invoices/charge-invoice.ts';
import type { InvoiceJson } from '../invoices/invoice-resource.ts';
import { collectionOf, type AskedDecision as Decided, refuseError } from './asked-decision.ts';
import { type Billed, billDecision, pricesIn } from './bill-decision.ts';
import { edited } from './billing-decision.ts';
import { cancelSubscription } from './cancel-subscription.ts';
import { decideCreation } from './decide-creation.ts';
import { decideUpdate } from './decide-update.ts';
import { discardSubscription } from './discard-subscription.ts';
import { endInvoices } from './end-invoices.ts';
import { priceWrites } from './find-items.ts';
import { previewInvoice } from './preview-invoice.ts';
import { pricesOf, toSubscriptionResource } from './render-subscription.ts';
import { resumeSubscription } from './resume-subscription.ts';
import type { Subscription } from './subscription.ts';
import { answerFor } from './subscription-answer.ts';
import { subscriptionAudit } from './subscription-audit.ts';
import type {
  InvoicePreview,
  SubscriptionCancel,
  SubscriptionCreate,
  SubscriptionResume,
  SubscriptionUpdate,
} from './subscription-input.ts';
import { unmoved } from './subscription-owner.ts';
import { assertMetadata, toCancellation, toResumption } from './subscription-parameters.ts';
import type { SubscriptionFilter } from './subscription-repository.ts';
import type { SubscriptionJson } from './subscription-resource.ts';
import type { SubscriptionRepositories, SubscriptionStorage } from './subscription-storage.ts';
import { assertCreditsPaid } from './unpaid-time.ts';

const NAME = { noun: 'subscription', prefix: 'sub' } as const;

export interface SubscriptionPorts {
  readonly storage: SubscriptionStorage;
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly runner: OperationSender<ChargeChange>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly crashPoint: CrashPoint;
}

/** Of a list, as it was sent. */
export interface SubscriptionListFilter extends Omit<SubscriptionFilter, 'customerId' | 'priceId'> {
  readonly customer?: string;
  readonly price?: string;
}

type DecideChange = (
  rows: SubscriptionRepositories,
  before: Subscription,
  at: Date,
) => Promise<Decided>;

/** What customers are charged for every period. Answers are as the API shows them, with their prices. */
export class SubscriptionService {
  readonly #ports: SubscriptionPorts;

  constructor(ports: SubscriptionPorts) {
    this.#ports = ports;
  }

  /**
   * Begins a subscription, and charges its first invoice unless `payment_behavior` says otherwise.
   * @throws PaymountError card codes (402) with `error_if_incomplete`, and `parameter_invalid` for it in a
   *   host's transaction; `resource_missing`,
   *   `payment_method_missing`, `payment_method_unattached`, `subscription_limit_reached`, and as
   *   `mergeItems`, `mergeSettings` and `createSubscription` list
   */
  async create(call: Call, input: SubscriptionCreate): Promise<SubscriptionJson> {
    assertMetadata(input);
    const at = this.#ports.clock.now();
    const { payment_behavior: behavior = 'allow_incomplete' } = input;
    if (behavior === 'error_if_incomplete' && this.#isLater(call)) refuseError();
    const answers = behavior === 'error_if_incomplete' ? 'subscription_or_error' : 'subscription';
    return this.#commit(call, at, async (rows) => {
      const invoiceId = newId('in');
      return {
        ...(await decideCreation(rows, call, { input, at, invoiceId })),
        invoiceId,
        answers,
        isTried: behavior !== 'default_incomplete',
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
    return this.changeItem(call, id, { input, answers: 'subscription' });
  }

  /**
   * The same, answered with one of its items.
   * @param change `param`: the parameter that names the subscription; absent: the path does
   * @throws PaymountError as `update`
   */
  async changeItem(
    call: Call,
    id: string,
    {
      input,
      answers,
      param,
    }: {
      readonly input: SubscriptionUpdate;
      readonly answers: AnswerOf;
      readonly param?: string;
    },
  ): Promise<SubscriptionJson> {
    assertMetadata(input);
    if (input.payment_behavior !== undefined && input.payment_behavior !== 'allow_incomplete') {
      const message =
        'An update is charged, and cannot be undone if its charge fails: use allow_incomplete.';
      throw new PaymountError('parameter_invalid', message, { param: 'payment_behavior' });
    }
    const decide: DecideChange = async (rows, before, at) => {
      const invoiceId = newId('in');
      return {
        ...(await decideUpdate(rows, before, { input, at, invoiceId })),
        invoiceId,
        answers,
        offSession: input.off_session ?? false,
        action: 'subscription.update',
      };
    };
    return this.#locked(call, id, decide, param);
  }

  /**
   * Ends a subscription now. Its open invoices become void, unless `invoice_now`; one that is being charged
   * follows when the outcome is known, and its money is given back.
   * @throws PaymountError `resource_missing`, `subscription_canceled`, `subscription_unpaid`
   */
  async cancel(call: Call, id: string, input: SubscriptionCancel): Promise<SubscriptionJson> {
    return this.#locked(call, id, async (rows, before, at) => {
      const decision = cancelSubscription(before, toCancellation(input), timeOf(before, at));
      await assertCreditsPaid(rows, before, { lines: decision.lines, param: 'prorate' });
      return {
        decision,
        invoiceId: newId('in'),
        answers: 'subscription',
        openInvoices: decision.openInvoices,
        // Nobody can be kept from leaving because there is no payment method.
        isScheduled: true,
        offSession: true,
        action: 'subscription.cancel',
      };
    });
  }

  /**
   * The invoice that a change, or nothing but time, would lead to; nothing is kept.
   * @throws PaymountError as `previewInvoice` lists
   */
  preview(call: Call, input: InvoicePreview): Promise<InvoiceJson> {
    return previewInvoice(this.#ports, call, input);
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
      return { decision, invoiceId, answers: 'subscription', offSession: true };
    });
  }

  /**
   * A worker does at once what is due, such as what failed before. Nothing else changes.
   * @throws PaymountError `resource_missing`, `test_clock_advancing`
   */
  async retryWork(call: Call, id: string): Promise<SubscriptionJson> {
    return this.#locked(call, id, async (_, before) => ({
      decision: unmoved(edited(before, {})),
      invoiceId: newId('in'),
      answers: 'subscription',
      isTried: false,
      action: 'subscription.retry_work',
    }));
  }

  async #locked(
    call: Call,
    id: string,
    decide: DecideChange,
    param?: string,
  ): Promise<SubscriptionJson> {
    const at = this.#ports.clock.now();
    let before: Subscription | undefined;
    return this.#commit(
      call,
      at,
      async (rows) => {
        const asked = { ...NAME, ...(param !== undefined && { param }) };
        before = await findOrThrow(asked, id, (known) =>
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
    const { storage, processors, logger, crashPoint } = this.#ports;
    const owner = ownerOf(call);
    const isLater = this.#isLater(call);
    const committed = storage.transaction(async (rows) => {
      const decided = await decide(rows);
      const before = toBefore();
      const made = await billDecision(rows, processors, {
        ...(before && { before }),
        decision: decided.decision,
        reason: before === undefined ? 'subscription_create' : 'subscription_update',
        invoiceId: decided.invoiceId,
        at,
        cause: causeOf(call),
        createdBy: makerOf(call),
        newPrices: pricesIn(decided.prices),
        ...(decided.isTried !== false && { collection: collectionOf(call, decided, isLater) }),
      });
      const ended = decided.openInvoices === 'void' ? await endInvoices(rows, made.row, at) : [];
      if (decided.openInvoices === 'keep') {
        await rows.invoices.wakeUnpaid(owner, made.row.id, { at: null });
      }
      const answer = answerFor(made.subscription, decided.answers);
      crashPoint('operation.before_intent');
      await applyIn(rows, {
        ...owner,
        at,
        ...made.change,
        ...(made.operation && credentialSnapshotFor(call)),
        ...(made.operation ? intentFields(call, isLater, answer) : resourceFields(call, answer)),
        writes: [
          ...(await priceWrites(rows, owner, decided.prices)),
          ...made.change.writes,
          ...ended,
        ],
        ...subscriptionAudit(call, decided.action, { before, after: made.row, at }),
      });
      return { billed: made, answers: decided.answers };
    });
    const { billed, answers } = await committed.catch((error: unknown) => {
      const object = toBefore()?.id ?? 'a new subscription';
      const consequence = 'The subscription stays as it was.';
      throw hookRefusal(error, logger, { object, consequence, facts: { subscription: object } });
    });
    crashPoint('operation.after_intent');
    const { operation } = billed;
    if (operation === undefined) return billed.subscription;
    return this.#send(call, billed, { operation, answers });
  }

  /** Whether a charge is sent after what the call is answered with. */
  #isLater(call: Call): boolean {
    return this.#ports.storage.host !== undefined || isAnsweredFirst(call);
  }

  /** Phases 2 and 3 of its charge, now or after the host's commit. */
  async #send(
    call: Call,
    { subscription }: Billed,
    { operation, answers }: { readonly operation: Operation; readonly answers: AnswerOf },
  ): Promise<SubscriptionJson> {
    const { storage, runner } = this.#ports;
    if (storage.host !== undefined) {
      storage.host.onSettled?.(() => runner.startAfterCommit(operation));
      return subscription;
    }
    if (isAnsweredFirst(call)) {
      await runner.startAfterCommit(operation);
      return subscription;
    }
    const recorded = await runner.run(operation);
    if (recorded === undefined && call.claim !== undefined) throw new ClaimedError();
    const charge = recorded && writtenCharge(recorded.change);
    const error = charge && chargeError(charge);
    if (error !== undefined && answers === 'subscription_or_error') {
      await discardSubscription(this.#ports, call, subscription.id);
      throw error;
    }
    // The money may have moved, so it is never an error.
    return this.retrieve(call, subscription.id).catch(() => subscription);
  }
}
