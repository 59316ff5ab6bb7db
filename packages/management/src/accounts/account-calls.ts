import {
  type Account,
  type AccountCreate,
  type AccountJson,
  AccountResource,
  type AccountUpdate,
  toAccountResource,
} from '@paymount/core/access';
import { type AccountId, ENVIRONMENTS } from '@paymount/core/kernel';
import { type ListJson, ListQuery, toListResource, toPageRequest } from '@paymount/http';
import type { z } from 'zod';
import {
  type AdminCall,
  adminScopeFor,
  requireAllAccounts,
  requireIn,
  targetAccount,
} from '../admin-call.ts';
import { type AdminDirectories, type ManagementServices, toCaller } from '../services.ts';

/** The path of accounts, below the mount. */
export const ACCOUNTS_PATH = '/accounts';

/** Which accounts, and which page of them. */
export const AccountListQuery = ListQuery.extend({
  status: AccountResource.shape.status.optional(),
});

/** The dependencies of the calls on accounts. */
export interface AccountCallPorts extends Pick<ManagementServices, 'accounts'> {
  readonly directory: Pick<AdminDirectories, 'accounts'>;
}

/**
 * The actions on accounts, for the routes and for the host's own code. Parameters were checked by
 * the schema of the same name; answers are in the API's form.
 */
export class AccountCalls {
  readonly #ports: AccountCallPorts;

  constructor(ports: AccountCallPorts) {
    this.#ports = ports;
  }

  /** Newest first. @throws PaymountError `invalid_cursor`, `parameters_exclusive` */
  async list(
    call: AdminCall,
    { status, ...query }: z.output<typeof AccountListQuery>,
  ): Promise<ListJson<AccountJson>> {
    const filter = status === undefined ? {} : { status };
    const { accounts } = this.#ports.directory;
    const page = await accounts.list(call.adminScope, filter, toPageRequest(query));
    return toListResource(ACCOUNTS_PATH, page, toAccountResource);
  }

  /** @throws PaymountError `resource_missing` */
  async retrieve(call: AdminCall, id: string): Promise<AccountJson> {
    return toAccountResource(await this.#find(call, id));
  }

  /** @throws PaymountError `permission_denied` for an admin of some accounts or environments */
  async create(call: AdminCall, input: AccountCreate): Promise<AccountJson> {
    // An admin of some accounts could not see a new one.
    requireAllAccounts(call);
    requireEverywhere(call);
    const { default_currency: defaultCurrency, email, ...rest } = input;
    const account = { ...rest, defaultCurrency, ...(email ? { email } : {}) };
    const caller = toCaller(call, toAccountResource);
    return toAccountResource(await this.#ports.accounts.create(account, caller));
  }

  /** @throws PaymountError `resource_missing`, `permission_denied` */
  async update(call: AdminCall, id: string, input: AccountUpdate): Promise<AccountJson> {
    const known = await this.#idToChange(call, id);
    const { name, email } = input;
    const edit = {
      ...(name === undefined ? {} : { name }),
      ...(email === undefined ? {} : { email: email || null }),
    };
    const caller = toCaller(call, toAccountResource);
    return toAccountResource(await this.#ports.accounts.update(known, edit, caller));
  }

  /**
   * Refuses all keys of the account. @throws PaymountError `resource_missing`, `permission_denied`
   */
  async suspend(call: AdminCall, id: string): Promise<AccountJson> {
    const known = await this.#idToChange(call, id);
    const caller = toCaller(call, toAccountResource);
    return toAccountResource(await this.#ports.accounts.suspend(known, caller));
  }

  /** Makes its keys work again. @throws PaymountError `resource_missing`, `permission_denied` */
  async resume(call: AdminCall, id: string): Promise<AccountJson> {
    const known = await this.#idToChange(call, id);
    const caller = toCaller(call, toAccountResource);
    return toAccountResource(await this.#ports.accounts.resume(known, caller));
  }

  #find(call: AdminCall, id: string): Promise<Account> {
    const { accounts } = this.#ports.directory;
    return targetAccount(call, id, (known) => accounts.find(known));
  }

  async #idToChange(call: AdminCall, id: string): Promise<AccountId> {
    const account = await this.#find(call, id);
    requireEverywhere(call);
    return account.id;
  }
}

/**
 * An account exists in both environments, so a change needs the permission in both. The address of a
 * user's request names one of them, and the role decides about both.
 */
export function requireEverywhere(call: AdminCall): void {
  const { admin, access } = call;
  const whole = admin.kind === 'user' ? { ...admin, environments: ENVIRONMENTS } : admin;
  const adminScope = adminScopeFor(whole, access);
  for (const environment of ENVIRONMENTS) requireIn({ ...call, adminScope }, environment);
}
