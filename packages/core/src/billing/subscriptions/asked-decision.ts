import type { AuditAction } from '../../changes/audit/audit.ts';
import type { InvoiceId } from '../../kernel/basics/id.ts';
import { askedBy } from '../../kernel/callers/call.ts';
import { makerOf } from '../../kernel/callers/maker.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { AnswerOf } from '../invoices/charge-invoice.ts';
import type { PriceWrite } from '../prices/price-storage.ts';
import type { Collection } from './attempt-invoice.ts';
import type { BillingDecision } from './billing-decision.ts';

/** What a request decides, to be committed. */
export interface AskedDecision {
  readonly decision: BillingDecision;
  /** The id of its invoice, if it makes one. */
  readonly invoiceId: InvoiceId;
  readonly prices?: readonly PriceWrite[];
  readonly answers: AnswerOf;
  /** False: nobody tries to charge the invoice. @defaultValue true */
  readonly isTried?: boolean;
  readonly offSession?: boolean;
  /** What cannot be charged counts as a failed attempt. @defaultValue no */
  readonly isScheduled?: boolean;
  /** Whether open invoices and drafts end with it, or stay for people. @defaultValue nothing ends */
  readonly openInvoices?: 'void' | 'keep';
  /** Of the audit row. @defaultValue admins do not do it */
  readonly action?: AuditAction;
}

/** How the invoice of a request is charged. @param deferred sent after what the call is answered with */
export function collectionOf(call: Call, decided: AskedDecision, deferred: boolean): Collection {
  const { answers, offSession, isScheduled = false } = decided;
  return {
    call: askedBy(call),
    createdBy: makerOf(call),
    offSession: offSession ?? false,
    deferred,
    isScheduled,
    answers,
  };
}

/** The charge is sent after the caller has its answer, so its failure can be no error. @throws PaymountError */
export function refuseError(): never {
  const message =
    'In a transaction of yours the card is charged after the commit, so its failure cannot be an error of this call. Leave payment_behavior out, or use default_incomplete and pay the invoice after the commit.';
  throw new PaymountError('parameter_invalid', message, { param: 'payment_behavior' });
}
