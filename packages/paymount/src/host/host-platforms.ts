import {
  ClientSecretRevokeInput,
  PlatformCreateInput,
  type PlatformJson,
  PlatformUpdateInput,
} from '@paymount/core/oauth';
import { type ListJson, Nothing } from '@paymount/http';
import {
  PLATFORMS_PATH,
  type PlatformCallPorts,
  PlatformCalls,
  PlatformListQuery,
} from '@paymount/management';
import type { CallOptions, HostAccessCalls } from './host-access-calls.ts';
import type {
  ClientSecretRevokeParams,
  PlatformCreateParams,
  PlatformListParams,
  PlatformUpdateParams,
} from './params.ts';

/** The host's calls on platforms; each change writes a row to the audit log. */
export interface HostPlatforms {
  /** The answer contains the client secret of a confidential platform as `client_secret`, only once. */
  create(input: PlatformCreateParams, options?: CallOptions): Promise<PlatformJson>;
  retrieve(id: string): Promise<PlatformJson>;
  /** Newest first. */
  list(query?: PlatformListParams): Promise<ListJson<PlatformJson>>;
  /** Removed scopes are refused everywhere within 500 ms of the answer. */
  update(id: string, input: PlatformUpdateParams, options?: CallOptions): Promise<PlatformJson>;
  /** Its tokens are refused everywhere within 500 ms of the answer. */
  disable(id: string, options?: CallOptions): Promise<PlatformJson>;
  /** Its tokens work again. */
  enable(id: string, options?: CallOptions): Promise<PlatformJson>;
  /** Adds a second client secret; the answer contains it as `client_secret`, only once. */
  createSecret(id: string, options?: CallOptions): Promise<PlatformJson>;
  /** Final. */
  revokeSecret(
    id: string,
    input: ClientSecretRevokeParams,
    options?: CallOptions,
  ): Promise<PlatformJson>;
}

/** Platforms for the host's own code. */
export function platformsFor(ports: PlatformCallPorts, calls: HostAccessCalls): HostPlatforms {
  const platforms = new PlatformCalls(ports);
  const path = (id: string, action = '') => `${PLATFORMS_PATH}/${id}${action}`;
  return {
    create: (input, options) =>
      calls.change(
        {
          name: 'platforms.create()',
          path: PLATFORMS_PATH,
          shape: PlatformCreateInput,
          input,
          options,
        },
        (call, parameters) => platforms.create(call, parameters),
      ),
    retrieve: (id) =>
      calls.read({ shape: Nothing, input: {} }, (call) => platforms.retrieve(call, id)),
    list: (query = {}) =>
      calls.read({ shape: PlatformListQuery, input: query }, (call, parameters) =>
        platforms.list(call, parameters),
      ),
    update: (id, input, options) =>
      calls.change(
        { name: 'platforms.update()', path: path(id), shape: PlatformUpdateInput, input, options },
        (call, parameters) => platforms.update(call, id, parameters),
      ),
    disable: (id, options) =>
      calls.change(
        {
          name: 'platforms.disable()',
          path: path(id, '/disable'),
          shape: Nothing,
          input: {},
          options,
        },
        (call) => platforms.disable(call, id),
      ),
    enable: (id, options) =>
      calls.change(
        {
          name: 'platforms.enable()',
          path: path(id, '/enable'),
          shape: Nothing,
          input: {},
          options,
        },
        (call) => platforms.enable(call, id),
      ),
    createSecret: (id, options) =>
      calls.change(
        {
          name: 'platforms.createSecret()',
          path: path(id, '/create_secret'),
          shape: Nothing,
          input: {},
          options,
        },
        (call) => platforms.createSecret(call, id),
      ),
    revokeSecret: (id, input, options) =>
      calls.change(
        {
          name: 'platforms.revokeSecret()',
          path: path(id, '/revoke_secret'),
          shape: ClientSecretRevokeInput,
          input,
          options,
        },
        (call, parameters) => platforms.revokeSecret(call, id, parameters),
      ),
  };
}
