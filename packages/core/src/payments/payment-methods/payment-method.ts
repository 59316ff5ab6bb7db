import type { Owner } from '../../kernel/basics/environment.ts';
import type {
  ChargeId,
  CustomerId,
  MandateId,
  PaymentMethodId,
  TokenId,
} from '../../kernel/basics/id.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Sealed } from '../../kernel/secrets/sealer.ts';
import { type BillingDetails, emptyBillingDetails } from '../contacts/contact.ts';
import type { CardFacts } from '../processor/tokenization.ts';
import type { Clocked } from '../test-clocks/object-clock.ts';

/** The fields of a bank account in the US that may be shown; its number is only stored sealed. */
export interface UsBankAccountFacts {
  readonly bankName: string | null;
  readonly last4: string;
  readonly routingNumber: string;
  readonly accountType: 'checking' | 'savings';
  readonly accountHolderType: 'individual' | 'company';
  /** Shown by tokens only, until they are used. */
  readonly accountHolderName: string | null;
  /** The same for the same number in one installation, or at one processor that keeps numbers. */
  readonly fingerprint: string;
}

/** What is shown of a card or bank account. Charges keep a copy. */
export type MethodDetails =
  | { readonly type: 'card'; readonly card: CardFacts }
  | { readonly type: 'us_bank_account'; readonly usBankAccount: UsBankAccountFacts };

/** A card or bank account as it is stored. */
export type MethodFacts = MethodDetails & {
  /** The processor's token; stored, never serialized. */
  readonly processorToken: string;
  /** Of a bank account whose number the processor gets with each debit. */
  readonly number?: Sealed;
};

/** The context in which a number is sealed: that of the processor's token, which names it. */
export function debitNumberContext(processorToken: string): string {
  return `payment_methods.sealed_number:${processorToken}`;
}

/** New facts of every payment method of a processor's token; those of the other type mean nothing to it. */
export interface MethodCorrection
  extends Partial<
    Pick<CardFacts, 'expMonth' | 'expYear' | 'last4'> &
      Pick<UsBankAccountFacts, 'routingNumber' | 'accountType'>
  > {
  readonly processorToken: string;
  readonly number?: Sealed;
}

/** The consent of its holder to debits. Never replaced: another consent is another payment method. */
export interface Mandate {
  readonly id: MandateId;
  readonly acceptedAt: Date;
  readonly type: 'online' | 'offline';
}

/** Why a bank account is not debited any more. */
export interface MethodBlock {
  /** A code of the error table. */
  readonly reason: string;
  /** The code of the return, such as `R10`. */
  readonly networkCode: string;
}

/**
 * What a payment method may pay for.
 *
 * - `unattached`: one charge, or all charges of the customer to whom it is then attached
 * - `spent`: it paid its one charge; final
 * - `attached`: the charges of its customer
 * - `detached`: nothing any more; final
 * - `erased`: a bank account that nobody used for `UNUSED_METHOD_DAYS`; it has no number any more; final
 */
export type MethodUse =
  | { readonly state: 'unattached' }
  | { readonly state: 'spent'; readonly chargeId: ChargeId }
  | { readonly state: 'attached'; readonly customerId: CustomerId }
  | { readonly state: 'detached'; readonly at: Date }
  | { readonly state: 'erased'; readonly at: Date };

/** How long a bank account that is neither charged nor attached keeps its number. */
export const UNUSED_METHOD_DAYS = 7;

/** `clock`: that of the customer to whom it is, or was, attached. */
export type PaymentMethod = Owner &
  MethodFacts &
  Clocked & {
    readonly id: PaymentMethodId;
    readonly version: number;
    readonly billingDetails: BillingDetails;
    readonly metadata: Readonly<Record<string, string>>;
    readonly use: MethodUse;
    /** Of a bank account; without one it is not debited. */
    readonly mandate?: Mandate;
    /** Of a bank account whose bank refused debits, for good. */
    readonly blocked?: MethodBlock;
    readonly created: Date;
  };

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
      return `was already used for charge ${use.chargeId}; it can pay only one charge. Create another one, or attach one to a customer before its first charge`;
    case 'attached':
      return `is attached to customer ${use.customerId}. Name this customer, or create another payment method`;
    case 'detached':
      return 'was detached; it cannot be used again. Create another one';
    case 'erased':
      return `was not used within ${UNUSED_METHOD_DAYS} days, so its bank account was erased. Create another one`;
  }
}

/**
 * The payment method once it is detached. Nothing links it to its customer any more, so what it says about
 * a person goes now. The number of a bank account stays: it is sent with refunds of what it paid.
 */
export function detached(method: PaymentMethod, at: Date): PaymentMethod {
  const row: PaymentMethod = {
    ...method,
    version: method.version + 1,
    billingDetails: emptyBillingDetails,
    metadata: {},
    use: { state: 'detached', at },
  };
  if (row.type === 'card') return row;
  return { ...row, usBankAccount: { ...row.usBankAccount, accountHolderName: null } };
}

/**
 * Refuses to change a payment method that was detached or erased: what it then said about a person would
 * stay for ever.
 * @throws PaymountError `payment_method_unusable`
 */
export function assertChangeable(method: PaymentMethod): void {
  const { use } = method;
  if (use.state === 'detached' || use.state === 'erased') throw unusable({ ...method, use });
}

/** @throws PaymountError `payment_method_unusable` for a bank account whose bank refused debits */
export function assertNotBlocked({ id, blocked }: PaymentMethod, param?: string): void {
  if (blocked === undefined) return;
  throw new PaymountError(
    'payment_method_unusable',
    `Payment method ${id} is blocked: its bank returned a debit with ${blocked.networkCode}. Its holder must give a new mandate for a new payment method.`,
    param === undefined ? {} : { param },
  );
}

/** Single use, 15 minutes. */
export type Token = Owner &
  MethodFacts & {
    readonly id: TokenId;
    readonly version: number;
    readonly used: boolean;
    readonly created: Date;
    readonly expiresAt: Date;
  };

/**
 * The token after its one use. What it was used for has the number and the name of the holder from
 * then on, and deletes them; the token is kept for ever, and belongs to nobody.
 * @throws PaymountError `token_already_used`, also if the token has expired
 */
export function usedToken(token: Token, at: Date, param: string): Token {
  if (token.used || token.expiresAt.getTime() <= at.getTime()) {
    const why = token.used ? 'was already used' : 'is older than 15 minutes';
    throw new PaymountError('token_already_used', `Token ${token.id} ${why}.`, { param });
  }
  const { number: _, ...kept } = token;
  const used = { ...kept, version: token.version + 1, used: true };
  if (used.type === 'card') return used;
  return { ...used, usBankAccount: { ...used.usBankAccount, accountHolderName: null } };
}
