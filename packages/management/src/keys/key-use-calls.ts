import { suggestRanges } from '@paymount/core/access';
import { MomentInput, PaymountError } from '@paymount/core/kernel';
import { z } from 'zod';
import type { AdminCall } from '../admin-call.ts';
import type { ManagementServices } from '../services.ts';
import type { KeyCalls } from './key-calls.ts';

const DAY_MS = 86_400_000;
/** Hours are kept for 90 days, addresses for 30. */
const HOURS_KEPT_DAYS = 90;
const HOUR_MS = DAY_MS / 24;
const ADDRESSES_KEPT_MS = 30 * DAY_MS;
const HOURS_SHOWN_MS = 7 * DAY_MS;

/** The beginning of the requested time range. */
export const KeyUsageQuery = z.strictObject({
  since: MomentInput.optional().meta({
    description: 'Within 90 days, else 400. Without it: 7 days ago.',
  }),
});

const CountResource = z.int();
export const KeyUsageResource = z
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

export const IpSuggestionsResource = z
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

export type KeyUsageJson = z.output<typeof KeyUsageResource>;
export type IpSuggestionsJson = z.output<typeof IpSuggestionsResource>;

/** The dependencies of the calls on the usage of keys. */
export type KeyUseCallPorts = Pick<ManagementServices, 'usage' | 'clock'>;

/** The usage of keys, for the routes and for the host's own code. */
export class KeyUseCalls {
  readonly #ports: KeyUseCallPorts;
  readonly #keys: Pick<KeyCalls, 'find'>;

  constructor(ports: KeyUseCallPorts, keys: Pick<KeyCalls, 'find'>) {
    this.#ports = ports;
    this.#keys = keys;
  }

  /** Hour by hour, newest first. @throws PaymountError `resource_missing`, `parameter_invalid` */
  async usage(
    call: AdminCall,
    id: string,
    query: z.output<typeof KeyUsageQuery>,
  ): Promise<KeyUsageJson> {
    const { usage, clock } = this.#ports;
    const { id: key } = await this.#keys.find(call, id);
    const now = clock.now();
    const since = query.since ?? new Date(now.getTime() - HOURS_SHOWN_MS);
    requireKept(since, now);
    const used = (await usage.findMany([key], now)).get(key);
    const hours = await usage.hours(key, since);
    return {
      object: 'key_usage',
      key,
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
  }

  /**
   * Addresses of the last 30 days, and ranges that contain them. @throws PaymountError
   * `resource_missing`
   */
  async ipSuggestions(call: AdminCall, id: string): Promise<IpSuggestionsJson> {
    const { usage, clock } = this.#ports;
    const { id: key } = await this.#keys.find(call, id);
    const since = new Date(clock.now().getTime() - ADDRESSES_KEPT_MS);
    const seen = await usage.addresses(key, since);
    return {
      object: 'ip_suggestions',
      key,
      addresses: seen.map(({ address, requests, lastSeenAt }) => ({
        address,
        requests,
        last_seen_at: lastSeenAt.toISOString(),
      })),
      ranges: [...suggestRanges(seen)],
    };
  }
}

/**
 * Refused, because deleted hours must not look like hours without use. Clients with a wrong clock
 * get an extra hour.
 */
function requireKept(since: Date, now: Date): void {
  const past = now.getTime() - HOURS_KEPT_DAYS * DAY_MS;
  const oldest = past - (past % HOUR_MS);
  if (since.getTime() >= oldest - HOUR_MS) return;
  throw new PaymountError(
    'parameter_invalid',
    `since can be at most ${HOURS_KEPT_DAYS} days ago, because older hours are deleted: ${new Date(oldest).toISOString()} at the earliest.`,
    { param: 'since' },
  );
}
