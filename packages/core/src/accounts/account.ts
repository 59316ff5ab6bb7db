import type { AccountId } from '../shared/id.ts';

/** A merchant. */
export interface Account {
  readonly id: AccountId;
  readonly name: string;
  readonly email: string | null;
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: string;
  /** ISO 4217, lower case. */
  readonly defaultCurrency: string;
  readonly status: 'active' | 'suspended';
  readonly created: Date;
}

export interface AccountReader {
  find(id: AccountId): Promise<Account | undefined>;
}
