import type { PaymentRules } from '../charges/payment-rules.ts';
import { applyAccountUpdate } from '../notices/account-update.ts';
import { disputeAppliers } from '../notices/dispute-appliers.ts';
import type { NoticeAppliers } from '../notices/notice-applier.ts';
import { outcomeAppliers } from '../notices/outcome-appliers.ts';
import { PAYOUT_APPLIERS } from '../notices/payout-appliers.ts';
import { applySettlementLine } from '../notices/settlement-applier.ts';

/** What each kind of notice changes. Kinds that are not here are kept, and shown to a person. */
export function createNoticeAppliers(rules: PaymentRules): NoticeAppliers {
  const disputes = disputeAppliers(rules);
  return {
    ofOperations: {
      ...outcomeAppliers(disputes['dispute.opened']),
      ...disputes,
      ...PAYOUT_APPLIERS,
    },
    direct: { account_update: applyAccountUpdate, settlement_line: applySettlementLine },
  };
}
