import type { AccountId } from '../../kernel/basics/id.ts';

/** A merchant. */
export interface Account {
  readonly id: AccountId;
  /** Increments with every change of the row. */
  readonly version: number;
  readonly name: string;
  /** The address for notices. */
  readonly email: string | null;
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: string;
  /** ISO 4217, lower case. */
  readonly defaultCurrency: string;
  /** All keys of a suspended account are refused; nothing else changes. */
  readonly status: 'active' | 'suspended';
  readonly suspendedAt?: Date;
  readonly created: Date;
}
