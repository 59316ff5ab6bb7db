import type { AreaStorage } from '../../changes/area-storage.ts';
import type { Change, Write } from '../../changes/change.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import type { TokenReader } from '../payment-methods/payment-method-repository.ts';
import type { TokenWrite } from '../payment-methods/payment-method-storage.ts';
import type { BankAccount } from './bank-account.ts';
import type {
  AccountCurrencyReader,
  BankAccountReader,
  BankAccountRepository,
  DestinationRepository,
  ScheduleRepository,
} from './bank-account-repository.ts';

export type BankAccountWrite = Write<'bank_account', BankAccount>;

/** The change that the service of bank accounts commits. */
export type BankAccountChange = Change<BankAccountWrite | TokenWrite>;

interface Readers {
  readonly bankAccounts: BankAccountReader;
  readonly tokens: TokenReader;
  readonly payoutAccounts: AccountCurrencyReader;
}

/** Bound to one transaction. */
export interface BankAccountRepositories {
  readonly bankAccounts: BankAccountRepository;
  readonly payouts: DestinationRepository;
  readonly payoutRuns: ScheduleRepository;
  readonly payoutAccounts: AccountCurrencyReader;
  readonly changes: ChangeRepository<BankAccountChange>;
}

/** What the service of bank accounts needs of storage. */
export type BankAccountStorage = AreaStorage<Readers, BankAccountRepositories>;
