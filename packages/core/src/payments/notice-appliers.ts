import type { SettlementRules } from './charges/settlement-rules.ts';
import { disputeAppliers } from './disputes/dispute-appliers.ts';
import { applyAccountUpdate } from './notices/account-update.ts';
import type { NoticeAppliers } from './notices/notice-applier.ts';
import { outcomeAppliers } from './notices/outcome-appliers.ts';
import { payoutAppliers } from './notices/payout-appliers.ts';
import type { SubjectLoaders } from './operations/operation-subject.ts';
import { applySettlementLine } from './settlements/settlement-applier.ts';

/** What each kind of notice changes. Kinds that are not here are kept, and shown to a person. */
export function createNoticeAppliers({
  subjects,
  rules,
}: {
  readonly subjects: SubjectLoaders;
  readonly rules: SettlementRules;
}): NoticeAppliers {
  const disputes = disputeAppliers(rules);
  return {
    ofOperations: {
      ...outcomeAppliers(subjects, disputes['dispute.opened']),
      ...disputes,
      ...payoutAppliers(subjects),
    },
    direct: { account_update: applyAccountUpdate, settlement_line: applySettlementLine },
  };
}
