import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { createSigningSecret, signDelivery } from 'paymount-receiver/internal';
import pg from 'pg';
import { answerCommands } from './child.ts';
import { Outstanding } from './outstanding.ts';
import { ACCOUNT, sampleEvent } from './sample-event.ts';

/**
 * The worker that most of us write first: one job per delivery, and in each job SELECT, POST by
 * `fetch`, INSERT, UPDATE. It signs, keeps connections alive, pools, and enqueues in bulk as well as
 * anyone, so that what is compared is the way of working.
 */
const OUTSTANDING = 512;
const CONCURRENCY = 64;
const HANDS = 16;
const QUEUE = 'naive';
const ACCOUNTS = Number(process.env['BENCH_ACCOUNTS']);

interface DeliveryRow {
  readonly event_id: string;
  readonly body: string;
  readonly url: string;
  readonly secret: string;
}

const pool = new pg.Pool({ connectionString: process.env['BENCH_DATABASE_URL'], max: 16 });
const outstanding = new Outstanding(OUTSTANDING);
const { hostname: host, port } = new URL(process.env['BENCH_REDIS_URL'] ?? '');
const connection = { host, port: Number(port), maxRetriesPerRequest: null };
const queue = new Queue(QUEUE, { connection });
let worker: Worker | undefined;
let perEvent = 0;
let turn = 0;

async function start(ports: readonly number[]): Promise<void> {
  perEvent = ports.length / ACCOUNTS;
  await pool.query(`
    CREATE SCHEMA naive;
    CREATE TABLE naive.endpoints (id bigint PRIMARY KEY, url text NOT NULL, secret text NOT NULL);
    CREATE TABLE naive.events (id text PRIMARY KEY, type text NOT NULL, body text NOT NULL,
      created timestamptz NOT NULL DEFAULT now());
    CREATE TABLE naive.deliveries (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      event_id text NOT NULL REFERENCES naive.events, endpoint_id bigint NOT NULL
      REFERENCES naive.endpoints, state text NOT NULL DEFAULT 'pending', finished_at timestamptz);
    CREATE TABLE naive.attempts (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      delivery_id bigint NOT NULL REFERENCES naive.deliveries, status smallint NOT NULL,
      response text NOT NULL, duration_ms integer NOT NULL, created timestamptz NOT NULL DEFAULT now())`);
  for (const [id, target] of ports.entries()) {
    await pool.query('INSERT INTO naive.endpoints VALUES ($1, $2, $3)', [
      id,
      `http://127.0.0.1:${target}/hooks`,
      createSigningSecret(),
    ]);
  }
  worker = new Worker<{ delivery: string }>(QUEUE, ({ data }) => deliver(data.delivery), {
    connection,
    concurrency: CONCURRENCY,
  });
  worker.on('error', (error) => process.stderr.write(`${error.message}\n`));
  worker.on('failed', (_job, error) => process.stderr.write(`${error.message}\n`));
}

/** The event and its deliveries in one transaction, then their jobs in one call. */
async function commitEvent(): Promise<void> {
  turn += 1;
  const event = sampleEvent(ACCOUNT);
  outstanding.begin(event.id, perEvent);
  const { rows } = await pool.query<{ id: string }>(
    `WITH e AS (INSERT INTO naive.events (id, type, body) VALUES ($1, $2, $3) RETURNING id)
     INSERT INTO naive.deliveries (event_id, endpoint_id)
     SELECT e.id, p.id FROM e, naive.endpoints p WHERE p.id % $4::bigint = $5::bigint
     RETURNING id`,
    [event.id, event.type, event.body, ACCOUNTS, turn % ACCOUNTS],
  );
  const opts = { removeOnComplete: true, removeOnFail: true };
  await queue.addBulk(rows.map(({ id }) => ({ name: 'deliver', data: { delivery: id }, opts })));
}

async function deliver(id: string): Promise<void> {
  const { rows } = await pool.query<DeliveryRow>(
    `SELECT d.event_id, v.body, e.url, e.secret FROM naive.deliveries d
     JOIN naive.events v ON v.id = d.event_id JOIN naive.endpoints e ON e.id = d.endpoint_id
     WHERE d.id = $1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`There is no delivery ${id}.`);
  const startedMs = performance.now();
  const body = Buffer.from(row.body);
  const answer = await fetch(row.url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      ...signDelivery({
        body,
        eventId: row.event_id,
        secrets: [row.secret],
        timestampSeconds: Math.floor(Date.now() / 1000),
      }),
    },
    body,
  });
  const text = await answer.text();
  await pool.query(
    'INSERT INTO naive.attempts (delivery_id, status, response, duration_ms) VALUES ($1, $2, $3, $4)',
    [id, answer.status, text, Math.round(performance.now() - startedMs)],
  );
  await pool.query(
    "UPDATE naive.deliveries SET state = 'succeeded', finished_at = now() WHERE id = $1",
    [id],
  );
  outstanding.end(row.event_id);
}

/** The id of the Redis process, which means something when it runs on this machine. */
async function redisPid(): Promise<number> {
  const client = new Redis({ host, port: Number(port) });
  const info = await client.info('server');
  await client.quit();
  return Number(/process_id:(\d+)/.exec(info)?.[1] ?? 0);
}

answerCommands(
  { start, redisPid, run: (seconds: number) => outstanding.run(seconds, HANDS, commitEvent) },
  async () => {
    await worker?.close();
    await queue.close();
    await pool.end();
  },
);
