import type { Owner } from '../../kernel/basics/environment.ts';
import type { BankAccountId } from '../../kernel/basics/id.ts';
import type { Maker } from '../../kernel/callers/maker.ts';
import type { Sealed } from '../../kernel/secrets/sealer.ts';

export interface BankAccountFacts extends Owner {
  readonly id: BankAccountId;
  readonly version: number;
  readonly bankName: string | null;
  /** The last four characters of the number; the number itself is only stored sealed. */
  readonly last4: string;
  /** Null where countries have none, such as with an IBAN. */
  readonly routingNumber: string | null;
  /** The same for the same number in one installation. */
  readonly fingerprint: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly currency: string;
  readonly accountHolderName: string | null;
  readonly accountHolderType: AccountHolderType | null;
  /** Payouts in its currency go here if they name no other bank account. */
  readonly isDefault: boolean;
  /** No payout goes there before, unless the account holds none; null if it is not held. */
  readonly heldUntil: Date | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly created: Date;
  /** Who made it; absent if an earlier version wrote it, or nobody did. */
  readonly createdBy?: Maker;
}

export type AccountHolderType = 'individual' | 'company';

export type BankAccountState =
  | { readonly status: 'new'; readonly number: Sealed }
  | {
      readonly status: 'errored';
      readonly number: Sealed;
      /** Of the payout that failed. */
      readonly failureCode: string;
      readonly failureMessage: string;
    }
  /** The number is gone; the row stays, because payouts refer to it. */
  | { readonly status: 'deleted'; readonly deletedAt: Date };

/** Where payouts go. */
export type BankAccount = BankAccountFacts & BankAccountState;
export type BankAccountStatus = BankAccountState['status'];
/** One that is not deleted. */
export type LiveBankAccount = Exclude<BankAccount, { status: 'deleted' }>;

/** The context in which the number of a bank account is sealed. */
export function numberContext(id: string): string {
  return `bank_accounts.sealed_number:${id}`;
}

/** A bank account that a bank refused: no payout goes there until a person has looked at it. */
export function errored(
  account: LiveBankAccount,
  failure: { readonly code: string; readonly message: string },
): BankAccount {
  return {
    ...toNext(account),
    status: 'errored',
    number: account.number,
    failureCode: failure.code,
    failureMessage: failure.message,
  };
}

/** A bank account that a person has looked at: payouts may go there again. */
export function restored(
  account: Extract<LiveBankAccount, { status: 'errored' }>,
): Extract<LiveBankAccount, { status: 'new' }> {
  return { ...toNext(account), status: 'new', number: account.number };
}

/** A bank account without its number, its holder and its metadata; for good. */
export function deleted(account: BankAccount, at: Date): BankAccount {
  return {
    ...toNext(account),
    accountHolderName: null,
    isDefault: false,
    metadata: {},
    status: 'deleted',
    deletedAt: at,
  };
}

/** The facts of the next version, without the fields of a state. */
function toNext(account: BankAccount): BankAccountFacts {
  const { accountId, environment, id, version, bankName, last4, routingNumber } = account;
  const { fingerprint, country, currency, accountHolderName, accountHolderType } = account;
  const { isDefault, heldUntil, metadata, created, createdBy } = account;
  return {
    accountId,
    environment,
    id,
    version: version + 1,
    bankName,
    last4,
    routingNumber,
    fingerprint,
    country,
    currency,
    accountHolderName,
    accountHolderType,
    isDefault,
    heldUntil,
    metadata,
    created,
    ...(createdBy && { createdBy }),
  };
}
