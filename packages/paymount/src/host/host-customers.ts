import {
  CustomerCreateInput,
  type CustomerJson,
  CustomerUpdateInput,
  type DeletedCustomerJson,
  toAnyCustomerResource,
  toCustomerResource,
} from '@paymount/core/payments';
import { CustomerListQuery, type ListJson, listCustomers, Nothing } from '@paymount/http';
import type { Services } from '../parts/services.ts';
import { type Acting, toCall } from './acting.ts';
import { type HostCalls, reading } from './host-calls.ts';
import type { CustomerCreateParams, CustomerListParams, CustomerUpdateParams } from './params.ts';

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
}

/** Customers for the host's own code. */
export function customersFor({ customers }: Services, calls: HostCalls): HostCustomers {
  return {
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
