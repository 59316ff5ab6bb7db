import type { Owner } from '../../kernel/basics/environment.ts';
import type { PaymentMethodId, TokenId } from '../../kernel/basics/id.ts';
import type { PaymentMethod, Token } from './payment-method.ts';

export interface PaymentMethodReader {
  find(owner: Owner, id: PaymentMethodId): Promise<PaymentMethod | undefined>;
  /** The payment methods of `ids` that belong to this owner, in no order; one query. */
  findMany(owner: Owner, ids: readonly PaymentMethodId[]): Promise<readonly PaymentMethod[]>;
}

export interface TokenReader {
  find(owner: Owner, id: TokenId): Promise<Token | undefined>;
}
