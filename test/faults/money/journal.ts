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
  /** The charge, refund, dispute or payout that it was asked for. */
  readonly subject: string;
  /** `pending`: a debit that has not cleared, or a payout that was not handed to a bank yet. */
  readonly verdict: 'approved' | 'declined' | 'pending';
  /** What the bank kept of it, minor units. */
  readonly fee: number;
}

/** What the bank is asked to do. */
export type BankRequest = Omit<JournalLine, 'environment' | 'verdict' | 'fee'> & {
  /** The card, or the account that is debited or paid. */
  readonly account: string;
};

/** What it answers: the line, under a reference of its own. */
export interface BankAnswer extends JournalLine {
  readonly reference: string;
  /** ISO 8601. */
  readonly availableOn: string;
  /** Of a pending line: until when the bank knows, ISO 8601. */
  readonly expectedBy: string;
  /** Of a debit that came back. */
  readonly returnCode?: string;
}

/** A dispute as it stands at the bank, which alone knows in which order things happened. */
export interface BankCase {
  readonly environment: Environment;
  readonly charge: string;
  /** What the bank calls the chargeback, or the alert if there is none. */
  readonly reference: string;
  readonly status: 'alert' | 'open' | 'won' | 'lost';
  /** What it has taken and not given back, minor units. */
  readonly taken: number;
}

/** A line of the bank's settlement: what it has paid out, or taken back. */
export interface BankSettlement {
  readonly environment: Environment;
  /** Minor units, before the fee. */
  readonly amount: number;
  readonly fee: number;
}

/** What happened at the bank without being asked for. */
export interface Aftermath {
  readonly cases: readonly BankCase[];
  /** Debits that came back after they had cleared, by their charge. */
  readonly lateReturns: readonly string[];
  /** Payouts that came back after they were paid. */
  readonly returnedPayouts: readonly string[];
  readonly settlements: readonly BankSettlement[];
}

/** A card that the bank declines; it takes any other. */
export const DECLINED_CARD = 'tok_broke';
/** How the bank accounts begin that can be debited. */
export const DEBITED_ACCOUNT = 'account_';
