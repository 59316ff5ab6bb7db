import type { ApiAnswer } from '../api-client.ts';
import { type Merchant, newNotice, type Setup } from './setup.ts';

/** What may be asked of one account at the same moment. */
const VERBS = ['refund', 'capture', 'cancel', 'chargeback', 'close', 'payout', 'detach'] as const;
export type Verb = (typeof VERBS)[number];

/** One pair of verbs, `a b`, in the order of `VERBS`. */
export type Pair = readonly [Verb, Verb];

/** How many calls of a verb were carried out; of chargebacks, how many disputes there are. */
export type Carried = Readonly<Partial<Record<Verb, number>>>;

const ONE_EACH = (a: Verb, b: Verb): Carried => ({ [a]: 1, [b]: 1 });

/**
 * What may come of each pair, whichever call comes first. Each charge is of 100, each payout of 60, and
 * each refund of 60; of an authorization, of 100. The account has 100 to be paid out.
 */
const PERMITTED: Readonly<Record<string, readonly Carried[]>> = {
  'refund refund': [{ refund: 1 }],
  'refund capture': [
    { refund: 1, capture: 0 },
    { refund: 0, capture: 1 },
    { refund: 1, capture: 1 },
  ],
  'refund cancel': [
    { refund: 1, cancel: 0 },
    { refund: 0, cancel: 1 },
  ],
  'refund chargeback': [
    { refund: 0, chargeback: 1 },
    { refund: 1, chargeback: 1 },
  ],
  'refund close': [{ refund: 0, close: 1 }],
  'refund payout': [
    { refund: 1, payout: 0 },
    { refund: 0, payout: 1 },
  ],
  'capture capture': [{ capture: 1 }],
  'capture cancel': [
    { capture: 1, cancel: 0 },
    { capture: 0, cancel: 1 },
  ],
  'cancel cancel': [{ cancel: 1 }],
  // The bank is mistaken: nothing was taken that could be disputed.
  'cancel chargeback': [{ cancel: 1, chargeback: 0 }],
  'chargeback chargeback': [{ chargeback: 1 }],
  'chargeback payout': [
    { chargeback: 1, payout: 0 },
    { chargeback: 1, payout: 1 },
  ],
  'close close': [{ close: 1 }],
  'payout payout': [{ payout: 1 }],
  'detach detach': [{ detach: 1 }],
};

/** What may come of a pair. @defaultValue each is carried out once */
export function permitted([a, b]: Pair): readonly Carried[] {
  return PERMITTED[`${a} ${b}`] ?? [ONE_EACH(a, b)];
}

/** All pairs, of a verb with itself too. */
export function allPairs(): readonly Pair[] {
  return VERBS.flatMap((a, index) => VERBS.slice(index).map((b) => [a, b] as const));
}

/** The objects that a race is about. */
export interface Target {
  readonly pair: Pair;
  readonly merchant: Merchant;
  readonly charge: string;
  /** The reference of the charge at the bank. */
  readonly reference: string;
  /** The one that is closed; it is of another charge if this one is only authorized. */
  readonly dispute: string;
  readonly method: string;
  readonly isAuthorized: boolean;
}

/** One call of a verb. */
export function call(setup: Setup, target: Target, verb: Verb): Promise<ApiAnswer> {
  const { merchant, charge, dispute, method, isAuthorized } = target;
  switch (verb) {
    case 'refund':
      return merchant.post('refunds', { charge, amount: isAuthorized ? 100 : 60 });
    case 'capture':
    case 'cancel':
      return merchant.post(`charges/${charge}/${verb}`);
    case 'chargeback':
      return setup.notify([chargebackOf(setup, target.reference)]);
    case 'close':
      return merchant.post(`disputes/${dispute}/close`);
    case 'payout':
      return merchant.post('payouts', { amount: 60, currency: 'eur' });
    case 'detach':
      return merchant.post(`payment_methods/${method}/detach`);
  }
}

/** The chargeback of a whole charge, always the same one. @param amount of the charge */
export function chargebackOf(setup: Setup, processorReference: string, amount = 100) {
  return newNotice(setup, {
    kind: 'dispute.opened',
    processorReference,
    data: {
      disputeReference: `case_${processorReference}`,
      amount,
      currency: 'eur',
      reason: 'fraudulent',
      contestable: true,
    },
  });
}

/** Whatever loses a race must be told so in these words. */
const LOST: Readonly<Record<Verb, readonly string[]>> = {
  refund: [
    'operation_in_progress',
    'refund_amount_exceeds_charge',
    'charge_already_refunded',
    'charge_not_refundable',
    'charge_disputed',
    'balance_insufficient',
  ],
  capture: ['operation_in_progress', 'charge_already_captured', 'status_transition_invalid'],
  cancel: ['operation_in_progress', 'status_transition_invalid'],
  chargeback: [],
  close: ['operation_in_progress', 'dispute_already_closed'],
  payout: ['balance_insufficient'],
  detach: ['payment_method_unusable', 'payment_method_unattached'],
};

/**
 * Whether an answer is one that the verb may have. On a busy machine a lock may take over three seconds,
 * of which nothing may come but that answer.
 */
export function isFair(verb: Verb, { status, code = '' }: ApiAnswer): boolean {
  if (status === 200 || (status === 429 && code === 'lock_timeout')) return true;
  return [400, 409].includes(status) && LOST[verb].includes(code);
}
