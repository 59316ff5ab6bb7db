import {
  KeyCreateInput,
  type KeyJson,
  KeyRevokeInput,
  KeyRotateInput,
  KeyUpdateInput,
  type NewKeyJson,
} from '@paymount/core/access';
import { type ListJson, Nothing } from '@paymount/http';
import {
  type IpSuggestionsJson,
  KEYS_PATH,
  type KeyCallPorts,
  KeyCalls,
  KeyListQuery,
  type KeyUsageJson,
  KeyUsageQuery,
  type KeyUseCallPorts,
  KeyUseCalls,
} from '@paymount/management';
import type { CallOptions, HostAccessCalls } from './host-access-calls.ts';
import type {
  ApiKeyCreateParams,
  ApiKeyListParams,
  ApiKeyRevokeParams,
  ApiKeyRotateParams,
  ApiKeyUpdateParams,
  ApiKeyUsageParams,
} from './params.ts';

/** The host's calls on keys; each change writes a row to the audit log. */
export interface HostKeys {
  /** The answer contains the key itself as `secret`, only once. */
  create(input: ApiKeyCreateParams, options?: CallOptions): Promise<NewKeyJson>;
  retrieve(id: string): Promise<KeyJson>;
  /** Newest first, by default of all accounts. */
  list(query?: ApiKeyListParams): Promise<ListJson<KeyJson>>;
  /** Removed rights are refused everywhere within 500 ms of the answer. */
  update(id: string, input: ApiKeyUpdateParams, options?: CallOptions): Promise<KeyJson>;
  /** Creates the successor of a key; the answer contains it as `secret`, only once. */
  rotate(id: string, input?: ApiKeyRotateParams, options?: CallOptions): Promise<NewKeyJson>;
  /** Final, and refused everywhere within 500 ms of the answer. Revoking again changes nothing. */
  revoke(id: string, input?: ApiKeyRevokeParams, options?: CallOptions): Promise<KeyJson>;
  /** The usage of the key, hour by hour. */
  usage(id: string, query?: ApiKeyUsageParams): Promise<KeyUsageJson>;
  /** Addresses that used the key in the last 30 days, and ranges that contain them. */
  ipSuggestions(id: string): Promise<IpSuggestionsJson>;
}

/** Keys for the host's own code. */
export function keysFor(ports: KeyCallPorts & KeyUseCallPorts, calls: HostAccessCalls): HostKeys {
  const keys = new KeyCalls(ports);
  const use = new KeyUseCalls(ports, keys);
  const path = (id: string, action = '') => `${KEYS_PATH}/${id}${action}`;
  return {
    create: (input, options) =>
      calls.change(
        { name: 'keys.create()', path: KEYS_PATH, shape: KeyCreateInput, input, options },
        (call, parameters) => keys.create(call, parameters),
      ),
    retrieve: (id) => calls.read({ shape: Nothing, input: {} }, (call) => keys.retrieve(call, id)),
    list: (query = {}) =>
      calls.read({ shape: KeyListQuery, input: query }, (call, parameters) =>
        keys.list(call, parameters),
      ),
    update: (id, input, options) =>
      calls.change(
        { name: 'keys.update()', path: path(id), shape: KeyUpdateInput, input, options },
        (call, parameters) => keys.update(call, id, parameters),
      ),
    rotate: (id, input = {}, options) =>
      calls.change(
        { name: 'keys.rotate()', path: path(id, '/rotate'), shape: KeyRotateInput, input, options },
        (call, parameters) => keys.rotate(call, id, parameters),
      ),
    revoke: (id, input = {}, options) =>
      calls.change(
        { name: 'keys.revoke()', path: path(id, '/revoke'), shape: KeyRevokeInput, input, options },
        (call, parameters) => keys.revoke(call, id, parameters),
      ),
    usage: (id, query = {}) =>
      calls.read({ shape: KeyUsageQuery, input: query }, (call, parameters) =>
        use.usage(call, id, parameters),
      ),
    ipSuggestions: (id) =>
      calls.read({ shape: Nothing, input: {} }, (call) => use.ipSuggestions(call, id)),
  };
}
