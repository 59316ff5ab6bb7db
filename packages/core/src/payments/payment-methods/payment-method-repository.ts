import type { Environment, Owner } from '../../kernel/basics/environment.ts';
import type { CustomerId, PaymentMethodId, TokenId } from '../../kernel/basics/id.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { MethodDetails, PaymentMethod, Token } from './payment-method.ts';

export interface PaymentMethodFilter {
  readonly type?: MethodDetails['type'];
  readonly created?: CreatedFilter;
}

export interface PaymentMethodReader {
  find(owner: Owner, id: PaymentMethodId): Promise<PaymentMethod | undefined>;
  /** The payment methods of `ids` that belong to this owner, in no order; one query. */
  findMany(owner: Owner, ids: readonly PaymentMethodId[]): Promise<readonly PaymentMethod[]>;
  /** The number of payment methods that are attached to a customer; one query. */
  countAttached(owner: Owner, customerId: CustomerId): Promise<number>;
  /**
   * The payment methods that are attached to a customer.
   * @throws `invalid_cursor` when a cursor is not the id of a payment method of this owner, attached
   *   or not
   */
  listAttached(
    owner: Owner,
    customerId: CustomerId,
    filter: PaymentMethodFilter,
    page: PageRequest,
  ): Promise<Page<PaymentMethod>>;
}

/** Bound to one transaction. */
export interface PaymentMethodRepository extends Pick<PaymentMethodReader, 'find'> {
  /**
   * Locks the corrections of a processor's token until the transaction ends: what is read after that, such
   * as the updates that were applied, is as it stays until the change of this transaction is committed.
   * @returns whether `corrected` of a change reaches any payment method of this token
   */
  lockCorrections(environment: Environment, processorToken: string): Promise<boolean>;
}

export interface TokenReader {
  find(owner: Owner, id: TokenId): Promise<Token | undefined>;
}

/** What workers do about payment methods. */
export interface PaymentMethodQueue {
  /**
   * Erases bank accounts that were created before a time, and neither charged nor attached: their number,
   * the name of the holder, billing details and metadata. Of an erasure and a use at once one wins: a used
   * one is left alone, and who uses an erased one is `raced`.
   * @returns how many payment methods, at most `limit`
   */
  eraseUnused(asked: {
    readonly createdBefore: Date;
    readonly at: Date;
    readonly limit: number;
  }): Promise<number>;
}

/** What workers do about tokens. */
export interface TokenQueue {
  /**
   * Erases the number and the name of the holder of bank tokens that expired before `time` and were not
   * used.
   * @returns how many tokens, at most `limit`
   */
  eraseExpired(time: Date, limit: number): Promise<number>;
}
