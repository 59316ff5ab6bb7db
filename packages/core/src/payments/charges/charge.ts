import type { Owner } from '../../kernel/basics/environment.ts';
import type {
  BalanceTransactionId,
  ChargeId,
  CustomerId,
  DisputeId,
  InvoiceId,
  PaymentMethodId,
} from '../../kernel/basics/id.ts';
import type { Maker } from '../../kernel/callers/maker.ts';
import type { BillingDetails, Shipping } from '../contacts/contact.ts';
import type { CallResult } from '../operations/outcome.ts';
import type { MethodDetails } from '../payment-methods/payment-method.ts';
import type { Clocked } from '../test-clocks/object-clock.ts';

/** The network's answer about the payment; shown as `outcome`. */
export interface ChargeOutcome {
  readonly type: 'authorized' | 'issuer_declined' | 'blocked' | 'invalid' | 'unknown';
  readonly networkStatus: string;
  readonly reason?: string;
  readonly riskLevel: 'normal' | 'elevated' | 'highest' | 'unknown';
  readonly adviceCode?: string;
}

/** A charge is on the test clock of its customer. */
export interface ChargeFacts extends Owner, Clocked {
  readonly id: ChargeId;
  /** Increments with every change; guarded updates compare it. */
  readonly version: number;
  /** Minor units, 1 to 99,999,999. */
  readonly amount: number;
  /** ISO 4217, lower case. */
  readonly currency: string;
  readonly captureMethod: 'automatic' | 'manual';
  /** The payer was absent. */
  readonly offSession: boolean;
  /** Sum of pending and succeeded refunds. */
  readonly amountRefunded: number;
  /** Who pays: the customer to whom the payment method is attached. */
  readonly customerId: CustomerId | null;
  readonly paymentMethodId: PaymentMethodId;
  /** What it pays. At most one charge of an invoice is pending or succeeded. @defaultValue none */
  readonly invoiceId?: InvoiceId;
  /** A copy of the card or bank account at the time of the charge. */
  readonly method: MethodDetails;
  readonly processorToken: string;
  /** Of a bank debit: its trace number. */
  readonly networkTransactionId?: string;
  readonly billingDetails: BillingDetails;
  readonly outcome?: ChargeOutcome;
  readonly processorName: string;
  readonly processorReference?: string;
  /** The dispute that was opened last, and whether there was ever a chargeback. */
  readonly dispute?: { readonly id: DisputeId; readonly isChargeback: boolean };
  readonly description: string | null;
  readonly statementDescriptor: string | null;
  readonly receiptEmail: string | null;
  readonly shipping: Shipping | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly created: Date;
  /** Who made it; absent if an earlier version wrote it, or nobody did. */
  readonly createdBy?: Maker;
}

export interface ChargeFailure {
  readonly code: string;
  readonly declineCode?: string;
  readonly message: string;
}

/** A charge is exactly one of these; `charge-states.ts` has the transitions. */
export type ChargeState =
  | { readonly status: 'pending' }
  | { readonly status: 'authorized'; readonly captureBefore: Date }
  | {
      readonly status: 'succeeded';
      readonly amountCaptured: number;
      readonly capturedAt: Date;
      readonly balanceTransactionId: BalanceTransactionId;
    }
  | { readonly status: 'failed'; readonly failure: ChargeFailure }
  | { readonly status: 'canceled'; readonly canceledAt: Date };

export type Charge = ChargeFacts & ChargeState;
export type AuthorizedCharge = Extract<Charge, { status: 'authorized' }>;
export type ChargeStatus = ChargeState['status'];

type Approval = Extract<CallResult, { outcome: 'approved' }>;
/** The references that an answer may have. */
type Acceptance = Partial<Pick<Approval, 'processorReference' | 'networkTransactionId'>>;
const APPROVED: ChargeOutcome = {
  type: 'authorized',
  networkStatus: 'approved_by_network',
  riskLevel: 'normal',
};

/** The money moved. */
export function approved(
  charge: Charge,
  approval: Approval,
  captured: Pick<
    Extract<ChargeState, { status: 'succeeded' }>,
    'amountCaptured' | 'capturedAt' | 'balanceTransactionId'
  >,
): Charge {
  return { ...withApproval(charge, approval), status: 'succeeded', ...captured };
}

/** A bank debit was submitted, and awaits clearing. */
export function submitted(charge: Charge, accepted: Acceptance): Charge {
  return { ...withApproval(charge, accepted), status: 'pending' };
}

/** Whether a bank debit was submitted and awaits clearing; else its outcome is unknown. */
export function awaitsClearing({ status, outcome }: Charge): boolean {
  return status === 'pending' && outcome?.type === APPROVED.type;
}

/** The issuer holds the amount. */
export function authorized(charge: Charge, approval: Approval, captureBefore: Date): Charge {
  return { ...withApproval(charge, approval), status: 'authorized', captureBefore };
}

/** The outcome is unknown; the status stays `pending` and the resolver asks the processor. */
export function outcomeUnknown(charge: Charge): Charge {
  const outcome: ChargeOutcome = {
    type: 'unknown',
    networkStatus: 'not_known_yet',
    riskLevel: 'unknown',
  };
  return { ...toFacts(charge), status: 'pending', outcome };
}

/** Released by request. */
export function canceled(charge: Charge, at: Date): Charge {
  return { ...toFacts(charge), status: 'canceled', canceledAt: at };
}

/** Declined, blocked, never executed, or expired. */
export function failed(
  charge: Charge,
  failure: ChargeFailure & {
    readonly outcome?: ChargeOutcome;
    readonly processorReference?: string;
  },
): Charge {
  const { outcome, processorReference: told, ...reason } = failure;
  const { processorReference = told } = charge;
  return {
    ...toFacts(charge),
    ...(outcome === undefined ? {} : { outcome }),
    ...(processorReference === undefined ? {} : { processorReference }),
    status: 'failed',
    failure: reason,
  };
}

/** The fields that a merchant may change after creation. */
export type ChargeEdit = Pick<
  ChargeFacts,
  'description' | 'statementDescriptor' | 'receiptEmail' | 'shipping' | 'metadata'
>;

/** The charge with changed fields and the next version; its state stays. */
export function edited(charge: Charge, edit: ChargeEdit): Charge {
  return { ...charge, ...edit, version: charge.version + 1 };
}

/** Whether all that was captured was refunded, or is about to be. */
export function isFullyRefunded(charge: Charge): boolean {
  return charge.status === 'succeeded' && charge.amountRefunded === charge.amountCaptured;
}

/** The charge with another sum of refunds and the next version. */
export function refundedBy(charge: Charge, amount: number): Charge {
  return {
    ...charge,
    amountRefunded: charge.amountRefunded + amount,
    version: charge.version + 1,
  };
}

/** The charge with the dispute that was opened, and the next version; its state stays. */
export function disputedBy(charge: Charge, id: DisputeId, isChargeback: boolean): Charge {
  const wasChargeback = charge.dispute?.isChargeback ?? false;
  const dispute = { id, isChargeback: isChargeback || wasChargeback };
  return { ...charge, dispute, version: charge.version + 1 };
}

function withApproval(
  charge: Charge,
  { processorReference, networkTransactionId }: Acceptance,
): ChargeFacts {
  const reference = charge.processorReference ?? processorReference;
  return {
    ...toFacts(charge),
    outcome: APPROVED,
    ...(reference === undefined ? {} : { processorReference: reference }),
    ...(networkTransactionId === undefined ? {} : { networkTransactionId }),
  };
}

/** The facts without the fields of the state, with the next version. */
function toFacts(charge: Charge): ChargeFacts {
  const { id, accountId, environment, version, amount, currency, captureMethod } = charge;
  const { amountRefunded, customerId, paymentMethodId, method, processorToken } = charge;
  const { billingDetails, offSession } = charge;
  const { networkTransactionId, outcome, processorName, processorReference, metadata } = charge;
  const { description, statementDescriptor, receiptEmail, shipping, created, dispute } = charge;
  const { clock, createdBy, invoiceId } = charge;
  return {
    id,
    accountId,
    environment,
    version: version + 1,
    amount,
    currency,
    captureMethod,
    amountRefunded,
    customerId,
    paymentMethodId,
    method,
    processorToken,
    billingDetails,
    offSession,
    ...(networkTransactionId === undefined ? {} : { networkTransactionId }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(processorReference === undefined ? {} : { processorReference }),
    ...(dispute === undefined ? {} : { dispute }),
    ...(invoiceId === undefined ? {} : { invoiceId }),
    ...(clock === undefined ? {} : { clock }),
    ...(createdBy === undefined ? {} : { createdBy }),
    processorName,
    metadata,
    description,
    statementDescriptor,
    receiptEmail,
    shipping,
    created,
  };
}
