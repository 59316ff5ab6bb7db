import { type DisputeJson, DisputeUpdateInput, toDisputeResource } from '@paymount/core/payments';
import { DisputeListQuery, type ListJson, listDisputes, Nothing } from '@paymount/http';
import type { Services } from '../parts/services.ts';
import { type Acting, toCall } from './acting.ts';
import { type HostCalls, reading } from './host-calls.ts';
import type { DisputeListParams, DisputeUpdateParams } from './params.ts';

const PATH = '/v1/disputes';

/** The host's calls on disputes. */
export interface HostDisputes {
  retrieve(acting: Acting, id: string): Promise<DisputeJson>;
  /** Newest first. */
  list(acting: Acting, query?: DisputeListParams): Promise<ListJson<DisputeJson>>;
  /**
   * Stores evidence, and submits it unless `submit` is false. Under `using(trx)` it is submitted
   * after the outermost commit.
   */
  update(acting: Acting, id: string, input: DisputeUpdateParams): Promise<DisputeJson>;
  /** Accepts it: it is lost. Under `using(trx)` after the outermost commit. */
  close(acting: Acting, id: string): Promise<DisputeJson>;
}

/** Disputes for the host's own code. */
export function disputesFor({ disputes }: Services, calls: HostCalls): HostDisputes {
  return {
    retrieve: async (acting, id) => toDisputeResource(await disputes.retrieve(toCall(acting), id)),
    list: (acting, query = {}) =>
      calls.read(acting, reading(DisputeListQuery, query), (call, parameters) =>
        listDisputes(disputes, call, parameters),
      ),
    update: (acting, id, input) =>
      calls.change(
        acting,
        { path: `${PATH}/${id}`, read: reading(DisputeUpdateInput, input) },
        async (call, parameters) => toDisputeResource(await disputes.update(call, id, parameters)),
      ),
    close: (acting, id) =>
      calls.change(
        acting,
        { path: `${PATH}/${id}/close`, read: reading(Nothing, {}) },
        async (call) => toDisputeResource(await disputes.close(call, id)),
      ),
  };
}
