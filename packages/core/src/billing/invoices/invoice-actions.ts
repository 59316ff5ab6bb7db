import type { AreaStorage } from '../../changes/area-storage.ts';
import type { AuditAction, AuditFacts } from '../../changes/audit/audit.ts';
import { auditOfCall } from '../../changes/audit/audit-of-call.ts';
import { ClaimedError } from '../../changes/change.ts';
import { applyIn } from '../../changes/commit.ts';
import { causeOf } from '../../changes/events/event-cause.ts';
import { hookRefusal } from '../../changes/hook-refusal.ts';
import { intentFields, resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { CrashPoint } from '../../kernel/basics/crash-point.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import {
  askedBy,
  credentialSnapshotFor,
  isAnsweredFirst,
  ownerOf,
} from '../../kernel/callers/call.ts';
import { makerOf } from '../../kernel/callers/maker.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { chargeError } from '../../payments/charges/charge-error.ts';
import { type ChargeChange, writtenCharge } from '../../payments/charges/charge-storage.ts';
import type { Operation } from '../../payments/operations/operation.ts';
import type { OperationSender } from '../../payments/operations/operation-runner.ts';
import type { Processor } from '../../payments/processor/processor.ts';
import { assertSteady, clockField, timeOf } from '../../payments/test-clocks/object-clock.ts';
import { addresseeOf } from '../customer-mails/addressee.ts';
import type { CustomerMailSettings } from '../customer-mails/customer-mail-settings.ts';
import { prepareAttempt } from './charge-invoice.ts';
import { dropProrations } from './drop-prorations.ts';
import {
  assertCustomerLives,
  findLiveInvoice,
  requireDraft,
  requireIssued,
  requirePayable,
} from './find-invoice.ts';
import {
  attempted,
  type Invoice,
  markedUncollectible,
  paid,
  voided,
  withoutAction,
} from './invoice.ts';
import type { InvoiceFinalize, InvoicePay } from './invoice-input.ts';
import { invoiceMail } from './invoice-mail.ts';
import {
  type Followed,
  type InvoiceOwner,
  type InvoiceOwners,
  ownerOfInvoice,
} from './invoice-owner.ts';
import { type AddressOfInvoice, toInvoiceResource } from './invoice-resource.ts';
import {
  type InvoiceChange,
  type InvoiceReaders,
  type InvoiceRepositories,
  type InvoiceWrite,
  invoiceUpdate,
  writtenInvoice,
} from './invoice-storage.ts';
import { issueInvoice, unapplyBalance } from './issue-invoice.ts';
import { assertFewSent } from './limit-sending.ts';
import { liveChargeOf } from './live-charge.ts';

export interface InvoiceActionPorts<Rows extends InvoiceRepositories = InvoiceRepositories> {
  readonly storage: AreaStorage<InvoiceReaders, Rows>;
  readonly invoiceOwners: Pick<InvoiceOwners<unknown, Rows>, 'hold'>;
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly runner: OperationSender<ChargeChange>;
  readonly addressOfInvoice: AddressOfInvoice;
  readonly customerMails: CustomerMailSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly crashPoint: CrashPoint;
}

/** An invoice after an action, and what is committed with it. */
interface Decided extends Pick<InvoiceChange, 'attached' | 'clock' | 'events' | 'mails'> {
  readonly after: Invoice;
  readonly writes?: InvoiceChange['writes'];
  /** What is sent to the processor after the commit. */
  readonly operation?: Operation;
}

/** What an action decides by; the invoice is locked, and its owner before it. */
interface Held {
  readonly rows: InvoiceRepositories;
  readonly invoice: Invoice;
  readonly owner: InvoiceOwner;
  readonly at: Date;
}

type Decide = (held: Held) => Promise<Decided>;

/** What moves an invoice from one state to the next. */
export class InvoiceActions<Rows extends InvoiceRepositories = InvoiceRepositories> {
  readonly #ports: InvoiceActionPorts<Rows>;

  constructor(ports: InvoiceActionPorts<Rows>) {
    this.#ports = ports;
  }

  /**
   * Issues a draft: it gets its number, and its lines never change from then on. With `auto_advance` a
   * worker charges it.
   * @throws PaymountError `resource_missing`, `invoice_not_draft`, `invoice_customer_deleted`, `hook_refused`,
   *   `hook_missing`, `test_clock_advancing`
   */
  async finalize(call: Call, id: string, input: InvoiceFinalize): Promise<Invoice> {
    return this.#commit(call, id, undefined, async ({ rows, invoice, owner, at }) => {
      const draft = requireDraft(invoice);
      await assertCustomerLives(rows, draft);
      const { auto_advance: autoAdvance = draft.autoAdvance } = input;
      const { invoice: issued, writes } = await issueInvoice(rows, { ...draft, autoAdvance }, at);
      if (issued.status !== 'paid') return { after: issued, writes };
      return withWrites(follow(owner.paid(issued, at)), writes);
    });
  }

  /**
   * Charges an invoice now, or records that it was paid elsewhere. A draft is issued first.
   * @throws PaymountError `card_declined` and the other card codes (402, `charge` names the failed
   *   charge), `resource_missing`, `status_transition_invalid`, `invoice_payment_in_progress`,
   *   `payment_method_missing`, `payment_method_unattached`, `payment_method_unusable`,
   *   `parameters_exclusive`, `mandate_required`, `invoice_customer_deleted`, `hook_refused`, `hook_missing`,
   *   `test_clock_advancing`
   */
  async pay(call: Call, id: string, input: InvoicePay): Promise<Invoice> {
    const { payment_method: paymentMethod, paid_out_of_band: isOutOfBand } = input;
    if (isOutOfBand && paymentMethod !== undefined) {
      const message = 'Nothing is charged with paid_out_of_band; leave payment_method out.';
      throw new PaymountError('parameters_exclusive', message, { param: 'payment_method' });
    }
    return this.#commit(call, id, 'invoice.pay', async ({ rows, invoice: found, owner, at }) => {
      if (found.status === 'draft') await assertCustomerLives(rows, found);
      const { invoice, writes } =
        found.status === 'draft'
          ? await issueInvoice(rows, found, at)
          : { invoice: found, writes: [] };
      // Nothing was due.
      if (found.status === 'draft' && invoice.status === 'paid') {
        return withWrites(follow(owner.paid(invoice, at)), writes);
      }
      const payable = requirePayable(invoice, 'pay');
      await assertNotCharging(rows, payable);
      if (owner.isCharging && !isOutOfBand) {
        const message = 'Another invoice of the subscription is being charged; try again later.';
        throw new PaymountError('invoice_payment_in_progress', message);
      }
      if (isOutOfBand) {
        const settled = paid(payable, timeOf(payable, at), true);
        return withWrites(follow(owner.paid(settled, at)), writes);
      }
      const { charge, operation, ...facts } = await prepareAttempt(rows, payable, {
        call: askedBy(call),
        createdBy: makerOf(call),
        at,
        paymentMethod,
        ownerMethodId: owner.defaultPaymentMethodId,
        processors: this.#ports.processors,
        offSession: input.off_session ?? true,
        deferred: this.#isLater(call),
      });
      const followed = follow(owner.charging(attempted(payable, charge.id), at));
      return {
        ...facts,
        ...followed,
        operation,
        writes: [
          ...writes,
          ...(followed.writes ?? []),
          { kind: 'charge', mode: 'insert', row: charge },
          { kind: 'operation', mode: 'insert', row: operation },
        ],
      };
    });
  }

  /**
   * Sends the customer an e-mail with the link to the invoice, also again. A draft is issued first.
   * @throws PaymountError `resource_missing`, `invoice_charged_automatically`, `invoice_pages_missing`,
   *   `customer_email_missing`, `status_transition_invalid`, `invoice_customer_deleted`, `hook_refused`,
   *   `hook_missing`, `test_clock_advancing`, `rate_limit` beyond ten e-mails in a day
   */
  async send(call: Call, id: string): Promise<Invoice> {
    const { addressOfInvoice, customerMails } = this.#ports;
    return this.#commit(call, id, undefined, async ({ rows, invoice: found, owner, at }) => {
      if (found.collectionMethod !== 'send_invoice') {
        throw new PaymountError('invoice_charged_automatically');
      }
      const customer = await rows.customers.find(found, found.customerId);
      if (found.status === 'draft') await assertCustomerLives(rows, found);
      const { invoice, writes } =
        found.status === 'draft'
          ? await issueInvoice(rows, found, at)
          : { invoice: requireIssued(found), writes: [] };
      if (addressOfInvoice(invoice) === undefined) throw new PaymountError('invoice_pages_missing');
      const account = await rows.payoutAccounts.find(found.accountId);
      const facts = { customer, account, zone: owner.timeZone };
      const addressee = addresseeOf(facts, customerMails);
      if (addressee === undefined) throw new PaymountError('customer_email_missing');
      await assertFewSent(rows, found, at);
      const mails = [invoiceMail(invoice, { addressee, settings: customerMails, created: at })];
      const isPaidNow = found.status === 'draft' && invoice.status === 'paid';
      const decided = isPaidNow ? follow(owner.paid(invoice, at)) : { after: invoice };
      return { ...withWrites(decided, writes), mails };
    });
  }

  /**
   * Nobody has to pay it any more. Its number stays.
   * @throws PaymountError `resource_missing`, `status_transition_invalid`,
   *   `invoice_payment_in_progress`, `test_clock_advancing`
   */
  async void(call: Call, id: string): Promise<Invoice> {
    return this.#commit(call, id, 'invoice.void', async ({ rows, invoice, owner, at }) => {
      const payable = requirePayable(invoice, 'void');
      await assertNotCharging(rows, payable);
      const gone = withoutAction(voided(payable, timeOf(invoice, at)));
      const writes = await unapplyBalance(rows, gone, at);
      // Nothing waits for changes to time of an earlier period any more.
      if (owner.isOfCurrentPeriod?.(gone)) await dropProrations(rows, gone, at);
      await rows.invoiceItems.insert((await owner.creditsLost?.(gone, at)) ?? []);
      return withWrites(follow(await owner.voided(gone, at)), writes);
    });
  }

  /**
   * The merchant does not expect it to be paid, so its subscription does not wait for it. It may still be.
   * @throws PaymountError `resource_missing`, `status_transition_invalid`,
   *   `invoice_payment_in_progress`, `test_clock_advancing`
   */
  async markUncollectible(call: Call, id: string): Promise<Invoice> {
    const action = 'invoice.mark_uncollectible';
    return this.#commit(call, id, action, async ({ rows, invoice, owner, at }) => {
      const payable = requirePayable(invoice, 'mark_uncollectible');
      await assertNotCharging(rows, payable);
      const lost = markedUncollectible(payable, timeOf(invoice, at));
      return follow(owner.uncollectible(lost, at));
    });
  }

  /**
   * A worker does at once what is due, such as what failed before. Nothing else changes.
   * @throws PaymountError `resource_missing`, `test_clock_advancing`
   */
  async retryWork(call: Call, id: string): Promise<Invoice> {
    return this.#commit(call, id, 'invoice.retry_work', async ({ invoice, at }) => {
      const isDue = invoice.failing !== undefined && invoice.nextActionAt !== undefined;
      return { after: isDue ? { ...invoice, nextActionAt: timeOf(invoice, at) } : invoice };
    });
  }

  /**
   * Commits what is decided under the row lock of the invoice; then sends what is to be sent.
   * @param action of the audit row; undefined: admins do not do it
   */
  async #commit(
    call: Call,
    id: string,
    action: AuditAction | undefined,
    decide: Decide,
  ): Promise<Invoice> {
    const { storage, addressOfInvoice, clock, logger, crashPoint } = this.#ports;
    const account = ownerOf(call);
    const committed = storage.transaction(async (rows) => {
      const { invoice, owner } = await this.#hold(rows, call, id);
      assertSteady(invoice);
      const at = clock.now();
      const decided = await decide({ rows, invoice, owner, at });
      const { after, writes = [], operation: sent, ...facts } = decided;
      const write = invoiceUpdate(invoice, after);
      const answer = toInvoiceResource(write.row, addressOfInvoice);
      const isLater = this.#isLater(call);
      crashPoint('operation.before_intent');
      await applyIn(rows, {
        ...account,
        at,
        ...clockField(invoice),
        ...facts,
        ...(sent && credentialSnapshotFor(call)),
        ...(sent ? intentFields(call, isLater, answer) : resourceFields(call, answer)),
        writes: [write, ...writes],
        ...(action &&
          auditOfCall(call, {
            action,
            target: invoice.id,
            before: auditFacts(invoice),
            after: auditFacts(write.row),
            created: at,
          })),
      });
      return { row: write.row, operation: sent };
    });
    const { row, operation } = await committed.catch((error: unknown) => {
      const consequence = 'The invoice stays as it was.';
      throw hookRefusal(error, logger, { object: id, consequence, facts: { invoice: id } });
    });
    crashPoint('operation.after_intent');
    return operation === undefined ? row : this.#send(call, row, operation);
  }

  /** Whether its charge is sent after what the call is answered with. */
  #isLater(call: Call): boolean {
    return this.#ports.storage.host !== undefined || isAnsweredFirst(call);
  }

  /** Locks what owns an invoice, and then the invoice. */
  async #hold(rows: Rows, call: Call, id: string) {
    const { invoiceOwners } = this.#ports;
    const account = ownerOf(call);
    const known = await findLiveInvoice((...of) => rows.invoices.find(...of), account, id);
    const owner = await ownerOfInvoice(known, causeOf(call), (of) => invoiceOwners.hold(rows, of));
    const find = rows.invoices.findForUpdate.bind(rows.invoices);
    return { invoice: await findLiveInvoice(find, account, id), owner };
  }

  /** Phases 2 and 3, now or after the host's commit. */
  async #send(call: Call, invoice: Invoice, operation: Operation): Promise<Invoice> {
    const { storage, runner } = this.#ports;
    if (storage.host !== undefined) {
      storage.host.onSettled?.(() => runner.startAfterCommit(operation));
      return invoice;
    }
    if (isAnsweredFirst(call)) {
      await runner.startAfterCommit(operation);
      return invoice;
    }
    const recorded = await runner.run(operation);
    if (recorded === undefined) {
      if (call.claim !== undefined) throw new ClaimedError();
      // The money may have moved, so it is never an error.
      const read = storage.read.invoices.find(invoice, invoice.id).catch(() => undefined);
      return (await read) ?? invoice;
    }
    const charge = writtenCharge(recorded.change);
    const error = charge && chargeError(charge);
    if (error !== undefined) throw error;
    return writtenInvoice(recorded.change) ?? invoice;
  }
}

function auditFacts({ status, chargeId, attemptCount }: Invoice): AuditFacts {
  return { status, charge: chargeId, attempt_count: attemptCount };
}

/** What is committed when an owner has seen its invoice. */
function follow({ invoice, effects }: Followed): Decided {
  return { ...effects, after: invoice };
}

/** With the balance that it took, or gave back. */
function withWrites(decided: Decided, writes: readonly InvoiceWrite[]): Decided {
  return { ...decided, writes: [...writes, ...(decided.writes ?? [])] };
}

/** @throws PaymountError `invoice_payment_in_progress` */
async function assertNotCharging(
  rows: Pick<InvoiceRepositories, 'charges'>,
  invoice: Invoice,
): Promise<void> {
  const charge = await liveChargeOf(rows, invoice);
  if (charge === undefined) return;
  throw new PaymountError(
    'invoice_payment_in_progress',
    `Charge ${charge.id} of invoice ${invoice.id} is ${charge.status}.`,
  );
}
