import { setTimeout as wait } from 'node:timers/promises';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postJson } from '../support/ask.ts';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { percentile } from '../support/statistics.ts';
import { webhookSetting } from '../support/webhook-setting.ts';
import {
  type MerchantReceivers,
  monotonicMs,
  openMerchantReceivers,
} from './merchant-receivers.ts';
import type { Findings, Scenario } from './scenario.ts';

const PER_SECOND = 20;
const CALM_SECONDS = 20;
/** A machine that cannot keep the rate publishes more slowly. */
const MOST_AT_ONCE = 50;
/** The highest rate that the API allows. */
const REPLAYED_PER_SECOND = 1_000;
/** One endpoint has places for fewer than that, and the machine time for fewer still. */
const LEAST_PER_SECOND = 50;
const LEAST_LIMIT_SECONDS = 60;
const MOST_DELAY_MS = 2_000;
/** For the last deliveries, once all are made. */
const REST_MS = 30_000;

/** A charge of the merchant, and what it costs its event to arrive. */
interface Sent {
  readonly chargeId: string;
  readonly sentAtMs: number;
}

interface Run {
  readonly app: TestApp;
  readonly receivers: MerchantReceivers;
  readonly size: number;
}

/** Many events are replayed to an endpoint that gets fresh ones at the same time. */
export const replay: Scenario = {
  name: 'replay',
  law: `A replay of 100,000 events delays fresh ones to the same endpoint by less than ${MOST_DELAY_MS / 1_000} s.`,
  sizes: { small: 2_000, whole: 100_000 },
  async run(size) {
    const receivers = await openMerchantReceivers(1);
    const app = await startApp();
    try {
      const hook = await webhookSetting(app).register(`http://127.0.0.1:${receivers.ports[0]}/`);
      return await measure({ app, receivers, size }, hook.id);
    } finally {
      await app.close();
      await receivers.close();
    }
  },
};

async function measure(run: Run, endpoint: string): Promise<Findings> {
  const { app, size } = run;
  await record(run);
  const calmEndMs = monotonicMs() + CALM_SECONDS * 1_000;
  const calm = await sendFresh(app, async () => monotonicMs() > calmEndMs);
  const startedMs = monotonicMs();
  const limitMs = Math.max(LEAST_LIMIT_SECONDS, size / LEAST_PER_SECOND) * 1_000;
  const body = { to: endpoint, types: ['charge.captured'], rate: REPLAYED_PER_SECOND };
  const made = await postJson(`${app.url}/v1/replays`, body, { key: app.secretKey });
  if (made.status !== 200) throw new Error(`POST /v1/replays: ${made.text}`);
  const path = `/v1/replays/${String(made.json['id'])}`;
  const find = async () => (await ask(app.url + path, { key: app.secretKey })).json;
  const busy = await sendFresh(app, async () => {
    if (monotonicMs() > startedMs + limitMs) throw new Error(`${path} takes over ${limitMs} ms.`);
    return (await find())['status'] === 'completed';
  });
  const seconds = (monotonicMs() - startedMs) / 1_000;
  const violations = await findLost(run, [...calm, ...busy]);
  const { matched, created_count } = await find();
  if (matched !== size || created_count !== size) {
    violations.push(`Of ${size} events ${matched} matched, and ${created_count} were sent.`);
  }
  const before = delaysOf(run, calm);
  const during = delaysOf(run, busy);
  const most = Math.max(...during);
  if (most >= MOST_DELAY_MS) violations.push(`A fresh event took ${most.toFixed(0)} ms.`);
  const figures = {
    'replayed per second': size / seconds,
    'fresh events during the replay': busy.length,
    'from request to receipt, before, p50, ms': percentile(before, 0.5),
    'from request to receipt, before, p99, ms': percentile(before, 0.99),
    'from request to receipt, during, p50, ms': percentile(during, 0.5),
    'from request to receipt, during, p99, ms': percentile(during, 0.99),
    'from request to receipt, during, most, ms': most,
  };
  return { violations, figures };
}

/** Copies the event of one charge, as events of another type; nobody has got them yet. */
async function record({ app, size }: Run): Promise<void> {
  await sendOne(app);
  await query(
    app.databaseUrl,
    `INSERT INTO paymount.events SELECT (jsonb_populate_record(e, to_jsonb(e) || jsonb_build_object(
       'id', 'evt' || made.id, 'object_id', 'ch' || made.id, 'type', 'charge.captured',
       'body', replace(replace(e.body, e.id, 'evt' || made.id), e.object_id, 'ch' || made.id)))).*
     FROM paymount.events e, generate_series(1, $1) n,
       LATERAL (SELECT '_' || lpad(n::text, 26, '0') AS id) made`,
    [size],
  );
  await query(app.databaseUrl, 'VACUUM ANALYZE paymount.events');
}

/** Charges at a steady rate. @param isOver asked once a second */
async function sendFresh(app: TestApp, isOver: () => Promise<boolean>): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  const running = new Set<Promise<unknown>>();
  const startedMs = monotonicMs();
  for (let count = 0; count % PER_SECOND > 0 || !(await isOver()); count += 1) {
    const aheadMs = startedMs + (count * 1_000) / PER_SECOND - monotonicMs();
    if (aheadMs > 0) await wait(aheadMs);
    while (running.size >= MOST_AT_ONCE) await Promise.race(running);
    const one = sendOne(app).then((made) => sent.push(made));
    running.add(one);
    one.finally(() => running.delete(one)).catch(() => undefined);
  }
  await Promise.all(running);
  return sent;
}

/** The event is committed while the request runs: what is measured is longer than its delay. */
async function sendOne({ url, secretKey: key }: TestApp): Promise<Sent> {
  const sentAtMs = monotonicMs();
  const sale = { amount: 100, currency: 'eur', payment_method: 'pm_card_visa' };
  const { status, json, text } = await postJson(`${url}/v1/charges`, sale, { key });
  if (status !== 200) throw new Error(`POST /v1/charges: ${text}`);
  return { chargeId: String(json['id']), sentAtMs };
}

/** Each event, fresh or replayed, has arrived, and its delivery has succeeded. */
async function findLost({ app, receivers, size }: Run, fresh: readonly Sent[]): Promise<string[]> {
  const { arrivals } = receivers;
  const ids = Array.from({ length: size }, (_, n) => `ch_${String(n + 1).padStart(26, '0')}`);
  const wanted = [...ids, ...fresh.map(({ chargeId }) => chargeId)];
  const missing = () => wanted.filter((id) => !arrivals.has(id));
  const open = async () => {
    const [row] = await query<{ count: number }>(
      app.databaseUrl,
      `SELECT count(*)::integer AS count FROM paymount.deliveries WHERE state <> 'succeeded'`,
    );
    return row?.count ?? 0;
  };
  const isLeft = async () => missing().length + (await open());
  const left = await eventually(isLeft, (count) => count === 0, REST_MS).catch(isLeft);
  if (left === 0) return [];
  return [`${missing().length} events did not arrive; ${await open()} deliveries did not succeed.`];
}

function delaysOf({ receivers }: Run, sent: readonly Sent[]): readonly number[] {
  return sent.map(({ chargeId, sentAtMs }) => {
    const atMs = receivers.arrivals.get(chargeId) ?? Number.POSITIVE_INFINITY;
    return atMs - sentAtMs;
  });
}
