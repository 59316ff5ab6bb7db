import { type ErrorCodeFacts, invalid } from './request-errors.ts';

/** Errors about disputes. */
export const DISPUTE_ERRORS = {
  charge_disputed: invalid(
    'The charge is disputed: its money is taken, or may be.',
    'Wait for the ruling, or accept the dispute; do not refund.',
  ),
  dispute_already_closed: invalid(
    'The dispute is decided, or its time to answer has passed.',
    'No answer is possible any more.',
  ),
  dispute_not_contestable: invalid(
    'The dispute cannot be answered: the issuer decided it when it was opened.',
    'No answer is possible; its money is gone.',
  ),
} as const satisfies Readonly<Record<string, ErrorCodeFacts>>;
