import type { Owner } from '../../kernel/basics/environment.ts';
import type { BalanceTransactionId, BankAccountId, PayoutId } from '../../kernel/basics/id.ts';
import type { Maker } from '../../kernel/callers/maker.ts';
import type { Clocked } from '../test-clocks/object-clock.ts';
import type { AccountStop } from './payout-account.ts';

export interface PayoutFacts extends Owner, Clocked {
  readonly id: PayoutId;
  readonly version: number;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  /** When the bank is expected to have it: an estimate until the processor tells the day. */
  readonly arrivalDate: Date;
  /** The due moment of the schedule that made it; null if it was asked for. */
  readonly period: Date | null;
  readonly destinationId: BankAccountId;
  readonly balanceTransactionId: BalanceTransactionId;
  /** The adapter that sends it. */
  readonly processorName: string;
  readonly statementDescriptor: string | null;
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly created: Date;
  /** Who asked for it; absent if its schedule did, or an earlier version wrote it. */
  readonly createdBy?: Maker;
}

export type PayoutState =
  | { readonly status: 'pending' }
  | { readonly status: 'in_transit' }
  | { readonly status: 'paid' }
  | {
      readonly status: 'failed';
      readonly failureCode: string;
      readonly failureMessage: string;
      readonly failureBalanceTransactionId: BalanceTransactionId;
    }
  | {
      readonly status: 'canceled';
      /** Why it was not sent; absent if it was canceled by request. */
      readonly stop?: PayoutStop;
      readonly failureBalanceTransactionId: BalanceTransactionId;
    };

/** Why a payout was canceled instead of sent. */
export interface PayoutStop {
  readonly code: AccountStop | 'bank_account_errored';
  readonly message: string;
}

/** Money on its way from an account's balance to its bank. */
export type Payout = PayoutFacts & PayoutState;
export type PayoutStatus = PayoutState['status'];

/** The facts of the next version, without the fields of a state. */
export function toNextPayout(payout: Payout): PayoutFacts {
  const { accountId, environment, id, version, amount, currency, arrivalDate } = payout;
  const { period, destinationId, balanceTransactionId, processorName } = payout;
  const { statementDescriptor, description, metadata, created, clock, createdBy } = payout;
  return {
    accountId,
    environment,
    id,
    version: version + 1,
    amount,
    currency,
    arrivalDate,
    period,
    destinationId,
    balanceTransactionId,
    processorName,
    statementDescriptor,
    description,
    metadata,
    created,
    ...(clock === undefined ? {} : { clock }),
    ...(createdBy === undefined ? {} : { createdBy }),
  };
}
