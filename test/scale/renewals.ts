import { availableParallelism } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { DispatchHub } from '@paymount/core/events';
import { createPostgresStorage } from '@paymount/storage-postgres';
import { startApp, type TestApp } from '../support/app.ts';
import { billingLaws } from '../support/billing-laws.ts';
import { query } from '../support/database.ts';
import { percentile } from '../support/statistics.ts';
import { openSellers, type Seller } from './renewals-setup.ts';
import type { Scenario } from './scenario.ts';
import { startWorkers } from './worker-processes.ts';

const ACCOUNTS = 100;
/** One in so many is due at the same moment. */
const DUE_SHARE = 10;
const WORKERS = [1, 2, 4] as const;
const PROBE_MS = 20;
const QUIET_PROBES = 200;
const CLAIMS = 50;
const MOST_RISE_MS = 10;
const MOST_CLAIM_MS = 5;
const FORTY_DAYS_MS = 40 * 86_400_000;
/** Until each account has had a renewal. */
const MOST_WAIT_MS = 5_000;
/** More workers than cores renew no faster. */
const LEAST_GAIN = 1.2;

interface Drained {
  readonly perSecond: number;
  readonly apiP99: number;
  readonly longestWaitMs: number;
}

/** Size: subscriptions, of which a tenth is due at one moment, three times. */
export const renewals: Scenario = {
  name: 'renewals',
  law: `Renewals that are due at one moment are done the faster the more workers there are; the API is at most ${MOST_RISE_MS} ms slower.`,
  sizes: { small: 10_000, whole: 1_000_000 },
  async run(size) {
    const app = await startApp({ paymount: { rateLimit: false } });
    try {
      return await measure(app, size);
    } finally {
      await app.close();
    }
  },
};

async function measure(app: TestApp, size: number): ReturnType<Scenario['run']> {
  const sellers = await openSellers(app, ACCOUNTS);
  for (const seller of sellers) await seller.multiply(size / ACCOUNTS);
  await query(app.databaseUrl, 'ANALYZE');
  const atRest = percentile(await probe(sellers, QUIET_PROBES), 0.99);
  await makeDue(app, size / DUE_SHARE);
  const claims = await measureClaims(app);
  const claimP99 = percentile(claims, 0.99);
  const violations = claimP99 > MOST_CLAIM_MS ? [`a claim takes ${claimP99.toFixed(1)} ms`] : [];
  const figures: Record<string, number> = {
    'API p99 at rest, ms': atRest,
    'claim p50, ms': percentile(claims, 0.5),
    'claim p99, ms': claimP99,
  };
  let before = 0;
  for (const count of WORKERS) {
    if (before > 0) await makeDue(app, size / DUE_SHARE);
    const found = await drainWith(app, sellers, count);
    figures[`renewals a second, ${count} workers`] = found.perSecond;
    figures[`API p99 with ${count} workers, ms`] = found.apiP99;
    figures[`longest wait of an account, ${count} workers, ms`] = found.longestWaitMs;
    const rise = found.apiP99 - atRest;
    if (rise > MOST_RISE_MS) {
      violations.push(`with ${count} workers the API is ${rise.toFixed(1)} ms slower`);
    }
    if (found.longestWaitMs > MOST_WAIT_MS) {
      violations.push(`with ${count} workers an account waits ${found.longestWaitMs} ms`);
    }
    const hasCores = availableParallelism() > count;
    if (hasCores && found.perSecond < before * LEAST_GAIN) {
      violations.push(`${count} workers renew ${found.perSecond.toFixed(0)} a second`);
    }
    before = found.perSecond;
  }
  return { violations: [...violations, ...(await billingLaws(app.databaseUrl))], figures };
}

/** Makes subscriptions of all accounts due that were never renewed. */
async function makeDue({ databaseUrl }: TestApp, count: number): Promise<void> {
  await query(
    databaseUrl,
    `UPDATE paymount.subscriptions SET next_action_at = (period ->> 'end')::timestamptz
     WHERE ctid IN (SELECT ctid FROM paymount.subscriptions
       WHERE next_action_at > now() + interval '5 years' ORDER BY md5(id) LIMIT $1)`,
    [count],
  );
}

async function measureClaims({ databaseUrl }: TestApp): Promise<readonly number[]> {
  const dispatch = new DispatchHub();
  const storage = createPostgresStorage({ connection: databaseUrl, dispatch });
  const times: number[] = [];
  for (let count = 0; count < CLAIMS; count += 1) {
    const started = performance.now();
    const now = new Date(Date.now() + FORTY_DAYS_MS);
    await storage.billing.subscriptions.findDue({ now, from: undefined, limit: 200 });
    times.push(performance.now() - started);
  }
  await storage.close();
  // The first one connects and plans.
  return times.slice(5);
}

async function drainWith(
  app: TestApp,
  sellers: readonly Seller[],
  workers: number,
): Promise<Drained> {
  const { databaseUrl, sealingKeys } = app;
  const due = await countDue(app);
  const started = Date.now();
  const shiftMs = FORTY_DAYS_MS;
  const kill = await startWorkers(workers, { databaseUrl, sealingKeys, shiftMs });
  const times: number[] = [];
  while ((await countDue(app)) > 0) times.push(...(await probe(sellers, 25)));
  const [row] = await query<{ first: Date; last: Date; wait: number }>(
    databaseUrl,
    `SELECT min(first) AS first, max(last) AS last,
       (extract(epoch FROM max(first) - min(first)) * 1000)::integer AS wait
     FROM (SELECT min(created) AS first, max(created) AS last FROM paymount.invoices
       WHERE created >= $1 AND billing_reason = 'subscription_cycle' GROUP BY account_id) a`,
    [new Date(started + FORTY_DAYS_MS)],
  );
  await kill();
  const seconds = ((row?.last.getTime() ?? 0) - (row?.first.getTime() ?? 0)) / 1_000;
  return {
    perSecond: due / seconds,
    apiP99: percentile(times, 0.99),
    longestWaitMs: row?.wait ?? 0,
  };
}

async function countDue({ databaseUrl }: TestApp): Promise<number> {
  const [row] = await query<{ count: number }>(
    databaseUrl,
    `SELECT count(*)::integer AS count FROM paymount.subscriptions
     WHERE next_action_at < now() + interval '35 days'`,
  );
  return row?.count ?? 0;
}

/** How long the API takes to show a charge, one request after another. */
async function probe(sellers: readonly Seller[], count: number): Promise<number[]> {
  const times: number[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    const seller = sellers[sent % sellers.length];
    const started = performance.now();
    await seller?.shop.get(`/v1/customers/${seller.customer}`);
    times.push(performance.now() - started);
    await wait(PROBE_MS);
  }
  return times;
}
