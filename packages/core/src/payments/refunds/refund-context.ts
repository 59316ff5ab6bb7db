import type { Change, Write } from '../../changes/change.ts';
import { parseId } from '../../kernel/basics/id.ts';
import { missing } from '../../kernel/errors/missing.ts';
import type { Charge } from '../charges/charge.ts';
import { chargeIdOf } from '../charges/charge-of-operation.ts';
import { writtenCharge } from '../charges/charge-storage.ts';
import type { Dispute } from '../disputes/dispute.ts';
import type { Operation } from '../operations/operation.ts';
import type { Refund } from './refund.ts';
import type { RefundContext, Refunded } from './refund-result.ts';
import { type RefundReaders, type RefundRepositories, writtenRefund } from './refund-storage.ts';

/** Reads a refund with all objects that its result changes; the guards of the change detect races. */
export async function loadRefund(
  read: Omit<RefundReaders, 'paymentMethods'>,
  operation: Operation,
): Promise<RefundContext> {
  const refundId = parseId('re', operation.subjectId);
  const refund = refundId && (await read.refunds.find(operation, refundId));
  const chargeId = chargeIdOf(operation);
  const charge = chargeId && (await read.charges.find(operation, chargeId));
  if (refund === undefined || charge === undefined) {
    throw new Error(`The refund or charge of operation ${operation.id} does not exist.`);
  }
  const id = refund.balanceTransactionId;
  const transaction = id === null ? undefined : await read.ledger.findTransaction(operation, id);
  const alert = await loadAlert(read, charge, refund);
  return { refund, charge, ...(transaction && { transaction }), ...(alert && { alert }) };
}

/** The disputes of a charge, whose row is locked, newest first. No query for most charges. */
export async function readDisputes(
  { disputes }: Pick<RefundRepositories, 'disputes'>,
  charge: Charge,
): Promise<readonly Dispute[]> {
  return charge.dispute === undefined ? [] : disputes.ofCharge(charge, charge.id);
}

/**
 * The open alert about a charge. Other refunds that are not confirmed yet may still fail, so the last one
 * answers it.
 */
async function loadAlert(
  { disputes, refunds }: Pick<RefundReaders, 'disputes' | 'refunds'>,
  charge: Charge,
  refund: Refund,
): Promise<Dispute | undefined> {
  const all = charge.dispute === undefined ? [] : await disputes.ofCharge(charge, charge.id);
  const alert = all.find(({ status }) => status === 'warning_needs_response');
  if (alert === undefined) return undefined;
  return (await refunds.hasPending(charge, charge.id, refund.id)) ? undefined : alert;
}

/** The refund and charge after a change. @param before as they are if it does not write them */
export function refundedIn(change: Change<Write<string, unknown>>, before: Refunded): Refunded {
  return {
    refund: writtenRefund(change) ?? before.refund,
    charge: writtenCharge(change) ?? before.charge,
  };
}

/**
 * Locks charge, then refund, and reads the refund's debits.
 * @throws PaymountError `resource_missing`
 */
export async function lockRefund(
  repositories: RefundRepositories,
  known: Pick<Refund, 'accountId' | 'environment' | 'id' | 'chargeId'>,
): Promise<RefundContext> {
  const charge = await repositories.charges.findForUpdate(known, known.chargeId);
  const refund = await repositories.refunds.findForUpdate(known, known.id);
  if (charge === undefined || refund === undefined) throw missing('refund', known.id);
  if (refund.balanceTransactionId === null) return { refund, charge };
  const transaction = await repositories.ledger.findTransaction(known, refund.balanceTransactionId);
  return transaction === undefined ? { refund, charge } : { refund, charge, transaction };
}
