import type { Owner } from '../shared/environment.ts';
import type { ChargeId, PaymentMethodId, TokenId } from '../shared/id.ts';

export interface CardChecks {
  readonly cvcCheck: 'pass' | 'fail' | 'unavailable' | 'unchecked' | null;
  readonly addressPostalCodeCheck: 'pass' | 'fail' | 'unavailable' | 'unchecked' | null;
}

/** What may be shown of a card; numbers and CVCs never come this far. */
export interface CardFacts {
  readonly brand: string;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
  /** The same for the same number at one processor. */
  readonly fingerprint: string;
  readonly funding: 'credit' | 'debit' | 'prepaid' | 'unknown';
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly checks: CardChecks;
}

/** What a processor answers to `tokenize`. */
export interface PaymentMethodFacts {
  readonly type: 'card';
  readonly card: CardFacts;
  /** The processor's own name of the card; stored, never serialized. */
  readonly processorToken: string;
}

export interface Address {
  readonly city: string | null;
  readonly country: string | null;
  readonly line1: string | null;
  readonly line2: string | null;
  readonly postalCode: string | null;
  readonly state: string | null;
}

export interface BillingDetails {
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: Address | null;
}

export interface PaymentMethod extends Owner, PaymentMethodFacts {
  readonly id: PaymentMethodId;
  readonly version: number;
  readonly billingDetails: BillingDetails;
  readonly metadata: Readonly<Record<string, string>>;
  /** The one charge that an unattached payment method serves. */
  readonly consumedBy?: ChargeId;
  readonly created: Date;
}

/** Single use, 15 minutes. */
export interface Token extends Owner, PaymentMethodFacts {
  readonly id: TokenId;
  readonly version: number;
  readonly used: boolean;
  readonly created: Date;
  readonly expiresAt: Date;
}
