import { OPERATION_KINDS, type OperationKind } from '@paymount/core/payments';

/** How long what the sandbox does later takes. */
export const SETTLE_AFTER_MS = 2_000;
/** After how long a bank returns a payout that it got two seconds before. */
export const RETURN_AFTER_MS = 2 * SETTLE_AFTER_MS;

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
}

// An automatic payout may be larger than any charge.
const FORM = /^1 ([a-z_]+) (\w+) (\d{1,15}) ([a-z]{3}) (\d{1,6}) (\d{1,15})$/;

/** The record as it is remembered: `1 authorize visa 4200 eur 1 1795253405000`. */
export function writeExecuted({ kind, card, amount, currency, attempt, at }: Executed): string {
  return `1 ${kind} ${card} ${amount} ${currency} ${attempt} ${at.getTime()}`;
}

/** Reads a remembered record. @throws Error when another program wrote it */
export function readExecuted(record: string): Executed {
  const [, kindText, card = '', amount, currency = '', attempt, at] = FORM.exec(record) ?? [];
  const kind = OPERATION_KINDS.find((known) => known === kindText);
  if (kind === undefined) throw new Error('The sandbox cannot read what it remembers.');
  return {
    kind,
    card,
    amount: Number(amount),
    currency,
    attempt: Number(attempt),
    at: new Date(Number(at)),
  };
}
