import type { Owner } from '../shared/environment.ts';
import type { PaymentMethodId, TokenId } from '../shared/id.ts';
import type { PaymentMethod, Token } from './payment-method.ts';

export interface PaymentMethodReader {
  find(owner: Owner, id: PaymentMethodId): Promise<PaymentMethod | undefined>;
}

export interface TokenReader {
  find(owner: Owner, id: TokenId): Promise<Token | undefined>;
}
