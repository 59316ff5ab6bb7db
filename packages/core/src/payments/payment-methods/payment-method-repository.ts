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
export interface PaymentMethodRepository {
  /**
   * The payment methods of all accounts that have this token of the processor, in order of id, after
   * `after`: all bank accounts, whose number is sent with refunds too, and the cards that are attached to
   * a customer. Erased ones are left out: they get no number again. Locks nothing. Of two callers who change one, the second is `raced`.
   */
  findCorrectable(
    environment: Environment,
    processorToken: string,
    limit: number,
    after?: PaymentMethodId,
  ): Promise<readonly PaymentMethod[]>;
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
