import type { AreaStorage } from '../../changes/area-storage.ts';
import type { Change, Write } from '../../changes/change.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import type { CustomerId, PaymentMethodId } from '../../kernel/basics/id.ts';
import type { MethodBlock, MethodCorrection, PaymentMethod, Token } from './payment-method.ts';
import type { PaymentMethodReader, TokenReader } from './payment-method-repository.ts';

export type TokenWrite = Write<'token', Token>;
export type PaymentMethodWrite = Write<'payment_method', PaymentMethod> | TokenWrite;

/** The change that the service of payment methods commits. */
export type PaymentMethodChange = Change<PaymentMethodWrite>;

/** What changes of others check and change of payment methods without writing their rows. */
export interface PaymentMethodEffects {
  /**
   * A payment method that must still be attached to this customer at the commit; otherwise the
   * change is `raced`. A detachment waits for the change, or the change for it.
   */
  readonly attached?: { readonly methodId: PaymentMethodId; readonly customerId: CustomerId };
  /** Blocks a bank account, if it is not blocked yet. */
  readonly blocked?: { readonly methodId: PaymentMethodId; readonly block: MethodBlock };
  /**
   * Corrects the payment methods of a token, in all accounts of the environment: the cards that are
   * attached to a customer, and all bank accounts, whose number is sent with refunds too. Those that
   * have the new facts already stay as they are.
   */
  readonly corrected?: MethodCorrection;
  /**
   * Detaches all payment methods of this customer, deletes what they and the invoice items on no
   * invoice say about the person, and the mails to him in the outbox, sent or not.
   */
  readonly deletedCustomer?: CustomerId;
}

export interface PaymentMethodReaders {
  readonly paymentMethods: PaymentMethodReader;
  readonly tokens: TokenReader;
}

/** What the service of payment methods needs of storage. */
export type PaymentMethodStorage = AreaStorage<
  PaymentMethodReaders,
  { readonly changes: ChangeRepository<PaymentMethodChange> }
>;
