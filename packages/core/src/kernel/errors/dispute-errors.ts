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
  file_limit_reached: invalid(
    'The account has too many files that no evidence of a dispute names: they are at most 1,000, and have at most 100 MB together.',
    'Name them in the evidence of disputes, or wait until they are deleted, 60 days after their upload.',
  ),
  dispute_not_contestable: invalid(
    'The dispute cannot be answered: the issuer decided it when it was opened.',
    'No answer is possible; its money is gone.',
  ),
} as const satisfies Readonly<Record<string, ErrorCodeFacts>>;
