import type { BalanceTransaction } from '../../api/resources.ts';

export const TYPES: Readonly<Record<BalanceTransaction['type'], string>> = {
  charge: 'Charge',
  payment: 'Bank debit',
  refund: 'Refund',
  refund_failure: 'Refund that came back',
  payout: 'Payout',
  payout_failure: 'Payout that came back',
  payout_cancel: 'Canceled payout',
  adjustment: 'Dispute',
};
