import assert from 'node:assert/strict';
import { isErrorCode } from '@paymount/core/kernel';
import type { NoticeData, NoticeKind } from '@paymount/core/payments';
import {
  type Condition,
  type Conditional,
  can,
  hasNotice,
  provided,
  type Test,
} from './conditions.ts';
import { expectSame } from './expectations.ts';
import type { NoticeSubject } from './fixtures.ts';
import { expectRefused, tampered } from './notices.ts';
import type { ProcessorSetup } from './setup.ts';
import { charged, disputed, paidOut, readAbout, refunded, sendAbout } from './subjects.ts';

/** The kinds that have cases here: those of charges are in the cases of sales and debits. */
type Kind = Exclude<NoticeKind, `charge.${string}`>;
type OfPayouts = Extract<Kind, `payout.${string}`>;

/** What an adapter must read from the notices of a kind. */
interface Expectation<Of extends Kind> {
  /** @defaultValue the fixtures say how the processor sends it */
  readonly conditions?: readonly Condition[];
  /** How many of them are read together. @defaultValue 2 */
  readonly count?: number;
  /** Makes what the processor then reports. */
  readonly make: (setup: ProcessorSetup, kind: Of) => Promise<NoticeSubject>;
  readonly check: (data: NoticeData[Of], subject: NoticeSubject) => void;
}

/** The cases of a kind. */
interface KindCases {
  readonly name: string;
  readonly reads: Conditional;
  readonly refuses: Conditional;
}

const KINDS: readonly KindCases[] = [
  about('refund.settled', 'with the amount of the refund', {
    conditions: [can('refunds'), hasNotice('refund.settled')],
    make: refund,
    check: expectMoney,
  }),
  about('refund.failed', 'with the code of the failure', {
    conditions: [can('refunds'), hasNotice('refund.failed')],
    make: refund,
    check: expectFailure,
  }),
  about('dispute.alert', 'with the amount', { make: charge, check: expectDispute }),
  about('dispute.opened', 'with the amount', { make: charge, check: expectDispute }),
  about('dispute.closed', 'with the reference that the dispute was opened with', {
    conditions: [hasNotice('dispute.closed'), hasNotice('dispute.opened')],
    make: (setup, kind) => disputed(setup, 'dispute.opened', setup.fixtures.notices?.[kind]?.of),
    check: (data, { disputeReference }) =>
      expectSame('ingest', data.disputeReference, disputeReference),
  }),
  about('payout.paid', 'with the payout that it is about', {
    conditions: [can('payouts'), hasNotice('payout.paid'), hasDestination('payout.paid')],
    make: payout,
    check: () => undefined,
  }),
  about('payout.failed', 'with the code of the failure', {
    conditions: [can('payouts'), hasNotice('payout.failed'), hasDestination('payout.failed')],
    make: payout,
    check: expectFailure,
  }),
  about('account_update', 'with what has changed', {
    // All cards of one token are updated by one notice.
    count: 1,
    make: charge,
    check: ({ processorToken: _, ...changed }) =>
      assert(Object.keys(changed).length > 0, 'An account_update says what has changed.'),
  }),
  about('settlement_line', 'with the gross amount', { make: charge, check: expectLine }),
];

/** A case for each kind of notice, and one for the signatures of them all. */
export const noticeKindCases: Readonly<Record<string, Conditional>> = {
  ...Object.fromEntries(KINDS.map(({ name, reads }) => [name, reads])),
  'refuses what nobody signed, whatever kind of notice it holds': {
    async leftOut(setup) {
      const reasons = await Promise.all(KINDS.map(({ refuses }) => refuses.leftOut(setup)));
      if (reasons.includes(undefined)) return undefined;
      return 'No notice can be read but those of charges.';
    },
    async test(setup) {
      for (const { refuses } of KINDS) {
        if ((await refuses.leftOut(setup)) === undefined) await refuses.test(setup);
      }
    },
  },
};

/** @param what ends the sentence "reads a notice of kind ... once" */
function about<Of extends Kind>(kind: Of, what: string, expectation: Expectation<Of>): KindCases {
  const { conditions = [hasNotice(kind)], count = 2, make, check } = expectation;
  const reads: Test = async (setup) => {
    const subjects: NoticeSubject[] = [];
    while (subjects.length < count) subjects.push(await make(setup, kind));
    const notices = await readAbout(setup, kind, subjects);
    for (const [index, { data }] of notices.entries()) {
      check(data, subjects[index] ?? assert.fail());
    }
  };
  const refuses: Test = async (setup) => {
    const sent = await sendAbout(setup, kind, [await make(setup, kind)]);
    await expectRefused(setup, tampered(sent));
  };
  return {
    name: `reads a notice of kind ${kind} once, ${what}`,
    reads: provided(conditions, reads),
    refuses: provided(conditions, refuses),
  };
}

function hasDestination(kind: OfPayouts): Condition {
  return async ({ fixtures: { destination, notices } }) =>
    (notices?.[kind]?.of ?? destination) === undefined
      ? 'The fixtures have no bank account `destination`.'
      : undefined;
}

function charge(setup: ProcessorSetup, kind: Exclude<Kind, OfPayouts>): Promise<NoticeSubject> {
  return charged(setup, setup.fixtures.notices?.[kind]?.of ?? setup.fixtures.approved);
}

function refund(setup: ProcessorSetup, kind: Exclude<Kind, OfPayouts>): Promise<NoticeSubject> {
  return refunded(setup, setup.fixtures.notices?.[kind]?.of ?? setup.fixtures.approved);
}

function payout(setup: ProcessorSetup, kind: OfPayouts): Promise<NoticeSubject> {
  const { destination, notices } = setup.fixtures;
  return paidOut(setup, notices?.[kind]?.of ?? destination ?? assert.fail());
}

type Money = Pick<NoticeSubject, 'amount' | 'currency'>;

function expectMoney({ amount, currency }: Money, expected: Money): void {
  expectSame(
    'ingest',
    { amount, currency },
    { amount: expected.amount, currency: expected.currency },
  );
}

function expectFailure({ code, message }: NoticeData['refund.failed']): void {
  assert(isErrorCode(code), `"${code}" is not in the table of errors.`);
  assert(message !== '', 'A failure has a message.');
}

/** The core books no dispute that takes more than the charge, or another currency. */
function expectDispute({ amount, currency }: Money, charge: Money): void {
  const isWithin = amount <= charge.amount && currency === charge.currency;
  const most = `at most ${charge.amount} ${charge.currency}`;
  assert(isWithin, `A dispute of the charge takes ${most}; it takes ${amount} ${currency}.`);
}

/** A fee stands beside the gross amount. A processor may settle in another currency. */
function expectLine({ amount, currency }: Money, charge: Money): void {
  if (currency === charge.currency) expectMoney({ amount, currency }, charge);
  else assert(amount > 0, 'The settlement line of a charge has an amount above 0.');
}
