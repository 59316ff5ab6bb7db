import {
  EndpointCreateInput,
  type EndpointJson,
  EndpointRotateSecretInput,
  EndpointUpdateInput,
  toEndpointResource,
} from '@paymount/core/events';
import { type ListJson, ListQuery, listEndpoints, Nothing } from '@paymount/http';
import type { Services } from '../parts/services.ts';
import { type Acting, toCall } from './acting.ts';
import { type HostCalls, reading } from './host-calls.ts';
import type {
  ListParams,
  WebhookEndpointCreateParams,
  WebhookEndpointRotateSecretParams,
  WebhookEndpointUpdateParams,
} from './params.ts';

const PATH = '/v1/webhook_endpoints';

/** The host's calls on webhook endpoints. */
export interface HostWebhookEndpoints {
  /** The answer contains the signing secret, only once. */
  create(acting: Acting, input: WebhookEndpointCreateParams): Promise<EndpointJson>;
  retrieve(acting: Acting, id: string): Promise<EndpointJson>;
  /** Newest first. */
  list(acting: Acting, query?: ListParams): Promise<ListJson<EndpointJson>>;
  update(acting: Acting, id: string, input: WebhookEndpointUpdateParams): Promise<EndpointJson>;
  /** The answer contains the new signing secret, only once. */
  rotateSecret(
    acting: Acting,
    id: string,
    input?: WebhookEndpointRotateSecretParams,
  ): Promise<EndpointJson>;
  delete(acting: Acting, id: string): Promise<void>;
}

/** Webhook endpoints for the host's own code. */
export function webhookEndpointsFor(
  { endpoints }: Services,
  calls: HostCalls,
): HostWebhookEndpoints {
  return {
    create: (acting, input) =>
      calls.change(
        acting,
        { path: PATH, read: reading(EndpointCreateInput, input) },
        async (call, parameters) => {
          const { endpoint, secret } = await endpoints.create(call, parameters);
          return toEndpointResource(endpoint, { secret });
        },
      ),
    retrieve: async (acting, id) =>
      toEndpointResource(await endpoints.retrieve(toCall(acting), id)),
    list: (acting, query = {}) =>
      calls.read(acting, reading(ListQuery, query), (call, parameters) =>
        listEndpoints(endpoints, call, parameters),
      ),
    update: (acting, id, input) =>
      calls.change(
        acting,
        { path: `${PATH}/${id}`, read: reading(EndpointUpdateInput, input) },
        async (call, parameters) => {
          const { endpoint, ...once } = await endpoints.update(call, id, parameters);
          return toEndpointResource(endpoint, once);
        },
      ),
    rotateSecret: (acting, id, input = {}) =>
      calls.change(
        acting,
        { path: `${PATH}/${id}/rotate_secret`, read: reading(EndpointRotateSecretInput, input) },
        async (call, parameters) => {
          const { endpoint, secret } = await endpoints.rotateSecret(call, id, parameters);
          return toEndpointResource(endpoint, { secret });
        },
      ),
    delete: async (acting, id) => {
      const request = {
        method: 'DELETE',
        path: `${PATH}/${id}`,
        read: reading(Nothing, {}),
      } as const;
      await calls.change(acting, request, (call) => endpoints.delete(call, id));
    },
  };
}
