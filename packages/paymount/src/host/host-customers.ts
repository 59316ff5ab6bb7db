import {
  CustomerBalanceTransactionCreateInput,
  type CustomerBalanceTransactionJson,
  CustomerBalanceTransactionUpdateInput,
  toCustomerBalanceTransactionResource,
} from '@paymount/core/billing';
import {
  CustomerCreateInput,
  type CustomerJson,
  CustomerUpdateInput,
  type DeletedCustomerJson,
  toAnyCustomerResource,
  toCustomerResource,
} from '@paymount/core/payments';
import {
  CustomerBalanceListQuery,
  CustomerListQuery,
  type ListJson,
  listBalanceTransactions,
  listCustomers,
  Nothing,
} from '@paymount/http';
import type { Services } from '../parts/services.ts';
import { type Acting, toCall } from './acting.ts';
import { type HostCalls, reading } from './host-calls.ts';
import type {
  CustomerBalanceListParams,
  CustomerBalanceTransactionCreateParams,
  CustomerBalanceTransactionUpdateParams,
  CustomerCreateParams,
  CustomerListParams,
  CustomerUpdateParams,
} from './params.ts';

const PATH = '/v1/customers';

/** The host's calls on customers. */
export interface HostCustomers {
  create(acting: Acting, input?: CustomerCreateParams): Promise<CustomerJson>;
  /** A deleted one too: nothing but its id is left. */
  retrieve(acting: Acting, id: string): Promise<CustomerJson | DeletedCustomerJson>;
  /** Newest first, without deleted ones. */
  list(acting: Acting, query?: CustomerListParams): Promise<ListJson<CustomerJson>>;
  update(acting: Acting, id: string, input: CustomerUpdateParams): Promise<CustomerJson>;
  /** Removes the facts about a person, for good. */
  delete(acting: Acting, id: string): Promise<void>;
  /** Adjusts the balance: a negative amount is a credit of the customer. */
  createBalanceTransaction(
    acting: Acting,
    customer: string,
    input: CustomerBalanceTransactionCreateParams,
  ): Promise<CustomerBalanceTransactionJson>;
  /** Of a deleted customer too. */
  retrieveBalanceTransaction(
    acting: Acting,
    customer: string,
    id: string,
  ): Promise<CustomerBalanceTransactionJson>;
  /** Newest first; of a deleted customer too. */
  listBalanceTransactions(
    acting: Acting,
    customer: string,
    query?: CustomerBalanceListParams,
  ): Promise<ListJson<CustomerBalanceTransactionJson>>;
  /** Only the description and the metadata change; of a deleted customer too. */
  updateBalanceTransaction(
    acting: Acting,
    customer: string,
    id: string,
    input: CustomerBalanceTransactionUpdateParams,
  ): Promise<CustomerBalanceTransactionJson>;
}

/** The calls of `HostCustomers` on balances. */
type BalanceCalls = Pick<
  HostCustomers,
  | 'createBalanceTransaction'
  | 'retrieveBalanceTransaction'
  | 'listBalanceTransactions'
  | 'updateBalanceTransaction'
>;

/** Customers for the host's own code. */
export function customersFor(services: Services, calls: HostCalls): HostCustomers {
  const { customers } = services;
  return {
    ...balancesFor(services, calls),
    create: (acting, input = {}) =>
      calls.change(
        acting,
        { path: PATH, read: reading(CustomerCreateInput, input) },
        async (call, parameters) => toCustomerResource(await customers.create(call, parameters)),
      ),
    retrieve: async (acting, id) =>
      toAnyCustomerResource(await customers.retrieve(toCall(acting), id)),
    list: (acting, query = {}) =>
      calls.read(acting, reading(CustomerListQuery, query), (call, parameters) =>
        listCustomers(customers, call, parameters),
      ),
    update: (acting, id, input) =>
      calls.change(
        acting,
        { path: `${PATH}/${id}`, read: reading(CustomerUpdateInput, input) },
        async (call, parameters) =>
          toCustomerResource(await customers.update(call, id, parameters)),
      ),
    delete: async (acting, id) => {
      const request = {
        method: 'DELETE',
        path: `${PATH}/${id}`,
        read: reading(Nothing, {}),
      } as const;
      await calls.change(acting, request, (call) => customers.delete(call, id));
    },
  };
}

function balancesFor({ customerBalances }: Services, calls: HostCalls): BalanceCalls {
  const pathOf = (customer: string): string => `${PATH}/${customer}/balance_transactions`;
  return {
    createBalanceTransaction: (acting, customer, input) =>
      calls.change(
        acting,
        { path: pathOf(customer), read: reading(CustomerBalanceTransactionCreateInput, input) },
        async (call, parameters) =>
          toCustomerBalanceTransactionResource(
            await customerBalances.create(call, customer, parameters),
          ),
      ),
    retrieveBalanceTransaction: async (acting, customer, id) =>
      toCustomerBalanceTransactionResource(
        await customerBalances.retrieve(toCall(acting), customer, id),
      ),
    listBalanceTransactions: (acting, customer, query = {}) =>
      calls.read(acting, reading(CustomerBalanceListQuery, query), (call, parameters) =>
        listBalanceTransactions(customerBalances, call, customer, parameters),
      ),
    updateBalanceTransaction: (acting, customer, id, input) =>
      calls.change(
        acting,
        {
          path: `${pathOf(customer)}/${id}`,
          read: reading(CustomerBalanceTransactionUpdateInput, input),
        },
        async (call, parameters) =>
          toCustomerBalanceTransactionResource(
            await customerBalances.update(call, customer, id, parameters),
          ),
      ),
  };
}
