import type { Charge } from '../charges/charge.ts';
import { chargeIdOf } from '../charges/charge-of-operation.ts';
import { prepareCharge } from '../charges/charge-result.ts';
import type { PaymentRules } from '../charges/payment-rules.ts';
import { loadDispute } from '../disputes/dispute-context.ts';
import { prepareDispute } from '../disputes/dispute-result.ts';
import type { FileStore } from '../files/file-store.ts';
import type { Operation } from '../operations/operation.ts';
import type { Subject } from '../operations/operation-subject.ts';
import type { DebitedAccountPorts } from '../payment-methods/open-debited-account.ts';
import { loadPayout } from '../payouts/payout-context.ts';
import { preparePayout } from '../payouts/payout-result.ts';
import type { OperationKind } from '../processor/processor.ts';
import { loadRefund } from '../refunds/refund-context.ts';
import { prepareRefund } from '../refunds/refund-result.ts';
import type { PaymentReaders } from './payment-storage.ts';

/** Where an object is read: anywhere, or in the transaction that has locked it. */
export type SubjectReaders = Pick<
  PaymentReaders,
  | 'charges'
  | 'refunds'
  | 'payouts'
  | 'bankAccounts'
  | 'payoutAccounts'
  | 'disputes'
  | 'files'
  | 'ledger'
>;

/**
 * How each kind of operation loads its object. Throws if the object does not exist, which is a bug.
 */
export type SubjectLoaders<Read = SubjectReaders> = Readonly<
  Record<OperationKind, (operation: Operation, read: Read) => Promise<Subject>>
>;

/** Whether a debit was returned after it had cleared: its bank takes the money, and nobody can contest it. */
async function wasReturned(
  charge: Charge,
  { disputes }: Pick<SubjectReaders, 'disputes'>,
): Promise<boolean> {
  if (charge.method.type === 'card' || charge.dispute?.isChargeback !== true) return false;
  const all = await disputes.ofCharge(charge, charge.id);
  return all.some((each) => each.status === 'lost' && each.closedReason === 'not_contestable');
}

/**
 * How each kind of operation finds its subject when nobody has it in hand.
 * @param ports where the contents of evidence are, and what opens account numbers
 */
export function createSubjectLoaders(
  rules: PaymentRules,
  ports: DebitedAccountPorts & { readonly files: FileStore },
): SubjectLoaders {
  const charge: SubjectLoaders['authorize'] = async (operation, read) => {
    const chargeId = chargeIdOf(operation);
    const found = chargeId && (await read.charges.find(operation, chargeId));
    if (found === undefined) throw new Error(`Operation ${operation.id} has lost its charge.`);
    const isReturned = await wasReturned(found, read);
    return { ...prepareCharge(found, rules, ports), isReturned };
  };
  const refund: SubjectLoaders['refund'] = async (operation, read) =>
    prepareRefund(await loadRefund(read, operation), ports);
  const dispute: SubjectLoaders['submit_evidence'] = async (operation, read) =>
    prepareDispute(await loadDispute(read, operation), ports.files);
  return {
    authorize: charge,
    capture: charge,
    // A full refund of an authorized charge cancels it, and decides the refund with it.
    cancel: (operation, read) =>
      operation.subjectId === operation.rootId ? charge(operation, read) : refund(operation, read),
    refund,
    payout: async (operation, read) =>
      preparePayout(await loadPayout(read, operation), ports.sealer),
    submit_evidence: dispute,
    accept_dispute: dispute,
  };
}
