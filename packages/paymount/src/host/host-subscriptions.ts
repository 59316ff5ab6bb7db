import {
  type DeletedSubscriptionItemJson,
  type InvoiceJson,
  InvoicePreviewInput,
  SubscriptionCancelInput,
  SubscriptionCreateInput,
  SubscriptionItemCreateInput,
  SubscriptionItemDeleteInput,
  type SubscriptionItemJson,
  SubscriptionItemUpdateInput,
  type SubscriptionJson,
  SubscriptionResumeInput,
  SubscriptionUpdateInput,
} from '@paymount/core/billing';
import {
  type ListJson,
  listSubscriptionItems,
  listSubscriptions,
  SubscriptionItemListQuery,
  SubscriptionListQuery,
} from '@paymount/http';
import { requireProcessor } from '../parts/missing-processor.ts';
import type { ServicePorts, Services } from '../parts/services.ts';
import { type Acting, toCall } from './acting.ts';
import { type HostCalls, reading } from './host-calls.ts';
import type {
  InvoicePreviewParams,
  SubscriptionCancelParams,
  SubscriptionCreateParams,
  SubscriptionItemCreateParams,
  SubscriptionItemDeleteParams,
  SubscriptionItemListParams,
  SubscriptionItemUpdateParams,
  SubscriptionListParams,
  SubscriptionResumeParams,
  SubscriptionUpdateParams,
} from './params.ts';

const PATH = '/v1/subscriptions';
const ITEMS = '/v1/subscription_items';

/** The host's calls on subscriptions. */
export interface HostSubscriptions {
  create(acting: Acting, input: SubscriptionCreateParams): Promise<SubscriptionJson>;
  retrieve(acting: Acting, id: string): Promise<SubscriptionJson>;
  /** Newest first, without canceled ones. */
  list(acting: Acting, query?: SubscriptionListParams): Promise<ListJson<SubscriptionJson>>;
  update(acting: Acting, id: string, input: SubscriptionUpdateParams): Promise<SubscriptionJson>;
  cancel(acting: Acting, id: string, input?: SubscriptionCancelParams): Promise<SubscriptionJson>;
  resume(acting: Acting, id: string, input?: SubscriptionResumeParams): Promise<SubscriptionJson>;
  /** The invoice that a change, or time alone, would lead to. */
  preview(acting: Acting, input: InvoicePreviewParams): Promise<InvoiceJson>;
}

/** The host's calls on the items of subscriptions. */
export interface HostSubscriptionItems {
  create(acting: Acting, input: SubscriptionItemCreateParams): Promise<SubscriptionItemJson>;
  retrieve(acting: Acting, id: string): Promise<SubscriptionItemJson>;
  /** In their order. */
  list(acting: Acting, query: SubscriptionItemListParams): Promise<ListJson<SubscriptionItemJson>>;
  update(
    acting: Acting,
    id: string,
    input: SubscriptionItemUpdateParams,
  ): Promise<SubscriptionItemJson>;
  delete(
    acting: Acting,
    id: string,
    input?: SubscriptionItemDeleteParams,
  ): Promise<DeletedSubscriptionItemJson>;
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
    preview: (acting, input) =>
      calls.read(acting, reading(InvoicePreviewInput, input), (call, parameters) =>
        subscriptions.preview(call, parameters),
      ),
  };
}

/** The items of subscriptions for the host's own code. */
export function subscriptionItemsFor(
  { subscriptionItems }: Services,
  calls: HostCalls,
  processors: ServicePorts['processors'],
): HostSubscriptionItems {
  const assertProcessor: Parameters<typeof reading>[2] = (environment) =>
    requireProcessor(processors[environment]);
  return {
    create: (acting, input) =>
      calls.change(
        acting,
        { path: ITEMS, read: reading(SubscriptionItemCreateInput, input, assertProcessor) },
        (call, parameters) => subscriptionItems.create(call, parameters),
      ),
    retrieve: (acting, id) => subscriptionItems.retrieve(toCall(acting), id),
    list: (acting, query) =>
      calls.read(acting, reading(SubscriptionItemListQuery, query), (call, parameters) =>
        listSubscriptionItems(subscriptionItems, call, parameters),
      ),
    update: (acting, id, input) =>
      calls.change(
        acting,
        {
          path: `${ITEMS}/${id}`,
          read: reading(SubscriptionItemUpdateInput, input, assertProcessor),
        },
        (call, parameters) => subscriptionItems.update(call, id, parameters),
      ),
    delete: (acting, id, input = {}) => {
      const read = reading(SubscriptionItemDeleteInput, input, assertProcessor);
      const request = { method: 'DELETE', path: `${ITEMS}/${id}`, read } as const;
      return calls.change(acting, request, (call, parameters) =>
        subscriptionItems.delete(call, id, parameters),
      );
    },
  };
}
