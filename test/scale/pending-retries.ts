import { eventually } from '../support/eventually.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { percentile } from '../support/statistics.ts';
import { type Engine, makeEngine } from '../webhooks/engine.ts';
import type { Scenario } from './scenario.ts';

const FEW = 10_000;
const ENDPOINTS = 10_000;
const RECEIVING = 20;
/** Retries that fall due while the worker runs, evenly over the seconds. */
const DUE = 1_000;
const SECONDS = 20;
const MOST_RATIO = 1.5;

/** The wait from the due time of a retry to its attempt. */
export const pendingRetries: Scenario = {
  name: 'pending-retries',
  law: `The lag of retries (p99) is at most ${MOST_RATIO} times that with ${FEW} pending.`,
  sizes: { small: 100_000, whole: 1_000_000 },
  async run(size) {
    const receiver = await startReceiver();
    const engine = await makeEngine();
    try {
      for (let count = 0; count < RECEIVING; count += 1) await engine.endpoint(receiver.url);
      await addEndpoints(engine);
      await engine.publish(DUE);
      await engine.query('DELETE FROM paymount.deliveries');
      await engine.startWorker({ reconcile: true });
      await addPending(engine, 0, FEW);
      const few = await measure(engine, receiver, 'dlv_few');
      await addPending(engine, FEW, size);
      const many = await measure(engine, receiver, 'dlv_many');
      const ratio = many.p99 / few.p99;
      const violations =
        ratio > MOST_RATIO ? [`the lag is ${ratio.toFixed(2)} times that with ${FEW}`] : [];
      const figures = {
        [`p99 with ${FEW}, ms`]: few.p99,
        [`p99 with ${size}, ms`]: many.p99,
        [`p50 with ${FEW}, ms`]: few.p50,
        [`p50 with ${size}, ms`]: many.p50,
        ratio,
      };
      return { violations, figures };
    } finally {
      await engine.close();
      await receiver.close();
    }
  },
};

async function addEndpoints({ query }: Engine): Promise<void> {
  await query(
    `INSERT INTO paymount.webhook_endpoints (id, account_id, livemode, version, url,
       enabled_events, metadata, api_version, status, secret_version, created)
     SELECT 'we_scale' || n, account_id, livemode, 1, url, '{payout.*}', '{}', api_version, status,
       1, created FROM generate_series(1, $1::integer) n,
       (SELECT * FROM paymount.webhook_endpoints LIMIT 1) e`,
    [ENDPOINTS],
  );
}

/** Retries that wait for hours. They are never sent, so their events are not needed. */
async function addPending({ query, owner }: Engine, from: number, to: number): Promise<void> {
  await query(
    `INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id, event_type,
       origin, state, attempt, due_at, created)
     SELECT $1, false, 'dlv_wait' || n, 'evt_wait' || n, 'we_scale' || 1 + n % $4::integer,
       'payout.paid', 'event', 'pending', 2, now() + interval '2 hours' + n * interval '10 ms', now()
     FROM generate_series($2::integer, $3::integer - 1) n`,
    [owner.accountId, from, to, ENDPOINTS],
  );
}

/** Lets retries fall due, one after the other. @param name of the ids */
async function measure({ query, owner }: Engine, receiver: Receiver, name: string) {
  const before = receiver.requests.length;
  await query(
    `INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id, event_type,
       origin, state, attempt, due_at, created)
     SELECT $1, false, $4 || v.n, v.id, e.id, 'charge.succeeded', 'event', 'pending', 2,
       clock_timestamp() + interval '2 s' + v.n * $2 * interval '1 ms', now()
     FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM paymount.events) v
     JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS n FROM paymount.webhook_endpoints
       WHERE id NOT LIKE 'we_scale%') e ON e.n = v.n % $3`,
    [owner.accountId, (SECONDS * 1_000) / DUE, RECEIVING, name],
  );
  await receiver.waitFor(before + DUE, (SECONDS + 60) * 1_000);
  const sent = "d.id LIKE $1 AND d.state = 'succeeded'";
  await eventually(
    async () => {
      const [row] = await query<{ count: number }>(
        `SELECT count(*)::integer AS count FROM paymount.deliveries d WHERE ${sent}`,
        [`${name}%`],
      );
      return row?.count;
    },
    (count) => count === DUE,
    60_000,
  );
  const rows = await query<{ ms: number }>(
    `SELECT extract(epoch FROM a.started_at - d.due_at)::double precision * 1000 AS ms
     FROM paymount.deliveries d JOIN paymount.delivery_attempts a ON a.delivery_id = d.id
     WHERE ${sent}`,
    [`${name}%`],
  );
  await query('DELETE FROM paymount.deliveries WHERE id LIKE $1', [`${name}%`]);
  const lags = rows.map(({ ms }) => ms);
  return { p50: percentile(lags, 0.5), p99: percentile(lags, 0.99) };
}
