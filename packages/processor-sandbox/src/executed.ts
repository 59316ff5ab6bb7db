import { parseId, type TestClockId } from '@paymount/core/kernel';
import { OPERATION_KINDS, type OperationKind } from '@paymount/core/payments';
import { type Wait, waitMs } from './timings.ts';

/** What the sandbox executed: the facts that decide every later answer about it. */
export interface Executed {
  readonly kind: OperationKind;
  /**
   * The name of the test card or bank account, or the fault that took its place; of evidence, what it
   * says.
   */
  readonly card: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly attempt: number;
  readonly at: Date;
  /** The test clock whose time `at` is. */
  readonly clock?: TestClockId;
}

/** When something that takes time is done. @param times how often it takes place, one after another */
export function doneAt({ at, clock }: Executed, wait: Wait, times = 1): Date {
  return new Date(at.getTime() + times * waitMs(wait, clock));
}

/** When a bank returns a payout: as long after it got it as it took to get it. */
export function returnedAt(executed: Executed): Date {
  return doneAt(executed, 'payout', 2);
}

// An automatic payout may be larger than any charge.
const FORM = /^1 ([a-z_]+) (\w+) (\d{1,15}) ([a-z]{3}) (\d{1,6}) (\d{1,15})(?: (clock_\w+))?$/;

/**
 * The record as it is remembered: `1 authorize visa 4200 eur 1 1795253405000`, and the test clock if
 * there is one.
 */
export function writeExecuted(executed: Executed): string {
  const { kind, card, amount, currency, attempt, at, clock } = executed;
  const on = clock === undefined ? '' : ` ${clock}`;
  return `1 ${kind} ${card} ${amount} ${currency} ${attempt} ${at.getTime()}${on}`;
}

/** Reads a remembered record. @throws Error when another program wrote it */
export function readExecuted(record: string): Executed {
  const [, kindText, card = '', amount, currency = '', attempt, at, clockText] =
    FORM.exec(record) ?? [];
  const clock = parseId('clock', clockText);
  const kind = OPERATION_KINDS.find((known) => known === kindText);
  if (kind === undefined) throw new Error('The sandbox cannot read what it remembers.');
  return {
    kind,
    card,
    amount: Number(amount),
    currency,
    attempt: Number(attempt),
    at: new Date(Number(at)),
    ...(clock === undefined ? {} : { clock }),
  };
}
