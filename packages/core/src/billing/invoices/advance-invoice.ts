import type { AreaStorage } from '../../changes/area-storage.ts';
import { applyIn } from '../../changes/commit.ts';
import { BY_TIME } from '../../changes/events/event-cause.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { CrashPoint } from '../../kernel/basics/crash-point.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import { type ChargeId, newId } from '../../kernel/basics/id.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { isOpenChargeback } from '../../payments/disputes/dispute.ts';
import type { Operation } from '../../payments/operations/operation.ts';
import type { ToSend } from '../../payments/operations/operation-subject.ts';
import type { Processor } from '../../payments/processor/processor.ts';
import type { RefundService } from '../../payments/refunds/refund-service.ts';
import { clockField, timeOf } from '../../payments/test-clocks/object-clock.ts';
import { attemptFailure } from './attempt-failure.ts';
import { prepareAttempt } from './charge-invoice.ts';
import { isCustomerDeleted } from './find-invoice.ts';
import {
  abandoned,
  attempted,
  deletedDraft,
  type Invoice,
  type PayableInvoice,
  voided,
  withoutAction,
} from './invoice.ts';
import {
  type Followed,
  type InvoiceOwner,
  type InvoiceOwners,
  ownerOfInvoice,
} from './invoice-owner.ts';
import type { DueInvoice } from './invoice-repository.ts';
import {
  type InvoiceChange,
  type InvoiceReaders,
  type InvoiceRepositories,
  invoiceUpdate,
} from './invoice-storage.ts';
import { issueInvoice, unapplyBalance } from './issue-invoice.ts';
import { liveChargeOf } from './live-charge.ts';
import { returnedPaymentMail } from './returned-payment-mail.ts';
import { scheduledAttempt } from './scheduled-attempt.ts';

export interface InvoiceAdvancePorts<Rows extends InvoiceRepositories = InvoiceRepositories> {
  readonly storage: AreaStorage<InvoiceReaders, Rows>;
  readonly invoiceOwners: Pick<InvoiceOwners<unknown, Rows>, 'hold'>;
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly refunds: Pick<RefundService, 'create'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly crashPoint: CrashPoint;
}

/** Until the outcome of another charge of the same subscription is probably known. */
const BUSY_MS = 60_000;

/** What time does to an invoice, and what is sent to the processor after the commit. */
interface Step extends Pick<InvoiceChange, 'attached' | 'mails'> {
  readonly followed: Followed;
  readonly writes?: InvoiceChange['writes'];
  readonly operation?: Operation;
}

/**
 * Does the one thing that is due of an invoice: a draft is issued, an open one is charged, and what was paid
 * for a subscription that had ended is given back.
 * @param until the time by which it counts as due: of its test clock, if it is on one
 * @returns what is to be sent; undefined if nothing is, or if another worker has it
 */
export async function advanceInvoice<Rows extends InvoiceRepositories>(
  ports: InvoiceAdvancePorts<Rows>,
  due: DueInvoice,
  until: Date,
): Promise<ToSend | undefined> {
  const { storage, clock, invoiceOwners, crashPoint } = ports;
  const known = await storage.read.invoices.find(due, due.id);
  const isGivenBack = known?.status === 'paid' && known.isAbandoned;
  const refund = isGivenBack ? await giveBack(ports, known) : GIVEN_BACK;
  if (isGivenBack) crashPoint('billing.after_refund');
  const sent = await storage.transaction(async (rows) => {
    const seen = await rows.invoices.find(due, due.id);
    if (seen === undefined) return undefined;
    const owner = await ownerOfInvoice(seen, BY_TIME, (of) => invoiceOwners.hold(rows, of));
    const before = await rows.invoices.takeDue(due, until);
    if (before === undefined) return undefined;
    const at = clock.now();
    const {
      followed,
      writes = [],
      operation,
      ...facts
    } = await stepOf(ports, {
      rows,
      before,
      owner,
      at,
      refund,
    });
    const { accountId, environment } = before;
    const { effects, invoice } = followed;
    await applyIn(rows, {
      accountId,
      environment,
      at,
      ...clockField(before),
      ...effects,
      ...facts,
      writes: [invoiceUpdate(before, invoice), ...effects.writes, ...writes],
    });
    crashPoint('billing.before_commit');
    return operation && { operation };
  });
  crashPoint('billing.after_commit');
  return sent;
}

interface Held {
  readonly rows: InvoiceRepositories;
  readonly before: Invoice;
  readonly owner: InvoiceOwner;
  readonly at: Date;
  /** Of one that was paid after the end of its subscription. */
  readonly refund: GivenBack;
}

async function stepOf(
  { processors }: Pick<InvoiceAdvancePorts, 'processors'>,
  held: Held,
): Promise<Step> {
  const { rows, before, owner, at, refund } = held;
  switch (before.status) {
    case 'draft': {
      if (owner.isOver) {
        await rows.invoiceItems.release(before, before.id);
        return { followed: unfollowed(deletedDraft(before, timeOf(before, at))) };
      }
      // It waits for a person, who deletes it.
      if (await isCustomerDeleted(rows, before)) {
        return { followed: unfollowed(withoutAction(before)) };
      }
      const { invoice: issued, writes } = await issueInvoice(rows, before, at);
      const isPaid = issued.status === 'paid';
      return { followed: isPaid ? owner.paid(issued, at) : unfollowed(issued), writes };
    }
    case 'open': {
      if (owner.isOver) {
        if ((await liveChargeOf(rows, before)) !== undefined)
          return { followed: unfollowed(abandoned(before)) };
        const gone = withoutAction(voided(before, timeOf(before, at)));
        await rows.invoiceItems.insert((await owner.creditsLost?.(gone, at)) ?? []);
        return { followed: unfollowed(gone), writes: await unapplyBalance(rows, gone, at) };
      }
      if (!owner.isCharging) return charge(processors, held, before);
      const nextActionAt = new Date(timeOf(before, at).getTime() + BUSY_MS);
      return { followed: unfollowed({ ...before, nextActionAt }) };
    }
    case 'void': {
      const writes = await unapplyBalance(rows, before, at);
      return { followed: unfollowed(withoutAction(before)), writes };
    }
    case 'paid': {
      const { waitsMs, failure: refundFailure } = refund;
      if (waitsMs !== undefined) {
        const nextActionAt = new Date(timeOf(before, at).getTime() + waitsMs);
        return { followed: unfollowed({ ...before, nextActionAt }) };
      }
      const done = { ...before, ...(refundFailure !== undefined && { refundFailure }) };
      const followed = unfollowed(withoutAction(done));
      if (!before.isAbandoned) return { followed };
      const mails = before.chargeId === null ? [] : [returnedPaymentMail(done, at)];
      return { followed, writes: await unapplyBalance(rows, before, at), mails };
    }
    case 'uncollectible':
    case 'deleted':
      return { followed: unfollowed(withoutAction(before)) };
  }
}

/** What cannot be charged counts as a failed attempt; it stays open, and people see it. */
async function charge(
  processors: InvoiceAdvancePorts['processors'],
  { rows, owner, at }: Held,
  invoice: PayableInvoice,
): Promise<Step> {
  try {
    const ownerMethodId = owner.defaultPaymentMethodId;
    const { forbidden } = owner;
    const attempt = { ...scheduledAttempt(), at, processors, ownerMethodId, forbidden };
    const { charge: row, operation, ...facts } = await prepareAttempt(rows, invoice, attempt);
    return {
      ...facts,
      operation,
      followed: owner.charging(attempted(invoice, row.id), at),
      writes: [
        { kind: 'charge', mode: 'insert', row },
        { kind: 'operation', mode: 'insert', row: operation },
      ],
    };
  } catch (error) {
    const failure = attemptFailure(error);
    if (failure === undefined) throw error;
    const attempt = { failure, isScheduled: true, methodId: null, card: null };
    return { followed: owner.failed(attempted(invoice, null), attempt, at) };
  }
}

function unfollowed(invoice: Invoice): Followed {
  return { invoice, effects: { writes: [] } };
}

/** No later attempt to give the money back would succeed. */
const FINAL = ['operation_not_supported', 'charge_not_refundable'];

const DAY_MS = 24 * 60 * 60_000;
/** While a dispute is open, nothing can be refunded; if it is won, the money is given back. */
const OPEN_DISPUTE_MS = DAY_MS;
/** A dispute that was lost gave the customer the money back. An issuer may reverse that, for months. */
const LOST_DISPUTE_MS = 30 * DAY_MS;
const REVERSIBLE_MS = 180 * DAY_MS;

/** What came of giving money back. */
interface GivenBack {
  /** After so many milliseconds it is tried again, because of a dispute. @defaultValue it is done */
  readonly waitsMs?: number;
  /** The code of the error, if a person must give the money back. */
  readonly failure?: string;
}
const GIVEN_BACK: GivenBack = {};

/** Once: what was refunded before has nothing left to refund. */
async function giveBack<Rows extends InvoiceRepositories>(
  ports: InvoiceAdvancePorts<Rows>,
  invoice: Invoice,
): Promise<GivenBack> {
  const { accountId, environment, id, chargeId, subscriptionId } = invoice;
  const { refunds, logger } = ports;
  if (chargeId === null) return GIVEN_BACK;
  const principal = { kind: 'host', accountId, environment, scopes: 'all' } as const;
  const audit = { actor: { type: 'system', id: 'paymount' }, via: 'worker' } as const;
  const call: Call = { principal, requestId: newId('req'), audit };
  const metadata = {
    invoice: id,
    subscription: subscriptionId ?? '',
    reason: 'subscription_ended',
  };
  try {
    await refunds.create(call, { charge: chargeId, metadata });
  } catch (error) {
    if (!PaymountError.is(error)) throw error;
    if (error.code === 'charge_already_refunded') return GIVEN_BACK;
    if (error.code === 'charge_disputed') return afterDispute(ports, invoice, chargeId);
    if (!FINAL.includes(error.code)) throw error;
    const facts = { invoice: id, charge: chargeId, account: accountId, err: error };
    const message =
      'What was paid after the end of a subscription cannot be given back; give it back by hand.';
    logger.error(facts, message);
    return { failure: error.code };
  }
  return GIVEN_BACK;
}

/** A dispute has taken the money, for now or for good. */
async function afterDispute<Rows extends InvoiceRepositories>(
  { storage, clock }: Pick<InvoiceAdvancePorts<Rows>, 'storage' | 'clock'>,
  invoice: Invoice,
  chargeId: ChargeId,
): Promise<GivenBack> {
  const { accountId, environment } = invoice;
  const disputes = await storage.read.disputes.ofCharge({ accountId, environment }, chargeId);
  if (disputes.some(isOpenChargeback)) return { waitsMs: OPEN_DISPUTE_MS };
  const paidAt = invoice.status === 'paid' ? invoice.paidAt : invoice.created;
  const isReversible = timeOf(invoice, clock.now()).getTime() < paidAt.getTime() + REVERSIBLE_MS;
  return isReversible ? { waitsMs: LOST_DISPUTE_MS } : GIVEN_BACK;
}
