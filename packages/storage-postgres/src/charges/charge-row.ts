import type {
  AccountId,
  BalanceTransactionId,
  ChargeId,
  CustomerId,
  DisputeId,
  PaymentMethodId,
} from '@paymount/core/kernel';
import { environmentOf } from '@paymount/core/kernel';
import type {
  CardFacts,
  Charge,
  ChargeFacts,
  ChargeFailure,
  ChargeOutcome,
  ChargeState,
  MethodDetails,
  UsBankAccountFacts,
} from '@paymount/core/payments';
import { present } from '../shared/present-rows.ts';
import { type ClockColumns, toClocked } from '../test-clocks/object-clock.ts';

/** A row of `charges`, with the time of its test clock unless it was listed. */
export interface ChargeRow extends ClockColumns {
  readonly id: ChargeId;
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly version: number;
  readonly status: ChargeState['status'];
  readonly amount: bigint;
  readonly amount_captured: bigint;
  readonly amount_refunded: bigint;
  readonly currency: string;
  readonly capture_method: ChargeFacts['captureMethod'];
  readonly off_session: boolean;
  readonly capture_before: Date | null;
  readonly captured_at: Date | null;
  readonly canceled_at: Date | null;
  readonly balance_transaction_id: BalanceTransactionId | null;
  readonly customer_id: CustomerId | null;
  readonly payment_method_id: PaymentMethodId;
  readonly card: CardFacts | null;
  readonly us_bank_account: UsBankAccountFacts | null;
  readonly processor_token: string;
  readonly network_transaction_id: string | null;
  readonly billing_details: ChargeFacts['billingDetails'];
  readonly outcome: ChargeOutcome | null;
  readonly failure: ChargeFailure | null;
  readonly processor_name: string;
  readonly processor_reference: string | null;
  readonly description: string | null;
  readonly statement_descriptor: string | null;
  readonly receipt_email: string | null;
  readonly shipping: ChargeFacts['shipping'];
  readonly metadata: ChargeFacts['metadata'];
  readonly created: Date;
  readonly dispute_id: DisputeId | null;
  readonly disputed: boolean;
}

/** The charge of a row. */
export function toCharge(row: ChargeRow): Charge {
  const facts: ChargeFacts = {
    id: row.id,
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    version: row.version,
    amount: Number(row.amount),
    currency: row.currency,
    captureMethod: row.capture_method,
    offSession: row.off_session,
    amountRefunded: Number(row.amount_refunded),
    customerId: row.customer_id,
    paymentMethodId: row.payment_method_id,
    method: toDetails(row),
    processorToken: row.processor_token,
    billingDetails: row.billing_details,
    processorName: row.processor_name,
    description: row.description,
    statementDescriptor: row.statement_descriptor,
    receiptEmail: row.receipt_email,
    shipping: row.shipping,
    metadata: row.metadata,
    created: row.created,
    ...toClocked(row),
    ...(row.dispute_id && { dispute: { id: row.dispute_id, isChargeback: row.disputed } }),
    ...present({
      networkTransactionId: row.network_transaction_id,
      outcome: row.outcome,
      processorReference: row.processor_reference,
    }),
  };
  return { ...facts, ...toState(row) };
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
