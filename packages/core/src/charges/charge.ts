import type { Address, BillingDetails, CardFacts } from '../payment-methods/payment-method.ts';
import type { Owner } from '../shared/environment.ts';
import type { BalanceTransactionId, ChargeId, PaymentMethodId } from '../shared/id.ts';

export interface Shipping {
  readonly name: string;
  readonly phone: string | null;
  readonly address: Address;
}

/** What the network said of the payment; shown as `outcome`. */
export interface ChargeOutcome {
  readonly type: 'authorized' | 'issuer_declined' | 'blocked' | 'invalid' | 'unknown';
  readonly networkStatus: string;
  readonly reason?: string;
  readonly riskLevel: 'normal' | 'elevated' | 'highest' | 'unknown';
  readonly adviceCode?: string;
}

export interface ChargeFacts extends Owner {
  readonly id: ChargeId;
  /** Rises by one with every change; guarded updates compare it. */
  readonly version: number;
  /** Minor units, 1 to 99,999,999. */
  readonly amount: number;
  /** ISO 4217, lower case. */
  readonly currency: string;
  readonly captureMethod: 'automatic' | 'manual';
  /** Sum of pending and succeeded refunds. */
  readonly amountRefunded: number;
  readonly paymentMethodId: PaymentMethodId;
  /** Frozen copy of the card at the time of the charge. */
  readonly card: CardFacts;
  readonly processorToken: string;
  readonly networkTransactionId?: string;
  readonly billingDetails: BillingDetails;
  readonly outcome?: ChargeOutcome;
  readonly processorName: string;
  readonly processorReference?: string;
  readonly description: string | null;
  readonly statementDescriptor: string | null;
  readonly receiptEmail: string | null;
  readonly shipping: Shipping | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly created: Date;
}

export interface ChargeFailure {
  readonly code: string;
  readonly declineCode?: string;
  readonly message: string;
}

/** A charge is exactly one of these (payments.md, section 3); `charge-states.ts` has the moves. */
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
export type ChargeStatus = ChargeState['status'];
