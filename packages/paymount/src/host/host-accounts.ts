import { AccountCreateInput, type AccountJson, AccountUpdateInput } from '@paymount/core/access';
import { type ListJson, Nothing } from '@paymount/http';
import {
  ACCOUNTS_PATH,
  type AccountCallPorts,
  AccountCalls,
  AccountListQuery,
} from '@paymount/management';
import type { CallOptions, HostAccessCalls } from './host-access-calls.ts';
import type { AccountCreateParams, AccountListParams, AccountUpdateParams } from './params.ts';

/** The host's calls on accounts; each change writes a row to the audit log. */
export interface HostAccounts {
  create(input: AccountCreateParams, options?: CallOptions): Promise<AccountJson>;
  retrieve(id: string): Promise<AccountJson>;
  /** Newest first. */
  list(query?: AccountListParams): Promise<ListJson<AccountJson>>;
  update(id: string, input: AccountUpdateParams, options?: CallOptions): Promise<AccountJson>;
  /** Refuses all keys of the account, everywhere within 500 ms of the answer. */
  suspend(id: string, options?: CallOptions): Promise<AccountJson>;
  /** Makes the account's keys work again. */
  resume(id: string, options?: CallOptions): Promise<AccountJson>;
}

/** Accounts for the host's own code. */
export function accountsFor(ports: AccountCallPorts, calls: HostAccessCalls): HostAccounts {
  const accounts = new AccountCalls(ports);
  const path = (id: string, action = '') => `${ACCOUNTS_PATH}/${id}${action}`;
  const nothing = { shape: Nothing, input: {} };
  return {
    create: (input, options) =>
      calls.change(
        {
          name: 'accounts.create()',
          path: ACCOUNTS_PATH,
          shape: AccountCreateInput,
          input,
          options,
        },
        (call, parameters) => accounts.create(call, parameters),
      ),
    retrieve: (id) => calls.read(nothing, (call) => accounts.retrieve(call, id)),
    list: (query = {}) =>
      calls.read({ shape: AccountListQuery, input: query }, (call, parameters) =>
        accounts.list(call, parameters),
      ),
    update: (id, input, options) =>
      calls.change(
        { name: 'accounts.update()', path: path(id), shape: AccountUpdateInput, input, options },
        (call, parameters) => accounts.update(call, id, parameters),
      ),
    suspend: (id, options) =>
      calls.change(
        { name: 'accounts.suspend()', path: path(id, '/suspend'), ...nothing, options },
        (call) => accounts.suspend(call, id),
      ),
    resume: (id, options) =>
      calls.change(
        { name: 'accounts.resume()', path: path(id, '/resume'), ...nothing, options },
        (call) => accounts.resume(call, id),
      ),
  };
}
