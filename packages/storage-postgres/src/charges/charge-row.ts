import type { BalanceTransactionId, DisputeId } from '@paymount/core/kernel';
import type {
  CardFacts,
  Charge,
  ChargeFacts,
  ChargeFailure,
  ChargeState,
  MethodDetails,
  UsBankAccountFacts,
} from '@paymount/core/payments';
import { facts, type StoredRow } from '../shared/facts-of-row.ts';
import { type ClockColumns, toClocked } from '../test-clocks/object-clock.ts';

/** What a charge has in each of its states, but for the method, the dispute and the clock. */
export const chargeFacts = facts<Omit<ChargeFacts, 'method' | 'dispute' | 'clock'>>({
  amount: 'fixed bigint',
  currency: 'fixed text',
  captureMethod: 'fixed text',
  offSession: 'fixed boolean',
  amountRefunded: 'bigint',
  customerId: 'fixed text',
  paymentMethodId: 'fixed text',
  processorToken: 'fixed text',
  networkTransactionId: 'optional text',
  billingDetails: 'fixed jsonb',
  outcome: 'optional jsonb',
  processorName: 'fixed text',
  processorReference: 'optional text',
  description: 'text',
  statementDescriptor: 'text',
  receiptEmail: 'text',
  shipping: 'jsonb',
  metadata: 'jsonb',
  created: 'fixed timestamptz',
  createdBy: 'optional fixed jsonb',
  invoiceId: 'optional fixed text',
});

/** A row of `charges`, with the time of its test clock unless it was listed. */
export interface ChargeRow extends StoredRow, ClockColumns {
  readonly status: ChargeState['status'];
  readonly amount_captured: bigint;
  readonly capture_before: Date | null;
  readonly captured_at: Date | null;
  readonly canceled_at: Date | null;
  readonly balance_transaction_id: BalanceTransactionId | null;
  readonly failure: ChargeFailure | null;
  readonly card: CardFacts | null;
  readonly us_bank_account: UsBankAccountFacts | null;
  readonly dispute_id: DisputeId | null;
  readonly disputed: boolean;
}

/** The charge of a row. */
export function toCharge(row: ChargeRow): Charge {
  return chargeFacts.read(row, {
    method: toDetails(row),
    ...toClocked(row),
    ...(row.dispute_id && { dispute: { id: row.dispute_id, isChargeback: row.disputed } }),
    ...toState(row),
  });
}

/** A charge is of a card or of a bank account. */
function toDetails({ card, us_bank_account: account }: ChargeRow): MethodDetails {
  return account === null
    ? { type: 'card', card: card as CardFacts }
    : { type: 'us_bank_account', usBankAccount: account };
}

/** The table's CHECKs ensure that each state has exactly its own columns. */
function toState(row: ChargeRow): ChargeState {
  switch (row.status) {
    case 'pending':
      return { status: 'pending' };
    case 'authorized':
      return { status: 'authorized', captureBefore: row.capture_before as Date };
    case 'succeeded':
      return {
        status: 'succeeded',
        amountCaptured: Number(row.amount_captured),
        capturedAt: row.captured_at as Date,
        balanceTransactionId: row.balance_transaction_id as BalanceTransactionId,
      };
    case 'failed':
      return { status: 'failed', failure: row.failure as ChargeFailure };
    case 'canceled':
      return { status: 'canceled', canceledAt: row.canceled_at as Date };
  }
}
