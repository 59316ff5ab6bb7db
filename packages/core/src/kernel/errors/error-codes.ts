import { ACCESS_ERRORS } from './access-errors.ts';
import { BILLING_ERRORS } from './billing-errors.ts';
import { DEBIT_ERRORS } from './debit-errors.ts';
import { DISPUTE_ERRORS } from './dispute-errors.ts';
import { EVENT_ERRORS } from './event-errors.ts';
import { OAUTH_ERRORS } from './oauth-errors.ts';
import { OPERATION_ERRORS } from './operation-errors.ts';
import { PAYOUT_ERRORS } from './payout-errors.ts';
import { type ErrorCodeFacts, REQUEST_ERRORS } from './request-errors.ts';
import { TEST_CLOCK_ERRORS } from './test-clock-errors.ts';

export type { ErrorType } from './request-errors.ts';

const card = (meaning: string, cure: string): ErrorCodeFacts => ({
  type: 'card_error',
  status: 402,
  meaning,
  cure,
});
const idempotency = (meaning: string, cure: string, status = 400): ErrorCodeFacts => ({
  type: 'idempotency_error',
  status,
  meaning,
  cure,
});
const api = (status: number, meaning: string, cure: string): ErrorCodeFacts => ({
  type: 'api_error',
  status,
  meaning,
  cure,
});

/**
 * The one table of errors. It defines the `ErrorCode` type, the status of each answer, and the docs
 * page `docs/reference/errors.md`.
 */
export const ERROR_CODES = {
  ...REQUEST_ERRORS,
  ...DISPUTE_ERRORS,
  ...EVENT_ERRORS,
  ...OPERATION_ERRORS,
  ...PAYOUT_ERRORS,
  ...DEBIT_ERRORS,
  ...BILLING_ERRORS,
  ...TEST_CLOCK_ERRORS,
  ...OAUTH_ERRORS,
  idempotency_key_mismatch: idempotency(
    'The `Idempotency-Key` was used with other parameters or on another route.',
    'Use a new key for a new request.',
  ),
  idempotency_key_invalid: idempotency(
    'The `Idempotency-Key` is not 1-255 printable ASCII characters, or holds a credential.',
    'Send a random UUID.',
  ),
  idempotency_key_in_use: idempotency(
    'A request with this `Idempotency-Key` is still running.',
    'Try again in a second.',
    409,
  ),
  idempotency_credential_mismatch: idempotency(
    'Another credential made the request under this `Idempotency-Key`, and its answer shows a secret.',
    'Send a new key, or rotate the secret; only the credential that made the request may replay it.',
  ),
  ...ACCESS_ERRORS,
  card_declined: card(
    'The issuer declined the card.',
    'Ask the payer for another payment method; `decline_code` says more.',
  ),
  expired_card: card('The card has expired.', 'Ask the payer for another card.'),
  incorrect_cvc: card('The security code does not match.', 'Ask the payer to check it.'),
  invalid_cvc: card(
    'The security code has the wrong number of digits.',
    'Send 3 digits (American Express 4).',
  ),
  incorrect_number: card('The card number is not valid.', 'Ask the payer to check it.'),
  invalid_expiry_month: card('The expiry month is not 1-12.', 'Ask the payer to check it.'),
  invalid_expiry_year: card('The card expires in the past.', 'Ask the payer to check it.'),
  processing_error: card('The processor failed while it handled the payment.', 'Try again later.'),
  authentication_required: card(
    'The issuer requires the payer to authenticate.',
    'Use a payment method that needs no authentication.',
  ),
  insufficient_funds: card(
    'The account of the payment method has insufficient funds.',
    'Ask the payer for another payment method.',
  ),
  internal_error: api(
    500,
    'Something failed on our side.',
    'Try again with the same `Idempotency-Key`.',
  ),
  processor_error: api(
    502,
    'The processor could not be reached; nothing was sent.',
    'Try again with a new `Idempotency-Key`.',
  ),
  raw_body_unavailable: api(
    503,
    'The raw bytes of the body are not available, so its signature cannot be checked.',
    'Mount the router before body parsers, or keep the bytes in `req.rawBody`.',
  ),
  bodies_busy: api(
    503,
    'The requests and answers of all callers that are in progress have as many bytes as the process may hold.',
    'Try again in a second.',
  ),
  lists_busy: api(503, 'All connections for reading lists are in use.', 'Try again in a second.'),
  unavailable: api(
    503,
    'The service cannot reach its database or its sealing keys, or is shutting down.',
    'Try again with the same `Idempotency-Key`.',
  ),
} as const satisfies Record<string, ErrorCodeFacts>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The row of a code in the table. */
export function errorFacts(code: ErrorCode): ErrorCodeFacts {
  return ERROR_CODES[code];
}

/** Whether a text from elsewhere (an adapter, a stored row) is a code in the table. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERROR_CODES, text);
}
