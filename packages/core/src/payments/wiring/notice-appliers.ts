import type { PaymentRules } from '../charges/payment-rules.ts';
import { applyAccountUpdate } from '../notices/account-update.ts';
import { disputeAppliers } from '../notices/dispute-appliers.ts';
import type { LoadSubject, NoticeAppliers } from '../notices/notice-applier.ts';
import { outcomeAppliers } from '../notices/outcome-appliers.ts';
import { payoutAppliers } from '../notices/payout-appliers.ts';
import { applySettlementLine } from '../notices/settlement-applier.ts';
import { lockRoot } from './lock-root.ts';
import type { SubjectLoaders } from './subject-loaders.ts';

/** What each kind of notice changes. Kinds that are not here are kept, and shown to a person. */
export function createNoticeAppliers({
  subjects,
  rules,
}: {
  readonly subjects: SubjectLoaders;
  readonly rules: PaymentRules;
}): NoticeAppliers {
  const disputes = disputeAppliers(rules);
  const load: LoadSubject = (operation, rows) => subjects[operation.kind](operation, rows);
  return {
    lockRoot,
    ofOperations: {
      ...outcomeAppliers(load, disputes['dispute.opened']),
      ...disputes,
      ...payoutAppliers(load),
    },
    direct: { account_update: applyAccountUpdate, settlement_line: applySettlementLine },
  };
}
