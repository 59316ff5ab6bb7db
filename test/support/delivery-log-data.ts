import type { AccountId, DeliveryId, EndpointId, EventId, Owner } from '@paymount/core/kernel';
import type pg from 'pg';
import { dropIndexes } from './drop-indexes.ts';
import { seeded } from './timing.ts';

/** UTC days of the log before today; the first is the one to drop. */
export const DAYS = 30;
export const DAY_MS = 86_400_000;
const ACCOUNTS = 100;
const ENDPOINTS_EACH = 10;
/** Every second event is of the first account, the largest. */
const LARGEST_SHARE = 2;
const EVENTS_PER_SECOND_ATTEMPT = 4;
const DELIVERIES_PER_EVENT = 4;
const TYPES = ['charge.succeeded', 'charge.failed', 'charge.captured', 'charge.refunded'];
const ERRORS = "(ARRAY['http_status','timeout','connection','http_status'])[1 + v.n / 4 % 4]";
const STATUS = '(ARRAY[503,NULL,NULL,404])[1 + v.n / 4 % 4]::smallint';

/** Ids sort by number, as made ones sort by time. */
const id = (prefix: string, n: string): string => `'${prefix}_' || lpad((${n})::text, 26, '0')`;
const ACCOUNT = `CASE WHEN v.n % ${LARGEST_SHARE} = 0 THEN 0 ELSE v.n / 2 % ${ACCOUNTS} END`;
const ENDPOINT = `(${ACCOUNT}) * ${ENDPOINTS_EACH} + (v.n + e) % ${ENDPOINTS_EACH}`;

/** The sizes of a log with so many attempts. */
export interface LogSize {
  readonly attempts: number;
  readonly events: number;
}

/** @returns the nearest size in which each day has the same number of events */
export function logSize(attempts: number): LogSize {
  const perEvent = DELIVERIES_PER_EVENT * (1 + 1 / EVENTS_PER_SECOND_ATTEMPT);
  const events = Math.round(attempts / perEvent / DAYS / EVENTS_PER_SECOND_ATTEMPT);
  return { attempts, events: events * DAYS * EVENTS_PER_SECOND_ATTEMPT };
}

/**
 * Writes the log of `DAYS` days. Each event has four deliveries; those of one event in four failed
 * first, and those of one in eight failed twice and have ended. Indexes are made at the end, which
 * takes a fraction of the time.
 * @param first beginning of the first day
 */
export async function loadLog(client: pg.Client, { events }: LogSize, first: Date): Promise<void> {
  await client.query(
    `INSERT INTO paymount.accounts (id, name, country, default_currency, status, version, created)
     SELECT ${id('acct', 'n')}, 'Account ' || n, 'DE', 'eur', 'active', 1, $1
     FROM generate_series(0, ${ACCOUNTS} - 1) n`,
    [first],
  );
  await client.query(
    `INSERT INTO paymount.webhook_endpoints (id, account_id, livemode, version, url,
       enabled_events, metadata, api_version, status, secret_version, created)
     SELECT ${id('we', 'n')}, ${id('acct', `n / ${ENDPOINTS_EACH}`)}, false, 1,
       'http://127.0.0.1:9/' || n, '{charge.*}', '{}', '2026-11-01', 'enabled', 1, $1
     FROM generate_series(0, ${ACCOUNTS * ENDPOINTS_EACH} - 1) n`,
    [first],
  );
  const makeIndexes = await dropIndexes(client, ['deliveries', 'delivery_attempts', 'events']);
  const perDay = events / DAYS;
  for (let day = 0; day < DAYS; day += 1) {
    const start = new Date(first.getTime() + day * DAY_MS);
    const values = [day * perDay, (day + 1) * perDay - 1, start, DAY_MS / perDay];
    for (const text of DAY_STATEMENTS) await client.query(text, values);
  }
  await makeIndexes();
  await client.query(
    'VACUUM ANALYZE paymount.deliveries, paymount.events, paymount.delivery_attempts',
  );
  // What is measured next does not compete with the writing of what was loaded.
  await client.query('CHECKPOINT');
}

const CREATED = "$3::timestamptz + (v.n - $1) * $4::double precision * interval '1 ms'";
const DAY_EVENTS = 'generate_series($1::integer, $2::integer) AS v (n)';
const EACH_ENDPOINT = `generate_series(0, ${DELIVERIES_PER_EVENT} - 1) e`;
const OF_DELIVERY = `${id('dlv', `v.n * ${DELIVERIES_PER_EVENT} + e`)}`;
const OF_TYPE = `(ARRAY['${TYPES.join("','")}'])[1 + v.n / 2 % ${TYPES.length}]`;
const FAILED_ONCE = `v.n % ${EVENTS_PER_SECOND_ATTEMPT} = 0`;
const FAILED = `v.n % ${EVENTS_PER_SECOND_ATTEMPT * 2} = 0`;

const attempts = (number: number): string =>
  `INSERT INTO paymount.delivery_attempts (id, account_id, livemode, delivery_id, event_id,
     event_type, endpoint_id, attempt, outcome, error_code, url, request_headers, response_status,
     response_headers, response_body, response_truncated, started_at, duration_ms,
     reused_connection, redialed)
   SELECT 'att_${number}' || substr(${OF_DELIVERY}, 6), ${id('acct', ACCOUNT)}, false,
     ${OF_DELIVERY}, ${id('evt', 'v.n')}, ${OF_TYPE}, ${id('we', ENDPOINT)}, ${number},
     CASE WHEN f.failed THEN 'failed' ELSE 'succeeded' END,
     CASE WHEN f.failed THEN ${ERRORS} END, 'https://receiver.example/hooks/' || e,
     '{"content-type":"application/json","user-agent":"Paymount","paymount-signature":"t=1,v1=00"}',
     CASE WHEN f.failed THEN ${STATUS} ELSE 200 END, '{"content-type":"text/plain"}', 'received',
     false, LEAST(${CREATED} + ${number - 1} * interval '5 minutes', $3 + interval '23:59:59'),
     v.n % 300, true, false
   FROM ${DAY_EVENTS} CROSS JOIN ${EACH_ENDPOINT}
   CROSS JOIN LATERAL (SELECT ${number === 1 ? FAILED_ONCE : FAILED} AS failed) f
   ${number === 1 ? '' : `WHERE ${FAILED_ONCE}`}`;

/** `$1`, `$2`: the first and the last event; `$3`: the beginning; `$4`: milliseconds between two. */
const DAY_STATEMENTS = [
  `INSERT INTO paymount.events (id, account_id, livemode, type, api_version, created, object_id,
     object_version, body, source)
   SELECT ${id('evt', 'v.n')}, ${id('acct', ACCOUNT)}, false, ${OF_TYPE}, '2026-11-01', ${CREATED},
     'ch_' || v.n, 1, '{}', 'api' FROM ${DAY_EVENTS}`,
  `INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id, event_type,
     origin, state, attempt, due_at, last_status, last_error, created, finished_at)
   SELECT ${id('acct', ACCOUNT)}, false, ${OF_DELIVERY}, ${id('evt', 'v.n')}, ${id('we', ENDPOINT)},
     ${OF_TYPE}, 'event', CASE WHEN ${FAILED} THEN 'failed' ELSE 'succeeded' END,
     CASE WHEN ${FAILED_ONCE} THEN 2 ELSE 1 END, ${CREATED},
     CASE WHEN ${FAILED} THEN ${STATUS} ELSE 200 END, CASE WHEN ${FAILED} THEN ${ERRORS} END,
     ${CREATED}, ${CREATED} FROM ${DAY_EVENTS} CROSS JOIN ${EACH_ENDPOINT}`,
  attempts(1),
  attempts(2),
];

/** Ids of the log, drawn at random but the same in every run. */
export interface Drawn {
  readonly owner: Owner;
  readonly event: EventId;
  readonly endpoint: EndpointId;
  readonly delivery: DeliveryId;
  readonly objectId: string;
  readonly at: Date;
}

/** @returns draws an event, and one of its deliveries */
export function drawer({ events }: LogSize, first: Date): () => Drawn {
  const random = seeded(1);
  const made = <Text extends string>(prefix: string, n: number) =>
    `${prefix}_${String(n).padStart(26, '0')}` as Text;
  return () => {
    const n = Math.floor(random() * events);
    const account = n % LARGEST_SHARE === 0 ? 0 : Math.floor(n / 2) % ACCOUNTS;
    const endpoint = account * ENDPOINTS_EACH + (n % ENDPOINTS_EACH);
    return {
      owner: { accountId: made<AccountId>('acct', account), environment: 'test' },
      event: made<EventId>('evt', n),
      endpoint: made<EndpointId>('we', endpoint),
      delivery: made<DeliveryId>('dlv', n * DELIVERIES_PER_EVENT),
      objectId: `ch_${n}`,
      at: new Date(first.getTime() + (n / events) * DAYS * DAY_MS),
    };
  };
}
