import fc from 'fast-check';
import type { Answer, Currency } from './objects.ts';
import { INTERVALS, type Schedule } from './payout-plan.ts';

/**
 * `pick` chooses among the objects that there are; `percent` is of the whole or of the rest. No step
 * has charges that no line settles within a week, notes that settle differences, lines without an
 * operation, files of evidence, suspended accounts, or automatic payouts in a second currency.
 */
export type Step =
  | {
      readonly do: 'charge';
      readonly amount: number;
      readonly isManual: boolean;
      readonly answer: Answer;
      readonly fee: number;
      readonly payer: 'token' | 'method' | 'customer' | 'clock';
      readonly pick: number;
      readonly isTwice: boolean;
    }
  | {
      readonly do: 'capture';
      readonly pick: number;
      readonly percent: number;
      readonly answer: Answer;
    }
  | { readonly do: 'cancel'; readonly pick: number; readonly answer: Answer }
  | {
      readonly do: 'refund';
      readonly pick: number;
      readonly percent: number;
      readonly answer: Answer;
      readonly isHosts: boolean;
      readonly isTwice: boolean;
    }
  | { readonly do: 'cancelRefund'; readonly pick: number }
  | {
      readonly do: 'adjust';
      readonly kind: 'reserve' | 'release' | 'write_off';
      readonly currency: Currency;
      readonly percent: number;
    }
  | { readonly do: 'alert'; readonly pick: number; readonly percent: number }
  | {
      readonly do: 'chargeback';
      readonly pick: number;
      readonly percent: number;
      readonly isContestable: boolean;
    }
  | { readonly do: 'escalate'; readonly pick: number; readonly percent: number }
  | {
      readonly do: 'rule';
      readonly pick: number;
      readonly outcome: 'won' | 'lost' | 'warning_closed';
    }
  | {
      readonly do: 'shuffled';
      readonly pick: number;
      readonly percent: number;
      readonly outcome: 'won' | 'lost';
    }
  | {
      readonly do: 'evidence';
      readonly pick: number;
      readonly how: 'sent' | 'stored' | 'submitted';
      readonly text: number;
      readonly answer: Answer;
    }
  | { readonly do: 'close'; readonly pick: number; readonly answer: Answer }
  | {
      readonly do: 'payout';
      readonly pick: number;
      readonly bank: number;
      readonly percent: number;
      readonly answer: Answer;
      readonly afterMs: number;
      readonly isTwice: boolean;
    }
  | {
      readonly do: 'debit';
      readonly amount: number;
      readonly isSaved: boolean;
      readonly answer: Answer;
      readonly isTwice: boolean;
    }
  | { readonly do: 'returned'; readonly pick: number; readonly returnCode: string }
  | { readonly do: 'newClock'; readonly ms: number }
  | { readonly do: 'advance'; readonly pick: number; readonly ms: number }
  | { readonly do: 'cancelPayout'; readonly pick: number }
  | {
      readonly do: 'payoutPlan';
      readonly interval: Schedule['interval'];
      readonly day: number;
      readonly delayDays: number;
      readonly isEnabled: boolean;
      readonly answer: Answer;
    }
  | { readonly do: 'addBank'; readonly isDefault: boolean }
  | { readonly do: 'defaultBank'; readonly pick: number }
  | { readonly do: 'deleteBank'; readonly pick: number }
  | { readonly do: 'restoreBank'; readonly pick: number }
  | { readonly do: 'attach'; readonly pick: number; readonly isBank: boolean }
  | { readonly do: 'detach'; readonly pick: number }
  | { readonly do: 'defaultMethod'; readonly pick: number; readonly isUnset: boolean }
  | {
      readonly do: 'renewed';
      readonly pick: number;
      readonly last4: number;
      readonly agoMs: number;
    }
  | { readonly do: 'deleteCustomer'; readonly pick: number }
  | {
      readonly do: 'settlement';
      readonly pick: number;
      readonly percent: number;
      readonly fee: number;
      readonly isTwice: boolean;
    }
  | {
      readonly do: 'subscribe';
      readonly pick: number;
      readonly amount: number;
      readonly quantity: number;
      readonly interval: 'day' | 'week' | 'month';
      readonly trialDays: number;
      readonly isTried: boolean;
      readonly answer: Answer;
      readonly isTwice: boolean;
    }
  | {
      readonly do: 'changeSubscription';
      readonly pick: number;
      readonly quantity: number;
      readonly behavior: 'create_prorations' | 'always_invoice' | 'none';
      readonly answer: Answer;
      readonly isTwice: boolean;
    }
  | {
      readonly do: 'cancelSubscription';
      readonly pick: number;
      readonly how: 'now' | 'prorate' | 'invoice_now' | 'period_end' | 'not';
    }
  | {
      readonly do: 'pauseSubscription';
      readonly pick: number;
      readonly behavior: 'void' | 'keep_as_draft' | 'mark_uncollectible' | 'resume';
    }
  | {
      readonly do: 'payInvoice';
      readonly pick: number;
      readonly how: 'charge' | 'elsewhere' | 'void';
      readonly answer: Answer;
      readonly isTwice: boolean;
    }
  | { readonly do: 'cardFails'; readonly pick: number }
  | { readonly do: 'tell'; readonly pick: number }
  | { readonly do: 'giveBack'; readonly pick: number }
  | { readonly do: 'resend'; readonly picks: readonly number[] }
  | { readonly do: 'pass'; readonly ms: number };

export type Of<Do extends Step['do']> = Extract<Step, { do: Do }>;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const pick = fc.nat({ max: 19 });
const percent = fc.oneof(fc.constant(100), fc.integer({ min: 1, max: 110 }));
const amount = fc.integer({ min: 1, max: 5_000 });
/** Of the bank, often none. */
const fee = fc.constantFrom(0, 0, 7, 30);
const isTwice = fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true));
const answer: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 9, arbitrary: fc.constant<Answer>({ verdict: 'approved', isSilent: false }) },
  fc.constant<Answer>({ verdict: 'declined', isSilent: false }),
  fc.constant<Answer>({ verdict: 'approved', isSilent: true }),
  fc.constant<Answer>({ verdict: 'declined', isSilent: true }),
);
/** No sum of a few of them meets a due time to the minute. */
const ms = fc.constantFrom(61_000, 67 * MINUTE, 25 * HOUR, 4 * DAY + 2 * HOUR, 8 * DAY, 21 * DAY);
const afterMs = fc.constantFrom(0, 0, HOUR);
const outcome = fc.constantFrom('won' as const, 'lost' as const);

function step<Do extends Step['do']>(
  weight: number,
  what: Do,
  more: {
    readonly [Key in keyof Omit<Extract<Step, { do: Do }>, 'do'>]: fc.Arbitrary<
      Extract<Step, { do: Do }>[Key]
    >;
  },
): fc.WeightedArbitrary<Step> {
  const arbitrary = fc.record({ do: fc.constant(what), ...more }) as unknown as fc.Arbitrary<Step>;
  return { weight, arbitrary };
}

/** One step. */
const anyStep = fc.oneof(
  step(20, 'charge', {
    amount,
    isManual: isTwice,
    answer,
    fee,
    payer: fc.constantFrom('token', 'token', 'token', 'method', 'customer', 'clock'),
    pick,
    isTwice,
  }),
  step(5, 'capture', { pick, percent, answer }),
  step(2, 'cancel', { pick, answer }),
  step(8, 'refund', { pick, percent, answer, isHosts: fc.boolean(), isTwice }),
  step(5, 'cancelRefund', { pick }),
  step(5, 'adjust', {
    kind: fc.constantFrom('reserve', 'release', 'write_off'),
    currency: fc.constantFrom('eur', 'eur', 'usd'),
    percent,
  }),
  step(3, 'alert', { pick, percent }),
  step(5, 'chargeback', { pick, percent, isContestable: fc.boolean() }),
  step(3, 'escalate', { pick, percent }),
  step(3, 'rule', { pick, outcome: fc.constantFrom('won', 'lost', 'warning_closed') }),
  step(2, 'shuffled', { pick, percent, outcome }),
  step(6, 'evidence', {
    pick,
    how: fc.constantFrom('sent', 'sent', 'stored', 'submitted'),
    text: fc.nat({ max: 99 }),
    answer,
  }),
  step(2, 'close', { pick, answer }),
  step(7, 'payout', { pick, bank: pick, percent, answer, afterMs, isTwice }),
  step(4, 'debit', { amount, isSaved: fc.boolean(), answer, isTwice }),
  step(2, 'returned', { pick, returnCode: fc.constantFrom('R01', 'R10') }),
  step(2, 'newClock', { ms: fc.constantFrom(-30 * DAY, 0, 30 * DAY) }),
  step(5, 'advance', { pick, ms }),
  step(4, 'cancelPayout', { pick }),
  step(4, 'payoutPlan', {
    interval: fc.constantFrom(...INTERVALS, 'daily'),
    day: fc.nat({ max: 30 }),
    delayDays: fc.constantFrom(0, 2, 5),
    isEnabled: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
    answer,
  }),
  step(2, 'addBank', { isDefault: fc.boolean() }),
  step(1, 'defaultBank', { pick }),
  step(1, 'deleteBank', { pick }),
  step(2, 'restoreBank', { pick }),
  step(4, 'attach', { pick, isBank: isTwice }),
  step(1, 'detach', { pick }),
  step(3, 'defaultMethod', { pick, isUnset: isTwice }),
  step(2, 'renewed', { pick, last4: fc.integer({ min: 1000, max: 9999 }), agoMs: afterMs }),
  step(1, 'deleteCustomer', { pick }),
  step(4, 'settlement', { pick, percent, fee, isTwice }),
  step(7, 'subscribe', {
    pick,
    amount,
    quantity: fc.nat({ max: 3 }),
    interval: fc.constantFrom('day', 'week', 'month'),
    trialDays: fc.constantFrom(0, 0, 3),
    isTried: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
    answer,
    isTwice,
  }),
  step(7, 'changeSubscription', {
    pick,
    quantity: fc.nat({ max: 3 }),
    behavior: fc.constantFrom('create_prorations', 'create_prorations', 'always_invoice', 'none'),
    answer,
    isTwice,
  }),
  step(3, 'cancelSubscription', {
    pick,
    how: fc.constantFrom('now', 'prorate', 'invoice_now', 'period_end', 'not'),
  }),
  step(3, 'pauseSubscription', {
    pick,
    behavior: fc.constantFrom('void', 'keep_as_draft', 'mark_uncollectible', 'resume', 'resume'),
  }),
  step(6, 'payInvoice', {
    pick,
    how: fc.constantFrom('charge', 'charge', 'elsewhere', 'void'),
    answer,
    isTwice,
  }),
  step(4, 'cardFails', { pick }),
  step(4, 'tell', { pick }),
  step(3, 'giveBack', { pick }),
  step(3, 'resend', { picks: fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 5 }) }),
  step(14, 'pass', { ms }),
);

const APPROVED: Answer = { verdict: 'approved', isSilent: false };
const SALE: Step = {
  do: 'charge',
  amount: 4_000,
  isManual: false,
  answer: APPROVED,
  fee: 7,
  payer: 'token',
  pick: 0,
  isTwice: false,
};
const PLAN: Step = {
  do: 'subscribe',
  pick: 1,
  amount: 3_100,
  quantity: 1,
  interval: 'week',
  trialDays: 0,
  isTried: true,
  answer: APPROVED,
  isTwice: false,
};
const DAILY: Step = {
  do: 'payoutPlan',
  interval: 'daily',
  day: 0,
  delayDays: 0,
  isEnabled: true,
  answer: APPROVED,
};
/** How some sequences begin: with funds, or with sales that a schedule pays out. */
const OPENINGS: readonly (readonly Step[])[] = [
  [],
  [SALE, SALE, { do: 'pass', ms: 4 * DAY }],
  [DAILY, SALE, SALE],
  [SALE, PLAN, { ...PLAN, trialDays: 3 }],
];

/** Sequences of at most 60 steps; the first are as long as the last. */
export const anySteps: fc.Arbitrary<readonly Step[]> = fc.noBias(
  fc
    .tuple(
      fc.constantFrom(...OPENINGS),
      fc.array(anyStep, { minLength: 20, maxLength: 57, size: 'max' }),
    )
    .map(([opening, steps]) => [...opening, ...steps]),
);
