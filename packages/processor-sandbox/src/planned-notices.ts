import type { OperationId } from '@paymount/core/kernel';
import type { Notice, PlannedNotice } from '@paymount/core/payments';
import { REFUND_FAILED } from './decide.ts';
import { doneAt, type Executed } from './executed.ts';
import { payoutBehavior } from './test-bank-accounts.ts';
import { findCardByName, type TestCard } from './test-cards.ts';
import type { Wait } from './timings.ts';

/** What the sandbox reports later about an operation that it executed. */
interface Plan {
  readonly executes: Executed['kind'];
  /** Whether it is about this card or bank account. */
  readonly of: (executed: Executed) => boolean;
  readonly after: Wait;
  /** The kind of the notice, and what it says. */
  readonly say: (executed: Executed) => Pick<Notice, 'kind' | 'data'>;
}

const { code, message } = REFUND_FAILED;

const refunds =
  (does: TestCard['refund']): Plan['of'] =>
  ({ card }) =>
    findCardByName(card)?.refund === does;
/** In the time that everybody shares, a look-up finds the outcome of a payout. */
const paysOnClock =
  (does: 'pay' | 'fail'): Plan['of'] =>
  ({ card, clock }) =>
    clock !== undefined && payoutBehavior(card).does === does;

/** All that is reported without being asked. A row for each behavior of a card. */
const PLANS: readonly Plan[] = [
  {
    executes: 'refund',
    of: refunds('settle_later'),
    after: 'refund',
    say: ({ amount, currency }) => ({ kind: 'refund.settled', data: { amount, currency } }),
  },
  {
    executes: 'refund',
    of: refunds('return_later'),
    after: 'refund_return',
    say: () => ({ kind: 'refund.failed', data: { code, message } }),
  },
  {
    executes: 'refund',
    // In the time that everybody shares, a look-up finds it.
    of: (executed) => executed.clock !== undefined && refunds('fail_later')(executed),
    after: 'refund',
    say: () => ({ kind: 'refund.failed', data: { code, message } }),
  },
  {
    executes: 'payout',
    of: paysOnClock('pay'),
    after: 'payout',
    say: () => ({ kind: 'payout.paid', data: {} }),
  },
  {
    executes: 'payout',
    of: paysOnClock('fail'),
    after: 'payout',
    say: ({ card }) => ({ kind: 'payout.failed', data: payoutRefusal(card) }),
  },
];

/**
 * The notices about an operation, a pure function of what was executed. They say what a look-up says
 * from then on.
 * @param reference the processor reference of the operation
 */
export function planNotices(
  executed: Executed,
  operationId: OperationId,
  reference: string,
): readonly PlannedNotice[] {
  const { kind, clock } = executed;
  const plans = PLANS.filter(({ executes, of }) => executes === kind && of(executed));
  return plans.map(({ after, say }) => {
    const occurredAt = doneAt(executed, after);
    const said = say(executed);
    const named = { operationId, processorReference: reference, occurredAt };
    const noticeId = `${said.kind}_${operationId}`;
    const text = JSON.stringify({ noticeId, ...named, ...said });
    return { noticeId, dueAt: occurredAt, text, ...(clock === undefined ? {} : { clock }) };
  });
}

/** Why payouts to a bank account fail. */
function payoutRefusal(name: string): { readonly code: string; readonly message: string } {
  const behavior = payoutBehavior(name);
  if (behavior.does !== 'fail') throw new TypeError(`Payouts to ${name} do not fail.`);
  return { code: behavior.decline.code, message: behavior.decline.message };
}
