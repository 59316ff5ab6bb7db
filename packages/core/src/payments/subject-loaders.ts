import type { Sealer } from '../kernel/secrets/sealer.ts';
import { prepareCharge } from './charges/charge-settlement.ts';
import type { SettlementRules } from './charges/settlement-rules.ts';
import { loadDispute } from './disputes/dispute-context.ts';
import { prepareDispute } from './disputes/dispute-settlement.ts';
import type { FileStore } from './files/file-store.ts';
import type { SubjectLoaders } from './operations/operation-subject.ts';
import { loadPayout } from './payouts/payout-context.ts';
import { preparePayout } from './payouts/payout-settlement.ts';
import { loadRefund } from './refunds/refund-context.ts';
import { prepareRefund } from './refunds/refund-settlement.ts';

/**
 * How each kind of operation finds its subject when nobody has it in hand.
 * @param stores where the contents of evidence are, and what opens account numbers
 */
export function createSubjectLoaders(
  rules: SettlementRules,
  { files, sealer }: { readonly files: FileStore; readonly sealer: Pick<Sealer, 'open'> },
): SubjectLoaders {
  const charge: SubjectLoaders['authorize'] = async (operation, read) => {
    const { chargeId } = operation;
    const found = chargeId && (await read.charges.find(operation, chargeId));
    if (found === undefined) throw new Error(`Operation ${operation.id} has lost its charge.`);
    return prepareCharge(found, rules);
  };
  const refund: SubjectLoaders['refund'] = async (operation, read) =>
    prepareRefund(await loadRefund(read, operation));
  const dispute: SubjectLoaders['submit_evidence'] = async (operation, read) =>
    prepareDispute(await loadDispute(read, operation), files);
  return {
    authorize: charge,
    capture: charge,
    // A full refund of an authorized charge cancels it, and settles the refund with it.
    cancel: (operation, read) =>
      operation.subjectId === operation.chargeId
        ? charge(operation, read)
        : refund(operation, read),
    refund,
    payout: async (operation, read) => preparePayout(await loadPayout(read, operation), sealer),
    submit_evidence: dispute,
    accept_dispute: dispute,
  };
}
