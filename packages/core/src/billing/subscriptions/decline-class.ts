/**
 * Why an attempt failed, as far as it decides when the next one is made.
 * retry:    the payment may go through later
 * limited:  the issuer gave no reason, or it is a debit; two more attempts are made
 * customer: the customer has to do something, such as name another card
 * never:    the issuer forbids further attempts; the payer does not learn why
 */
export type DeclineClass = (typeof DECLINE_CLASSES)[number];
export const DECLINE_CLASSES = ['retry', 'limited', 'customer', 'never'] as const;

/** What is known about a failed attempt. */
export interface FailedAttempt {
  /** Of the error; of a debit: the reason of its return. */
  readonly code: string;
  /** What the issuer said. */
  readonly declineCode?: string;
  readonly isDebit?: true;
}

const RETRY = [
  'insufficient_funds',
  'try_again_later',
  'processing_error',
  'issuer_not_available',
  'reenter_transaction',
  'approve_with_id',
  'card_velocity_exceeded',
  'withdrawal_count_limit_exceeded',
] as const;

const CUSTOMER = [
  'authentication_required',
  'expired_card',
  'incorrect_cvc',
  'incorrect_zip',
  'card_not_supported',
  'currency_not_supported',
  'call_issuer',
  'transaction_not_allowed',
  'invalid_amount',
  'pin_try_exceeded',
  'incorrect_number',
  'invalid_cvc',
  'invalid_expiry_month',
  'invalid_expiry_year',
  'payment_method_unusable',
  'mandate_required',
  'operation_not_supported',
  'invalid_currency',
] as const;

const NEVER = [
  'stolen_card',
  'lost_card',
  'pickup_card',
  'restricted_card',
  'fraudulent',
  'revocation_of_authorization',
  'revocation_of_all_authorizations',
  'stop_payment_order',
  'do_not_try_again',
  'invalid_account',
  'merchant_blacklist',
] as const;

const CLASSES: ReadonlyMap<string, DeclineClass> = new Map<string, DeclineClass>([
  ...RETRY.map((code) => [code, 'retry'] as const),
  ...CUSTOMER.map((code) => [code, 'customer'] as const),
  ...NEVER.map((code) => [code, 'never'] as const),
]);

/** The days after the first failure on which each class is attempted again. */
export const RETRY_DAYS: Readonly<Record<DeclineClass, readonly number[]>> = {
  retry: [1, 3, 5, 7],
  limited: [1, 3],
  customer: [],
  never: [],
};

/** Days after the first failure when collection ends, whatever the class. */
export const GIVE_UP_DAYS = 7;

/**
 * The class of a failed attempt. The code of the issuer counts before that of the error. A debit is
 * attempted again only after a lack of funds, and only twice (Nacha Operating Rules, reinitiation of
 * entries).
 * @param failure null: there was no payment method, which only the customer can change
 */
export function declineClassOf(failure: FailedAttempt | null): DeclineClass {
  if (failure === null) return 'customer';
  const { code, declineCode = code, isDebit } = failure;
  if (isDebit) return code === 'insufficient_funds' ? 'limited' : 'customer';
  return CLASSES.get(declineCode) ?? CLASSES.get(code) ?? 'limited';
}

/**
 * The cards that may not be tried again, with the one that was tried if its issuer forbade it.
 * @param before as they are named, those that may not be tried already
 * @param card what was tried; null: no card
 */
export function withForbidden(
  before: readonly string[] | undefined,
  declineClass: DeclineClass,
  card: string | null,
): { readonly forbidden?: readonly string[] } {
  if (declineClass !== 'never' || card === null) {
    return before === undefined ? {} : { forbidden: before };
  }
  return { forbidden: [...new Set([...(before ?? []), card])] };
}
