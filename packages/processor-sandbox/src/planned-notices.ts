import type { OperationId } from '@paymount/core/kernel';
import type { Notice, PlannedNotice } from '@paymount/core/payments';
import { REFUND_FAILED } from './decide.ts';
import { type Executed, SETTLE_AFTER_MS } from './executed.ts';
import { findCardByName, type TestCard } from './test-cards.ts';

/** What the sandbox reports later about an operation that it executed. */
interface Plan {
  readonly executes: Executed['kind'];
  /** Which cards it is about. */
  readonly of: (card: TestCard) => boolean;
  readonly afterMs: number;
  /** The kind of the notice, and what it says. */
  readonly say: (executed: Executed) => Pick<Notice, 'kind' | 'data'>;
}

const { code, message } = REFUND_FAILED;

/** All that is reported without being asked. A row for each behavior of a card. */
const PLANS: readonly Plan[] = [
  {
    executes: 'refund',
    of: ({ refund }) => refund === 'settle_later',
    afterMs: SETTLE_AFTER_MS,
    say: ({ amount, currency }) => ({ kind: 'refund.settled', data: { amount, currency } }),
  },
  {
    executes: 'refund',
    of: ({ refund }) => refund === 'return_later',
    afterMs: SETTLE_AFTER_MS,
    say: () => ({ kind: 'refund.failed', data: { code, message } }),
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
  const card = findCardByName(executed.card);
  const plans = PLANS.filter(({ executes, of }) => executes === executed.kind && card && of(card));
  return plans.map(({ afterMs, say }) => {
    const occurredAt = new Date(executed.at.getTime() + afterMs);
    const said = say(executed);
    const named = { operationId, processorReference: reference, occurredAt };
    const noticeId = `${said.kind}_${operationId}`;
    return { noticeId, dueAt: occurredAt, text: JSON.stringify({ noticeId, ...named, ...said }) };
  });
}
