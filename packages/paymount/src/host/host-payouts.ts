import {
  PayoutCreateInput,
  type PayoutJson,
  PayoutUpdateInput,
  toPayoutResource,
} from '@paymount/core/payments';
import { type ListJson, listPayouts, Nothing, PayoutListQuery } from '@paymount/http';
import type { Services } from '../parts/services.ts';
import { type Acting, toCall } from './acting.ts';
import { type HostCalls, reading } from './host-calls.ts';
import type { PayoutCreateParams, PayoutListParams, PayoutUpdateParams } from './params.ts';

const PATH = '/v1/payouts';

/** The host's calls on payouts. All of them finish in the host's transaction. */
export interface HostPayouts {
  create(acting: Acting, input: PayoutCreateParams): Promise<PayoutJson>;
  retrieve(acting: Acting, id: string): Promise<PayoutJson>;
  /** Newest first. */
  list(acting: Acting, query?: PayoutListParams): Promise<ListJson<PayoutJson>>;
  update(acting: Acting, id: string, input: PayoutUpdateParams): Promise<PayoutJson>;
  /** Cancels a payout that was not sent yet. */
  cancel(acting: Acting, id: string): Promise<PayoutJson>;
}

/** Payouts for the host's own code. */
export function payoutsFor({ payouts }: Services, calls: HostCalls): HostPayouts {
  return {
    create: (acting, input) =>
      calls.change(
        acting,
        { path: PATH, read: reading(PayoutCreateInput, input) },
        async (call, parameters) => toPayoutResource(await payouts.create(call, parameters)),
      ),
    retrieve: async (acting, id) => toPayoutResource(await payouts.retrieve(toCall(acting), id)),
    list: (acting, query = {}) =>
      calls.read(acting, reading(PayoutListQuery, query), (call, parameters) =>
        listPayouts(payouts, call, parameters),
      ),
    update: (acting, id, input) =>
      calls.change(
        acting,
        { path: `${PATH}/${id}`, read: reading(PayoutUpdateInput, input) },
        async (call, parameters) => toPayoutResource(await payouts.update(call, id, parameters)),
      ),
    cancel: (acting, id) =>
      calls.change(
        acting,
        { path: `${PATH}/${id}/cancel`, read: reading(Nothing, {}) },
        async (call) => toPayoutResource(await payouts.cancel(call, id)),
      ),
  };
}
