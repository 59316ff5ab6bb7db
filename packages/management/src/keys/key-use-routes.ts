import { Nothing } from '@paymount/http';
import { type ManagementRoute, routesUnder } from '../admin-call.ts';
import { KEYS_PATH, type KeyCalls } from './key-calls.ts';
import {
  IpSuggestionsResource,
  KeyUsageQuery,
  KeyUsageResource,
  type KeyUseCallPorts,
  KeyUseCalls,
} from './key-use-calls.ts';

/** The usage of a key: hour by hour, and by address. */
export function keyUseRoutes(ports: KeyUseCallPorts, keys: KeyCalls): readonly ManagementRoute[] {
  const use = new KeyUseCalls(ports, keys);
  const route = routesUnder(KEYS_PATH);

  route.get(
    '/:id/usage',
    {
      permission: 'keys.read',
      operationId: 'retrieveKeyUsage',
      summary: 'List the usage of a key, hour by hour, newest first',
      query: KeyUsageQuery,
      response: KeyUsageResource,
    },
    ({ call, path, query }) => use.usage(call, path.id, query),
  );
  route.get(
    '/:id/ip_suggestions',
    {
      permission: 'keys.read',
      operationId: 'retrieveKeyIpSuggestions',
      summary:
        'List the addresses that used a key in the last 30 days, and ranges that contain them',
      query: Nothing,
      response: IpSuggestionsResource,
    },
    ({ call, path }) => use.ipSuggestions(call, path.id),
  );
  return route.routes;
}
