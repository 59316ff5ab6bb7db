import { type CliContext, EXIT, table } from '@paymount/cli';
import { missing } from '@paymount/core/kernel';
import {
  BankAccountConfirmInput,
  type BankAccountFilter,
  type BankAccountJson,
  confirmBankAccount,
  type LiveBankAccount,
  restoreBankAccount,
  toBankAccountResource,
} from '@paymount/core/payments';
import type { Stores } from '@paymount/core/store';
import { assertNoForbiddenTexts, validateInput } from '@paymount/http';
import { systemClock } from '../../adapters/system-clock.ts';
import { callFor, EVERYTHING, PAGE } from '../caller.ts';
import { parseAccountId, parseBankAccountId } from '../id-arguments.ts';
import { requireAccount } from '../require-account.ts';
import { readSettings } from '../settings.ts';
import { withStorage } from '../with-storage.ts';

const HEADS = [
  'ID',
  'STATUS',
  'ACCOUNT',
  'ENVIRONMENT',
  'CURRENCY',
  'DEFAULT',
  'BANK',
  'LAST4',
  'HELD UNTIL',
  'FAILURE',
];

export interface BankAccountListFlags {
  readonly status?: LiveBankAccount['status'];
  readonly account?: string;
  readonly environment?: 'live' | 'test';
  readonly currency?: string;
  /** The last id of the page before. */
  readonly after?: string;
}

/** `paymount bank-accounts list`: a page of bank accounts, newest first. */
export async function listBankAccountsCommand(
  context: CliContext,
  { status, environment, currency, after, ...flags }: BankAccountListFlags,
): Promise<number> {
  const account = flags.account === undefined ? undefined : parseAccountId(flags.account);
  const filter: BankAccountFilter = {
    ...(status && { status }),
    ...(account && { account }),
    ...(environment && { environment }),
    ...(currency && { currency: currency.toLowerCase() }),
  };
  const page = { limit: PAGE, ...(after && { startingAfter: parseBankAccountId(after) }) };
  const { data, hasMore } = await withStorage(await readSettings(context), async (stores) => {
    if (account !== undefined) await requireAccount(stores, account);
    return stores.directory.bankAccounts.list(EVERYTHING, filter, page);
  });
  const accounts = data.map(toBankAccountResource);
  context.report(
    { bank_accounts: accounts, has_more: hasMore },
    data.length === 0 ? ['There is no such bank account.'] : table(HEADS, accounts.map(toRow)),
  );
  if (hasMore) context.printNote(`There are more: --after ${data.at(-1)?.id}`);
  return EXIT.done;
}

/** `paymount bank-accounts show`. */
export async function showBankAccountCommand(context: CliContext, id: string): Promise<number> {
  const account = await withStorage(await readSettings(context), async ({ directory }) =>
    toBankAccountResource(await findBankAccount(directory, id)),
  );
  context.report(account, toLines(account));
  return EXIT.done;
}

/** `paymount bank-accounts restore`: the payout that is due is made by a worker. */
export async function restoreBankAccountCommand(context: CliContext, id: string): Promise<number> {
  const account = await withStorage(await readSettings(context), async (stores) => {
    const { accountId, environment, id: known } = await findBankAccount(stores.directory, id);
    const call = callFor({ accountId, environment });
    return restoreBankAccount({ storage: stores.storage, clock: systemClock }, call, known);
  });
  context.report(toBankAccountResource(account), [
    `${account.id} is ${account.status}: payouts go there again.`,
  ]);
  return EXIT.done;
}

/** `paymount bank-accounts confirm`: payouts that wait for it are sent by a worker. */
export async function confirmBankAccountCommand(
  context: CliContext,
  id: string,
  { reason }: { readonly reason: string },
): Promise<number> {
  assertNoForbiddenTexts({ reason }, { cards: true });
  const given = validateInput(BankAccountConfirmInput, { reason });
  const account = await withStorage(await readSettings(context), async (stores) => {
    const { accountId, environment, id: known } = await findBankAccount(stores.directory, id);
    const call = callFor({ accountId, environment });
    const ports = { storage: stores.storage, clock: systemClock };
    return confirmBankAccount(ports, call, known, given);
  });
  context.report(toBankAccountResource(account), [
    `${account.id} is confirmed: payouts go there without a wait.`,
  ]);
  return EXIT.done;
}

/** @throws CommandFailure, PaymountError 404 `resource_missing` */
async function findBankAccount(
  { bankAccounts }: Pick<Stores['directory'], 'bankAccounts'>,
  text: string,
): Promise<LiveBankAccount> {
  const id = parseBankAccountId(text);
  const found = await bankAccounts.find(EVERYTHING, id);
  if (found === undefined) throw missing('bank account', id);
  return found;
}

function toRow(account: BankAccountJson): readonly string[] {
  const { id, status, livemode, currency, last4 } = account;
  return [
    id,
    status,
    account.account,
    livemode ? 'live' : 'test',
    currency,
    account.default_for_currency ? 'yes' : 'no',
    account.bank_name ?? '-',
    last4,
    account.payouts_held_until ?? '-',
    account.failure_code ?? '-',
  ];
}

function toLines({ metadata, ...account }: BankAccountJson): readonly string[] {
  const pairs = Object.entries(metadata).map(([key, value]) => [`metadata.${key}`, value]);
  const facts = Object.entries(account).map(([name, value]) => [
    name,
    value === null ? '-' : String(value),
  ]);
  return table(['FIELD', 'VALUE'], [...facts, ...pairs]);
}
