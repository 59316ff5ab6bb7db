import { suggestRanges } from '@paymount/auth';
import { type Key, MomentInput, PaymountError } from '@paymount/core';
import { Nothing } from '@paymount/http';
import { z } from 'zod';
import { type AdminCall, type ManagementRoute, routesUnder } from '../admin-call.ts';
import type { ManagementServices } from '../services.ts';

const DAY_MS = 86_400_000;
/** Hours are kept for 90 days, addresses for 30. */
const HOURS_KEPT_DAYS = 90;
const HOUR_MS = DAY_MS / 24;
const ADDRESSES_KEPT_MS = 30 * DAY_MS;
const HOURS_SHOWN_MS = 7 * DAY_MS;

const UsageQuery = z.strictObject({
  since: MomentInput.optional().meta({
    description: 'Within 90 days, else 400. Without it: 7 days ago.',
  }),
});

const CountResource = z.int();
const KeyUsageResource = z
  .strictObject({
    object: z.literal('key_usage'),
    key: z.string(),
    last_used_at: z.string().nullable(),
    last_used_ip: z.string().nullable(),
    last_used_user_agent: z.string().nullable(),
    requests_24h: CountResource,
    hours: z.array(
      z.strictObject({
        hour: z.string(),
        succeeded: CountResource,
        refused: CountResource,
        rate_limited: CountResource,
        failed: CountResource,
      }),
    ),
  })
  .meta({ id: 'KeyUsage' });

const IpSuggestionsResource = z
  .strictObject({
    object: z.literal('ip_suggestions'),
    key: z.string(),
    addresses: z.array(
      z.strictObject({ address: z.string(), requests: CountResource, last_seen_at: z.string() }),
    ),
    ranges: z.array(
      z.strictObject({ range: z.string(), requests: CountResource, addresses: CountResource }),
    ),
  })
  .meta({ id: 'IpSuggestions' });

/** How a key is used: hour by hour, and from where. */
export function keyUseRoutes(
  { usage, clock }: ManagementServices,
  find: (call: AdminCall, id: string) => Promise<Key>,
): readonly ManagementRoute[] {
  const route = routesUnder('/keys');

  route.get(
    '/:id/usage',
    {
      permission: 'keys.read',
      operationId: 'retrieveKeyUsage',
      summary: 'How a key is used, hour by hour, newest first',
      query: UsageQuery,
      answers: KeyUsageResource,
    },
    async ({ call, path, query }) => {
      const { id } = await find(call, path.id);
      const now = clock.now();
      const since = query.since ?? new Date(now.getTime() - HOURS_SHOWN_MS);
      requireKept(since, now);
      const used = (await usage.findMany([id], now)).get(id);
      const hours = await usage.hours(id, since);
      return {
        object: 'key_usage',
        key: id,
        last_used_at: used?.lastUsedAt?.toISOString() ?? null,
        last_used_ip: used?.lastIp ?? null,
        last_used_user_agent: used?.lastUserAgent ?? null,
        requests_24h: used?.requests24h ?? 0,
        hours: hours.map(({ hour, succeeded, refused, rateLimited, failed }) => ({
          hour: hour.toISOString(),
          succeeded,
          refused,
          rate_limited: rateLimited,
          failed,
        })),
      };
    },
  );
  route.get(
    '/:id/ip_suggestions',
    {
      permission: 'keys.read',
      operationId: 'retrieveKeyIpSuggestions',
      summary: 'Addresses that used a key in the last 30 days, and ranges that hold them',
      query: Nothing,
      answers: IpSuggestionsResource,
    },
    async ({ call, path }) => {
      const { id } = await find(call, path.id);
      const since = new Date(clock.now().getTime() - ADDRESSES_KEPT_MS);
      const seen = await usage.addresses(id, since);
      return {
        object: 'ip_suggestions',
        key: id,
        addresses: seen.map(({ address, requests, lastSeenAt }) => ({
          address,
          requests,
          last_seen_at: lastSeenAt.toISOString(),
        })),
        ranges: suggestRanges(seen),
      };
    },
  );
  return route.routes;
}

/** What was deleted must not look like what never was. Clients whose clocks differ get an hour. */
function requireKept(since: Date, now: Date): void {
  const past = now.getTime() - HOURS_KEPT_DAYS * DAY_MS;
  const oldest = past - (past % HOUR_MS);
  if (since.getTime() >= oldest - HOUR_MS) return;
  throw new PaymountError(
    'parameter_invalid',
    `since reaches back ${HOURS_KEPT_DAYS} days, as long as hours are kept: ${new Date(oldest).toISOString()} at the earliest.`,
    { param: 'since' },
  );
}
