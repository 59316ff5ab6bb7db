import {
  RefundCreateInput,
  type RefundJson,
  RefundUpdateInput,
  toRefundResource,
} from '@paymount/core/payments';
import { type ListJson, listRefunds, Nothing, RefundListQuery } from '@paymount/http';
import type { Services } from '../parts/services.ts';
import { type Acting, toCall } from './acting.ts';
import { type HostCalls, reading } from './host-calls.ts';
import type { RefundCreateParams, RefundListParams, RefundUpdateParams } from './params.ts';

const PATH = '/v1/refunds';

/** The host's calls on refunds. */
export interface HostRefunds {
  create(acting: Acting, input: RefundCreateParams): Promise<RefundJson>;
  retrieve(acting: Acting, id: string): Promise<RefundJson>;
  /** Newest first. */
  list(acting: Acting, query?: RefundListParams): Promise<ListJson<RefundJson>>;
  update(acting: Acting, id: string, input: RefundUpdateParams): Promise<RefundJson>;
  cancel(acting: Acting, id: string): Promise<RefundJson>;
}

/** Refunds for the host's own code. */
export function refundsFor({ refunds }: Services, calls: HostCalls): HostRefunds {
  return {
    create: (acting, input) =>
      calls.change(
        acting,
        { path: PATH, read: reading(RefundCreateInput, input) },
        async (call, parameters) => toRefundResource(await refunds.create(call, parameters)),
      ),
    retrieve: async (acting, id) => toRefundResource(await refunds.retrieve(toCall(acting), id)),
    list: (acting, query = {}) =>
      calls.read(acting, reading(RefundListQuery, query), (call, parameters) =>
        listRefunds(refunds, call, parameters),
      ),
    update: (acting, id, input) =>
      calls.change(
        acting,
        { path: `${PATH}/${id}`, read: reading(RefundUpdateInput, input) },
        async (call, parameters) => toRefundResource(await refunds.update(call, id, parameters)),
      ),
    cancel: (acting, id) =>
      calls.change(
        acting,
        { path: `${PATH}/${id}/cancel`, read: reading(Nothing, {}) },
        async (call) => toRefundResource(await refunds.cancel(call, id)),
      ),
  };
}
