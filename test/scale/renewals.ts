import { availableParallelism } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { DispatchHub } from '@paymount/core/events';
import { createPostgresStorage } from '@paymount/storage-postgres';
import type { Host } from '../faults/host.ts';
import { type Setting, withSetting } from '../faults/setting.ts';
import { billingLaws } from '../support/billing-laws.ts';
import { query } from '../support/database.ts';
import { percentile } from '../support/statistics.ts';
import { openSellers, type Seller } from './renewals-setup.ts';
import type { Scenario } from './scenario.ts';

const ACCOUNTS = 100;
/** One in so many is due at the same moment. */
const DUE_SHARE = 10;
const WORKERS = [1, 2, 4] as const;
const PROBE_MS = 20;
const QUIET_PROBES = 200;
const CLAIMS = 50;
const MOST_RISE_MS = 10;
const MOST_CLAIM_MS = 5;
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
  run: (size) =>
    withSetting(async (setting) => {
      const host = await setting.start();
      const sellers = await openSellers(setting, host, ACCOUNTS);
      for (const seller of sellers) await seller.multiply(size / ACCOUNTS);
      await query(setting.databaseUrl, 'ANALYZE');
      const quiet = await probe(sellers, host, QUIET_PROBES);
      const figures: Record<string, number> = { 'API p99 at rest, ms': percentile(quiet, 0.99) };
      const violations: string[] = [];
      const claims = await measureClaims(setting, size / DUE_SHARE);
      figures['claim p50, ms'] = percentile(claims, 0.5);
      figures['claim p99, ms'] = percentile(claims, 0.99);
      if (percentile(claims, 0.99) > MOST_CLAIM_MS) {
        violations.push(`a claim takes ${percentile(claims, 0.99).toFixed(1)} ms`);
      }
      let before = 0;
      for (const [index, count] of WORKERS.entries()) {
        if (index > 0) await makeDue(setting, size / DUE_SHARE);
        const found = await drainWith(setting, { sellers, host, workers: count });
        figures[`renewals a second, ${count} workers`] = found.perSecond;
        figures[`API p99 with ${count} workers, ms`] = found.apiP99;
        figures[`longest wait of an account, ${count} workers, ms`] = found.longestWaitMs;
        const rise = found.apiP99 - percentile(quiet, 0.99);
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
      violations.push(...(await billingLaws(setting.databaseUrl)));
      return { violations, figures };
    }),
};

/** Makes subscriptions of all accounts due that were never renewed. */
async function makeDue({ databaseUrl }: Setting, count: number): Promise<void> {
  await query(
    databaseUrl,
    `UPDATE paymount.subscriptions SET next_action_at = (period ->> 'end')::timestamptz
     WHERE ctid IN (SELECT ctid FROM paymount.subscriptions
       WHERE next_action_at > now() + interval '5 years' ORDER BY md5(id) LIMIT $1)`,
    [count],
  );
}

async function measureClaims(setting: Setting, due: number): Promise<readonly number[]> {
  await makeDue(setting, due);
  const dispatch = new DispatchHub();
  const storage = createPostgresStorage({ connection: setting.databaseUrl, dispatch });
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

const FORTY_DAYS_MS = 40 * 86_400_000;

async function drainWith(
  setting: Setting,
  {
    sellers,
    host,
    workers: count,
  }: { readonly sellers: readonly Seller[]; readonly host: Host; readonly workers: number },
): Promise<Drained> {
  const shiftMs = FORTY_DAYS_MS;
  const due = await countDue(setting);
  const started = Date.now();
  const workers: Host[] = [];
  for (let made = 0; made < count; made += 1) {
    workers.push(await setting.start({ shiftMs, worker: {} }));
  }
  const times: number[] = [];
  while ((await countDue(setting)) > 0) times.push(...(await probe(sellers, host, 25)));
  const [row] = await query<{ first: Date; last: Date; wait: number }>(
    setting.databaseUrl,
    `SELECT min(first) AS first, max(last) AS last,
       (extract(epoch FROM max(first) - min(first)) * 1000)::integer AS wait
     FROM (SELECT min(created) AS first, max(created) AS last FROM paymount.invoices
       WHERE created >= $1 AND billing_reason = 'subscription_cycle' GROUP BY account_id) a`,
    [new Date(started + shiftMs)],
  );
  await Promise.all(workers.map((worker) => worker.kill()));
  const seconds = ((row?.last.getTime() ?? 0) - (row?.first.getTime() ?? 0)) / 1_000;
  return {
    perSecond: due / seconds,
    apiP99: percentile(times, 0.99),
    longestWaitMs: row?.wait ?? 0,
  };
}

async function countDue({ databaseUrl }: Setting): Promise<number> {
  const [row] = await query<{ count: number }>(
    databaseUrl,
    `SELECT count(*)::integer AS count FROM paymount.subscriptions
     WHERE next_action_at < now() + interval '35 days'`,
  );
  return row?.count ?? 0;
}

/** How long the API takes to show a charge, one request after another. */
async function probe(sellers: readonly Seller[], host: Host, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    const seller = sellers[sent % sellers.length];
    const started = performance.now();
    await seller?.client.get(`${host.url}/v1/customers/${seller.customer}`);
    times.push(performance.now() - started);
    await wait(PROBE_MS);
  }
  return times;
}
