import type { PaymentRules } from '../charges/payment-rules.ts';
import { applyAlert } from './alert-applier.ts';
import { applyChargeback } from './chargeback-applier.ts';
import type { NoticeAppliers } from './notice-applier.ts';
import { type OpenedKind, readReported } from './reported-dispute.ts';
import { applyDisputeEnd } from './ruling-applier.ts';

type DisputeAppliers = Required<
  Pick<NoticeAppliers['ofOperations'], OpenedKind | 'dispute.closed'>
>;

/** What processors report about disputes: alerts, chargebacks and rulings. */
export function disputeAppliers(rules: Pick<PaymentRules, 'disputeFees'>): DisputeAppliers {
  return {
    'dispute.alert': async (notice, operation, rows, at) => {
      const reported = await readReported(notice, operation, rows, at);
      return 'decision' in reported ? reported : applyAlert(reported, rows);
    },
    'dispute.opened': async (notice, operation, rows, at) => {
      const reported = await readReported(notice, operation, rows, at);
      return 'decision' in reported ? reported : applyChargeback(reported, rules, rows);
    },
    'dispute.closed': applyDisputeEnd,
  };
}
