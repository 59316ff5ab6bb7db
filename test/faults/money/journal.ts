import type { Environment } from '@paymount/core/kernel';
import type { OperationKind } from '@paymount/core/payments';

/** One line of the bank's journal: something that it did, once for each time that it did it. */
export interface JournalLine {
  readonly environment: Environment;
  readonly operationId: string;
  readonly kind: OperationKind;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  /** Authorizations only: whether the amount was taken at once. */
  readonly capture: boolean;
  /** The charge or refund that it was asked for. */
  readonly subject: string;
  readonly verdict: 'approved' | 'declined';
  /** What the bank kept of it, minor units. */
  readonly fee: number;
}

/** What the bank is asked to do. */
export type BankRequest = Omit<JournalLine, 'environment' | 'verdict' | 'fee'> & {
  readonly card: string;
};

/** What it answers: the line, under a reference of its own. */
export interface BankAnswer extends JournalLine {
  readonly reference: string;
  /** ISO 8601. */
  readonly availableOn: string;
}

/** A card that the bank declines; it takes any other. */
export const DECLINED_CARD = 'tok_broke';
