import type { Owner } from '../../kernel/basics/environment.ts';
import type { ChargeId, CustomerId, PaymentMethodId, TokenId } from '../../kernel/basics/id.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { BillingDetails } from '../contacts/contact.ts';
import type { Clocked } from '../object-clock.ts';

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

/**
 * What a payment method may pay for.
 *
 * - `unattached`: one charge, or all charges of the customer to whom it is then attached
 * - `spent`: it paid its one charge; final
 * - `attached`: the charges of its customer
 * - `detached`: nothing any more; final
 */
export type MethodUse =
  | { readonly state: 'unattached' }
  | { readonly state: 'spent'; readonly chargeId: ChargeId }
  | { readonly state: 'attached'; readonly customerId: CustomerId }
  | { readonly state: 'detached'; readonly at: Date };

/** `clock`: that of the customer to whom it is, or was, attached. */
export interface PaymentMethod extends Owner, PaymentMethodFacts, Clocked {
  readonly id: PaymentMethodId;
  readonly version: number;
  readonly billingDetails: BillingDetails;
  readonly metadata: Readonly<Record<string, string>>;
  readonly use: MethodUse;
  readonly created: Date;
}

/** The error for a payment method that cannot be used for what was asked, because of its use so far. */
export function unusable(
  { id, use }: PaymentMethod & { readonly use: Exclude<MethodUse, { state: 'unattached' }> },
  param?: string,
): PaymountError {
  return new PaymountError(
    'payment_method_unusable',
    `Payment method ${id} ${whyUnusable(use)}.`,
    param === undefined ? {} : { param },
  );
}

function whyUnusable(use: Exclude<MethodUse, { state: 'unattached' }>): string {
  switch (use.state) {
    case 'spent':
      return `was already used for charge ${use.chargeId}; it can pay only one charge`;
    case 'attached':
      return `is attached to customer ${use.customerId}`;
    case 'detached':
      return 'was detached; it cannot be used again';
  }
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
