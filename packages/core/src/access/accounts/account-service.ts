import { isDeepStrictEqual } from 'node:util';
import type { AuditFacts } from '../../changes/audit/audit.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import { type AccountId, newId } from '../../kernel/basics/id.ts';
import { missing } from '../../kernel/errors/missing.ts';
import { COUNTRY_HINT, isCountry } from '../../kernel/input/country.ts';
import { assertInForce, isCurrency } from '../../kernel/input/currency.ts';
import { EmailInput } from '../../kernel/input/input.ts';
import type { AccessStorage } from '../access-storage.ts';
import { type Caller, hostActor } from '../caller.ts';
import { checkedName, invalid, present, requireParameters } from '../checks.ts';
import { assertNoForbiddenText } from '../credentials/forbidden-text.ts';
import type { Account } from './account.ts';

export interface NewAccount {
  /** 1-200 characters. */
  readonly name: string;
  readonly email?: string;
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: string;
  /** ISO 4217, lower case. */
  readonly defaultCurrency: string;
}

/** The fields of an account that may change; absent fields stay as they are. */
export interface AccountEdit {
  /** 1-200 characters. */
  readonly name?: string;
  /** `null` removes it; notices then go only to the operator. */
  readonly email?: string | null;
}

/** Accounts; each call is one transaction with its audit row. */
export interface AccountService {
  /** @throws `parameter_invalid`, `raw_card_data_not_allowed`, `secret_in_text` */
  create(input: NewAccount, caller?: Caller<Account>): Promise<Account>;
  /** @throws `resource_missing`, and as `create` */
  update(id: AccountId, edit: AccountEdit, caller?: Caller<Account>): Promise<Account>;
  /**
   * Refuses all keys of the account, everywhere within 500 ms of the answer. Safe to call twice.
   * @throws `resource_missing`
   */
  suspend(id: AccountId, caller?: Caller<Account>): Promise<Account>;
  /** Makes the account's keys work again. @throws `resource_missing` */
  resume(id: AccountId, caller?: Caller<Account>): Promise<Account>;
}

/** Makes the service of one process. */
export function createAccountService(ports: {
  readonly access: AccessStorage;
  readonly clock: Clock;
}): AccountService {
  const { access, clock } = ports;
  return {
    async create(input, { by = hostActor(), response } = {}) {
      const now = clock.now();
      const account = newAccount(input, now);
      return access.change(async ({ accounts }) => {
        await accounts.insert(account);
        const { id } = account;
        const after = accountFacts(account);
        const done = { accountId: id, action: 'account.create', target: id, after } as const;
        return {
          result: account,
          subjects: [id],
          audit: [{ ...by, ...done, created: now }],
          ...(response && { response: await response(account) }),
        };
      });
    },
    update: (id, edit, caller) =>
      change(ports, id, { ...caller, verb: 'update', to: (account) => edited(account, edit) }),
    suspend: (id, caller) =>
      change(ports, id, {
        ...caller,
        verb: 'suspend',
        to: (account, now) =>
          account.status === 'suspended'
            ? account
            : { ...account, status: 'suspended', suspendedAt: now },
      }),
    resume: (id, caller) =>
      change(ports, id, {
        ...caller,
        verb: 'resume',
        to: ({ suspendedAt: _, ...account }) => ({ ...account, status: 'active' }),
      }),
  };
}

interface AccountChange extends Caller<Account> {
  readonly verb: 'update' | 'suspend' | 'resume';
  readonly to: (account: Account, now: Date) => Account;
}

/** A call that changes nothing writes no audit row. */
function change(
  { access, clock }: { readonly access: AccessStorage; readonly clock: Clock },
  id: AccountId,
  { by = hostActor(), response, verb, to }: AccountChange,
): Promise<Account> {
  return access.change(async ({ accounts }) => {
    const now = clock.now();
    const before = await accounts.findForUpdate(id);
    if (before === undefined) throw missing('account', id);
    const next = to(before, now);
    const facts = { before: accountFacts(before), after: accountFacts(next) };
    const same = isDeepStrictEqual(facts.before, facts.after);
    const account = same ? before : { ...next, version: before.version + 1 };
    if (!same) await accounts.update(account);
    const done = { accountId: id, action: `account.${verb}`, target: id, ...facts } as const;
    return {
      result: account,
      subjects: same ? [] : [id],
      audit: same ? [] : [{ ...by, ...done, created: now }],
      ...(response && { response: await response(account) }),
    };
  });
}

function newAccount(input: NewAccount, now: Date): Account {
  const { email, ...given } = requireParameters(input);
  const name = checkedName(given.name, 200);
  const country = present('country', given.country);
  if (!isCountry(country)) throw invalid('country', `A country is ${COUNTRY_HINT}.`);
  const defaultCurrency = present('defaultCurrency', given.defaultCurrency);
  if (!isCurrency(defaultCurrency)) {
    throw invalid('default_currency', 'A currency is an ISO 4217 code in lower case, such as eur.');
  }
  assertInForce(defaultCurrency, now, 'default_currency');
  return {
    id: newId('acct'),
    version: 1,
    name,
    email: email === undefined ? null : checkedEmail(email),
    country,
    defaultCurrency,
    status: 'active',
    created: now,
  };
}

function edited(account: Account, edit: AccountEdit): Account {
  const { name, email } = requireParameters(edit);
  return {
    ...account,
    ...(name === undefined ? {} : { name: checkedName(name, 200) }),
    ...(email === undefined ? {} : { email: email === null ? null : checkedEmail(email) }),
  };
}

function checkedEmail(email: string): string {
  if (!EmailInput.safeParse(email).success)
    throw invalid('email', 'This is not a valid e-mail address.');
  assertNoForbiddenText(email, { param: 'email', cards: true });
  return email;
}

function accountFacts(account: Account): AuditFacts {
  const { name, email, country, defaultCurrency, status } = account;
  return { name, email, country, default_currency: defaultCurrency, status };
}
