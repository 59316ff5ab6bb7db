import { type CliContext, EXIT, table, usage } from '@paymount/cli';
import {
  type Account,
  type AccountEdit,
  type AccountService,
  createAccountService,
  toAccountResource,
} from '@paymount/core/access';
import { systemClock } from '../../adapters/system-clock.ts';
import { commandCaller, EVERYTHING, PAGE } from '../caller.ts';
import { parseAccountId } from '../id-arguments.ts';
import { readSettings } from '../settings.ts';
import { withStorage } from '../with-storage.ts';

export interface AccountFlags {
  readonly name: string;
  readonly email?: string;
  readonly country: string;
  readonly currency: string;
}

/** `paymount accounts create`: prints the id of the new account. */
export async function createAccountCommand(
  context: CliContext,
  flags: AccountFlags,
): Promise<number> {
  const { name, email, country, currency } = flags;
  const account = await withAccounts(context, (accounts) =>
    accounts.create(
      { name, country, defaultCurrency: currency, ...(email === undefined ? {} : { email }) },
      commandCaller(),
    ),
  );
  context.report(toAccountResource(account), [account.id]);
  return EXIT.done;
}

export interface AccountListFlags {
  readonly status?: Account['status'];
  /** The last id of the page before. */
  readonly after?: string;
}

/** `paymount accounts list`: a page of accounts, newest first. */
export async function listAccountsCommand(
  context: CliContext,
  { status, after }: AccountListFlags,
): Promise<number> {
  const page = { limit: PAGE, ...(after && { startingAfter: parseAccountId(after) }) };
  const { data, hasMore } = await withStorage(await readSettings(context), ({ directory }) =>
    directory.accounts.list(EVERYTHING, status === undefined ? {} : { status }, page),
  );
  const rows = data.map((account) => [
    account.id,
    account.status,
    account.country,
    account.defaultCurrency,
    account.name,
  ]);
  context.report(
    { accounts: data.map(toAccountResource), has_more: hasMore },
    table(['ID', 'STATUS', 'COUNTRY', 'CURRENCY', 'NAME'], rows),
  );
  if (hasMore) context.printNote(`There are more: --after ${data.at(-1)?.id}`);
  return EXIT.done;
}

export interface AccountEditFlags {
  readonly name?: string;
  /** `false`: `--no-email`. */
  readonly email?: string | false;
}

/** `paymount accounts update`. */
export function updateAccountCommand(
  context: CliContext,
  id: string,
  { name, email }: AccountEditFlags,
): Promise<number> {
  const edit: AccountEdit = {
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email: email === false ? null : email }),
  };
  if (Object.keys(edit).length === 0) {
    throw usage('Say what to change: --name, --email or --no-email.');
  }
  return changeAccount(context, id, (accounts, accountId) =>
    accounts.update(accountId, edit, commandCaller()),
  );
}

/** `paymount accounts suspend`: its keys are refused everywhere within half a second. */
export function suspendAccountCommand(context: CliContext, id: string): Promise<number> {
  return changeAccount(context, id, (accounts, accountId) =>
    accounts.suspend(accountId, commandCaller()),
  );
}

/** `paymount accounts resume`: its keys work again. */
export function resumeAccountCommand(context: CliContext, id: string): Promise<number> {
  return changeAccount(context, id, (accounts, accountId) =>
    accounts.resume(accountId, commandCaller()),
  );
}

async function changeAccount(
  context: CliContext,
  id: string,
  change: (accounts: AccountService, id: Account['id']) => Promise<Account>,
): Promise<number> {
  const accountId = parseAccountId(id);
  const account = await withAccounts(context, (accounts) => change(accounts, accountId));
  const { name, status, email } = account;
  const notices = email === null ? 'no address for notices' : `notices go to ${email}`;
  context.report(toAccountResource(account), [`${id} (${name}) is ${status}; ${notices}.`]);
  return EXIT.done;
}

async function withAccounts<Result>(
  context: CliContext,
  work: (accounts: AccountService) => Promise<Result>,
): Promise<Result> {
  return withStorage(await readSettings(context), ({ access }) =>
    work(createAccountService({ access, clock: systemClock })),
  );
}
