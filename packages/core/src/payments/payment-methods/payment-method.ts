import type { Owner } from '../../kernel/basics/environment.ts';
import type { ChargeId, PaymentMethodId, TokenId } from '../../kernel/basics/id.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { BillingDetails } from '../contacts/contact.ts';

export interface CardChecks {
  readonly cvcCheck: 'pass' | 'fail' | 'unavailable' | 'unchecked' | null;
  readonly addressPostalCodeCheck: 'pass' | 'fail' | 'unavailable' | 'unchecked' | null;
}

/** The fields of a card that may be shown; numbers and CVCs are never stored. */
export interface CardFacts {
  readonly brand: string;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
  /** The same for the same card number at one processor. */
  readonly fingerprint: string;
  readonly funding: 'credit' | 'debit' | 'prepaid' | 'unknown';
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly checks: CardChecks;
}

/** A processor's answer to `tokenize`. */
export interface PaymentMethodFacts {
  readonly type: 'card';
  readonly card: CardFacts;
  /** The processor's token of the card; stored, never serialized. */
  readonly processorToken: string;
}

export interface PaymentMethod extends Owner, PaymentMethodFacts {
  readonly id: PaymentMethodId;
  readonly version: number;
  readonly billingDetails: BillingDetails;
  readonly metadata: Readonly<Record<string, string>>;
  /** The one charge that an unattached payment method was used for. */
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

/**
 * The token after its one use.
 * @throws PaymountError `token_already_used`, also if the token has expired
 */
export function usedToken(token: Token, at: Date, param: string): Token {
  if (token.used || token.expiresAt.getTime() <= at.getTime()) {
    const why = token.used ? 'was already used' : 'is older than 15 minutes';
    throw new PaymountError('token_already_used', `Token ${token.id} ${why}.`, { param });
  }
  return { ...token, version: token.version + 1, used: true };
}
