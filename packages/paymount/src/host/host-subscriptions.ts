import {
  SubscriptionCancelInput,
  SubscriptionCreateInput,
  type SubscriptionJson,
  SubscriptionResumeInput,
  SubscriptionUpdateInput,
} from '@paymount/core/billing';
import { type ListJson, listSubscriptions, SubscriptionListQuery } from '@paymount/http';
import { requireProcessor } from '../parts/missing-processor.ts';
import type { ServicePorts, Services } from '../parts/services.ts';
import { type Acting, toCall } from './acting.ts';
import { type HostCalls, reading } from './host-calls.ts';
import type {
  SubscriptionCancelParams,
  SubscriptionCreateParams,
  SubscriptionListParams,
  SubscriptionResumeParams,
  SubscriptionUpdateParams,
} from './params.ts';

const PATH = '/v1/subscriptions';

/** The host's calls on subscriptions. */
export interface HostSubscriptions {
  create(acting: Acting, input: SubscriptionCreateParams): Promise<SubscriptionJson>;
  retrieve(acting: Acting, id: string): Promise<SubscriptionJson>;
  /** Newest first, without canceled ones. */
  list(acting: Acting, query?: SubscriptionListParams): Promise<ListJson<SubscriptionJson>>;
  update(acting: Acting, id: string, input: SubscriptionUpdateParams): Promise<SubscriptionJson>;
  cancel(acting: Acting, id: string, input?: SubscriptionCancelParams): Promise<SubscriptionJson>;
  resume(acting: Acting, id: string, input?: SubscriptionResumeParams): Promise<SubscriptionJson>;
}

/** Subscriptions for the host's own code. */
export function subscriptionsFor(
  { subscriptions }: Services,
  calls: HostCalls,
  processors: ServicePorts['processors'],
): HostSubscriptions {
  const assertProcessor: Parameters<typeof reading>[2] = (environment) =>
    requireProcessor(processors[environment]);
  return {
    create: (acting, input) =>
      calls.change(
        acting,
        { path: PATH, read: reading(SubscriptionCreateInput, input, assertProcessor) },
        (call, parameters) => subscriptions.create(call, parameters),
      ),
    retrieve: (acting, id) => subscriptions.retrieve(toCall(acting), id),
    list: (acting, query = {}) =>
      calls.read(acting, reading(SubscriptionListQuery, query), (call, parameters) =>
        listSubscriptions(subscriptions, call, parameters),
      ),
    update: (acting, id, input) =>
      calls.change(
        acting,
        { path: `${PATH}/${id}`, read: reading(SubscriptionUpdateInput, input, assertProcessor) },
        (call, parameters) => subscriptions.update(call, id, parameters),
      ),
    cancel: (acting, id, input = {}) => {
      const read = reading(SubscriptionCancelInput, input);
      const request = { method: 'DELETE', path: `${PATH}/${id}`, read } as const;
      return calls.change(acting, request, (call, parameters) =>
        subscriptions.cancel(call, id, parameters),
      );
    },
    resume: (acting, id, input = {}) =>
      calls.change(
        acting,
        {
          path: `${PATH}/${id}/resume`,
          read: reading(SubscriptionResumeInput, input, assertProcessor),
        },
        (call, parameters) => subscriptions.resume(call, id, parameters),
      ),
  };
}
