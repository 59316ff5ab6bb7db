import { invalid } from './request-errors.ts';

/** Errors of payouts and of the bank accounts that they go to. */
export const PAYOUT_ERRORS = {
  currency_mismatch: invalid(
    'Two objects of the request have different currencies.',
    'Use objects of one currency.',
  ),
  payouts_not_allowed: invalid(
    'The account has no bank account that payouts in this currency may go to, or its payouts are stopped.',
    'Add a bank account or make another one the default; if payouts are stopped, ask the operator.',
  ),
  routing_number_invalid: invalid(
    'The routing number is not one of a bank in the US.',
    'Send the nine digits that the bank gives for transfers.',
  ),
  test_number_required: invalid(
    'The test environment takes only the published test bank accounts.',
    'Use routing number 110000000 with account number 000123456789.',
  ),
  bank_account_limit_reached: invalid(
    'The account has 50 bank accounts in this environment.',
    'Delete one that is not used.',
  ),
} as const;
