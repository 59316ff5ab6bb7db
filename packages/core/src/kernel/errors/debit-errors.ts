import { type ErrorCodeFacts, invalid } from './request-errors.ts';

const bank = (meaning: string, cure: string): ErrorCodeFacts => ({
  type: 'card_error',
  status: 402,
  meaning,
  cure,
});

/** Errors of bank debits. Those of status 402 are what a bank said, most of them after days. */
export const DEBIT_ERRORS = {
  mandate_required: invalid(
    'The bank account may not be debited, because its holder has given no mandate.',
    'Create the payment method with `mandate_data`, once the holder has agreed.',
  ),
  bank_account_declined: bank(
    'The bank returned the debit.',
    'Ask the payer for another payment method.',
  ),
  bank_account_unusable: bank(
    'The number of the bank account is wrong, or it takes no debits.',
    'Ask the payer to check it, and create a new payment method.',
  ),
  bank_account_restricted: bank(
    'The bank account is frozen, or its holder has died.',
    'Ask the payer for another payment method.',
  ),
  account_closed: bank(
    'The bank account has been closed.',
    'Ask the payer for another payment method.',
  ),
  no_account: bank(
    'The bank has no account with this number, or of this holder.',
    'Ask the payer to check it, and create a new payment method.',
  ),
  debit_not_authorized: bank(
    'The holder of the bank account says that the debit was not authorized.',
    'Ask the payer; the payment method is blocked, so a new one with a new mandate is needed.',
  ),
} as const satisfies Readonly<Record<string, ErrorCodeFacts>>;
