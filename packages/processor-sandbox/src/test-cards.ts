/** What a card does when it is charged; what refunds of it do is in `refund`. */
export type ChargeBehavior =
  | { readonly does: 'approve' }
  /** Approved, and its funds are available at once. */
  | { readonly does: 'approve_early' }
  | { readonly does: 'decline'; readonly decline: Decline }
  /** Blocked by risk before it reached the issuer. */
  | { readonly does: 'block'; readonly decline: Decline }
  /** Executed, but no answer comes before the deadline. */
  | { readonly does: 'approve_silently' }
  | { readonly does: 'decline_silently'; readonly decline: Decline }
  /** No answer, not even to a look-up. */
  | { readonly does: 'vanish' }
  /** Certainly not sent. */
  | { readonly does: 'not_sent' }
  /** Approved, but of another amount than asked. */
  | { readonly does: 'tamper' }
  /** Declined until the third attempt. */
  | { readonly does: 'recover'; readonly decline: Decline };

/** How an issuer says no. */
export interface Decline {
  /** A card code of the error table. */
  readonly code: string;
  readonly declineCode: string;
  readonly message: string;
  readonly retry: 'never' | 'later' | 'customer';
}

/** One published test card. */
export interface TestCard {
  /** The `x` of `tok_x` and `pm_card_x`. */
  readonly name: string;
  /** Absent when the card has no number and is only a token. */
  readonly number?: string;
  readonly brand: string;
  readonly funding: 'credit' | 'debit' | 'prepaid';
  readonly charge: ChargeBehavior;
  /** @defaultValue 'approve' */
  readonly refund?: 'approve' | 'settle_later' | 'fail_later' | 'return_later';
}

const DECLINED = 'Your card was declined.';
const approve: ChargeBehavior = { does: 'approve' };

function card(declineCode: string, retry: Decline['retry'], message: string = DECLINED): Decline {
  return { code: 'card_declined', declineCode, message, retry };
}

function coded(code: string, retry: Decline['retry'], message: string): Decline {
  return { code, declineCode: code, message, retry };
}

const GENERIC = card('generic_decline', 'later');
const INSUFFICIENT = card('insufficient_funds', 'later', 'Your card has insufficient funds.');

/** A Visa credit card of the published table, which gives the last four digits. */
function visa(last4: string, name: string, charge: ChargeBehavior, refund?: TestCard['refund']) {
  const facts = { name, number: `400000000000${last4}`, brand: 'visa', charge } as const;
  return { ...facts, funding: 'credit', ...(refund === undefined ? {} : { refund }) } as const;
}

function decline(decision: Decline): ChargeBehavior {
  return { does: 'decline', decline: decision };
}

/** A token without a number, for what no card does. */
function token(name: string, charge: ChargeBehavior): TestCard {
  return { name, brand: 'visa', funding: 'credit', charge };
}

function brand(number: string, name: string, funding: TestCard['funding'] = 'credit'): TestCard {
  return { name, number, brand: name.split('_')[0] ?? name, funding, charge: approve };
}

/** Every card that the sandbox knows. No other number is taken. */
export const TEST_CARDS: readonly TestCard[] = [
  brand('4242424242424242', 'visa'),
  brand('4000056655665556', 'visa_debit', 'debit'),
  brand('5555555555554444', 'mastercard'),
  brand('5200828282828210', 'mastercard_debit', 'debit'),
  brand('5105105105105100', 'mastercard_prepaid', 'prepaid'),
  brand('378282246310005', 'amex'),
  brand('6011111111111117', 'discover'),
  brand('3056930009020004', 'diners'),
  brand('3566002020360505', 'jcb'),
  brand('6200000000000005', 'unionpay'),

  visa('0002', 'visa_chargeDeclined', decline(GENERIC)),
  visa('9995', 'visa_chargeDeclinedInsufficientFunds', decline(INSUFFICIENT)),
  visa('9987', 'visa_chargeDeclinedLostCard', decline(card('lost_card', 'never'))),
  visa('9979', 'visa_chargeDeclinedStolenCard', decline(card('stolen_card', 'never'))),
  visa(
    '6975',
    'visa_chargeDeclinedVelocityLimitExceeded',
    decline(card('card_velocity_exceeded', 'later')),
  ),
  visa(
    '0069',
    'chargeDeclinedExpiredCard',
    decline(coded('expired_card', 'customer', 'Your card has expired.')),
  ),
  visa(
    '0127',
    'chargeDeclinedIncorrectCvc',
    decline(coded('incorrect_cvc', 'customer', "Your card's security code is incorrect.")),
  ),
  visa(
    '0119',
    'chargeDeclinedProcessingError',
    decline(coded('processing_error', 'later', 'An error occurred while processing your card.')),
  ),
  visa('0341', 'chargeCustomerFail', decline(GENERIC)),
  {
    name: 'radarBlock',
    number: '4100000000000019',
    brand: 'visa',
    funding: 'credit',
    charge: { does: 'block', decline: card('fraudulent', 'never') },
  },
  {
    name: 'authenticationRequired',
    number: '4000002500003155',
    brand: 'visa',
    funding: 'credit',
    charge: decline(
      coded('authentication_required', 'customer', 'Your card needs authentication.'),
    ),
  },

  // `planned-disputes.ts` says what their issuers report.
  visa('0259', 'createDispute', approve),
  visa('2685', 'createDisputeProductNotReceived', approve),
  visa('1976', 'createDisputeInquiry', approve),
  token('alert_then_chargeback', approve),

  visa('0077', 'bypassPending', { does: 'approve_early' }),
  visa('7726', 'pendingRefund', approve, 'settle_later'),
  visa('5126', 'refundFail', approve, 'return_later'),
  { ...token('refundRejected', approve), refund: 'fail_later' },

  token('timeout_approved', { does: 'approve_silently' }),
  token('timeout_declined', { does: 'decline_silently', decline: GENERIC }),
  token('unknown_forever', { does: 'vanish' }),
  token('not_sent', { does: 'not_sent' }),
  token('amount_tampered', { does: 'tamper' }),
  token('recovers_on_attempt_3', { does: 'recover', decline: INSUFFICIENT }),

  // `turns.ts` says what these do from the second charge on, or when the payer is absent.
  token('declined_from_charge_2', approve),
  token('expired_from_charge_2', approve),
  token('lost_from_charge_2', approve),
  token('recovers_on_charge_3', approve),
  token('authentication_required_off_session', approve),
];

const byName = new Map(TEST_CARDS.map((known) => [known.name, known]));
const byNumber = new Map(TEST_CARDS.map((known) => [known.number, known]));

/** The card of a `tok_x` or `pm_card_x`, if there is one. */
export function findCardByToken(text: string): TestCard | undefined {
  const [, name] = /^(?:tok|pm_card)_(.+)$/.exec(text) ?? [];
  return name === undefined ? undefined : byName.get(name);
}

/** The card of a number without spaces, if it is a published one. */
export function findCardByNumber(number: string): TestCard | undefined {
  return byNumber.get(number);
}

/** The card of a stored name, if there is one. */
export function findCardByName(name: string): TestCard | undefined {
  return byName.get(name);
}
