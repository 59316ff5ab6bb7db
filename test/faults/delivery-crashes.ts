import { randomUUID } from 'node:crypto';
import { isolatedRedis } from '../support/isolated-redis.ts';
import { verifyDatabase } from '../support/verify-database.ts';
import { checkDeliveries } from './delivery-laws.ts';
import type { Host } from './host.ts';
import { replayAll } from './replaying.ts';
import { type Scenario, Tally } from './scenario.ts';
import { type Setting, withSetting } from './setting.ts';
import { openWebhookLog, RECEIVER_CA, type WebhookLog } from './webhook-log.ts';

/** A named place of the delivery path, and what leads a worker there. */
interface Place {
  readonly point: string;
  /** Receivers answer 500, so that retries are planned. */
  readonly failing?: true;
  /** The operator ends the worker while attempts run. */
  readonly ended?: true;
  /** Everything is sent once more. */
  readonly replaying?: true;
  /** A point at which the same is committed and sent: small runs leave this one out. */
  readonly like?: string;
}

/** Both sides of each commit and of each send. */
const DELIVERY_PLACES: readonly Place[] = [
  { point: 'operation.before_result', like: 'one of the charge crashes' },
  { point: 'operation.after_result' },
  { point: 'claim.after_commit' },
  { point: 'send.before_connect', like: 'claim.after_commit' },
  { point: 'send.request_written' },
  { point: 'send.response_read', like: 'send.request_written' },
  { point: 'close.before_commit', like: 'send.request_written' },
  { point: 'close.after_commit', like: 'retry.before_queue' },
  { point: 'retry.before_queue', failing: true },
  { point: 'queue.mid_bulk', failing: true },
  { point: 'replay.after_batch', replaying: true },
  { point: 'shutdown.before_release', ended: true },
];

const ENDPOINTS = 2;
/** Committed before the doomed worker starts, so that there is something to claim. */
const BACKLOG = 8;
/** Each visit comes with work; this many charges reach any second visit. */
const MAX_CHARGES = 40;
const RECOVERY_STEP_MS = 6 * 60_000;
const RECOVERY_STEPS = 6;
const DEATH_LIMIT_MS = 10_000;

interface Run {
  readonly setting: Setting;
  readonly survivor: Host;
  readonly log: WebhookLog;
  readonly redisUrl: string | undefined;
  readonly tally: Tally;
  readonly violations: string[];
}

/** Size is the number of visits: each place is died at on its first visit, then on its second. */
export const deliveryCrashes: Scenario = {
  name: 'delivery-crashes',
  law: 'A worker killed at any point delivers late, never not; twice only what it was sending.',
  sizes: { small: 1, nightly: 2, full: 2 },
  run: (visits) =>
    withSetting(async (setting) => {
      const redis = await isolatedRedis();
      const log = await openWebhookLog();
      try {
        const shared = { ca: RECEIVER_CA, ...(redis && { redisUrl: redis.url }) };
        const survivor = await setting.start(shared);
        const run: Run = {
          setting,
          survivor,
          log,
          redisUrl: redis?.url,
          tally: new Tally(),
          violations: [],
        };
        await register(run);
        const places = DELIVERY_PLACES.filter(({ like }) => visits > 1 || like === undefined);
        for (const place of places) {
          for (let visit = 1; visit <= visits; visit += 1) await dieOnce(run, place, visit);
        }
        const found = await checkDeliveries(setting.databaseUrl, log, run.tally);
        return { violations: [...run.violations, ...found], counts: run.tally.toCounts() };
      } finally {
        await log.close();
        await redis?.stop();
      }
    }),
};

async function register({ setting, survivor, log }: Run): Promise<void> {
  for (let made = 0; made < ENDPOINTS; made += 1) {
    const answer = await setting.merchant.client.post(`${survivor.url}/v1/webhook_endpoints`, {
      url: log.url(`endpoint-${made}`),
      enabled_events: ['*'],
    });
    if (answer.status !== 200) throw new Error(`No endpoint could be made: ${answer.text}`);
  }
}

async function dieOnce(run: Run, place: Place, visit: number): Promise<void> {
  const { setting, survivor, log, redisUrl, tally, violations } = run;
  const where = `${place.point}, visit ${visit}`;
  log.answer(place.failing ? 500 : 200, place.ended ? 200 : 0);
  const asked = Array.from({ length: BACKLOG }, (): string => randomUUID());
  await Promise.all(asked.map((key) => charge(setting, survivor, key)));
  if (place.replaying) {
    const owner = { accountId: setting.merchant.account, environment: 'test' } as const;
    await replayAll(setting.databaseUrl, owner, survivor.shiftMs);
  }
  const doomed = await setting.start({
    ca: RECEIVER_CA,
    ...(redisUrl && { redisUrl }),
    shiftMs: survivor.shiftMs,
    crash: { point: place.point, visit },
    worker: {},
  });
  if (place.ended && visit > 1) {
    // A process ends once: there is no second visit.
    await doomed.kill();
  } else {
    if (place.ended)
      void log
        .waitFor(log.arrivals.length + 1)
        .then(() => doomed.stop())
        .catch(noop);
    asked.push(...(await workUntilDeath(setting, doomed)));
    const { signal } = await doomed.kill();
    tally.add('kills');
    if (signal !== 'SIGKILL') violations.push(`${where}: the worker ended by itself.`);
  }
  log.answer(200);
  await survivor.work();
  await recover(run, asked, where);
  await survivor.rest();
}

function noop(): void {}

/** Charges through the doomed process until it dies; two more commits may come from elsewhere. */
async function workUntilDeath(setting: Setting, doomed: Host): Promise<readonly string[]> {
  let dead = false;
  void doomed.ended.then(() => {
    dead = true;
  });
  const asked: string[] = [];
  while (!dead && asked.length < MAX_CHARGES) {
    const key = randomUUID();
    asked.push(key);
    if (!(await charge(setting, doomed, key))) break;
  }
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), DEATH_LIMIT_MS);
  });
  const outcome = await Promise.race([doomed.ended, late]);
  clearTimeout(timer);
  if (outcome === 'late') throw new Error('The worker did not reach its crash point.');
  return asked;
}

/** @returns whether it was answered: without an answer the merchant does not know */
async function charge({ merchant }: Setting, host: Host, key: string): Promise<boolean> {
  const parameters = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };
  try {
    const answer = await merchant.client.post(`${host.url}/v1/charges`, parameters, key);
    if (answer.status === 200 || answer.code === 'idempotency_key_in_use') return true;
    throw new TypeError(`A charge was answered ${answer.text}`);
  } catch (error) {
    if (error instanceof TypeError) throw error;
    return false;
  }
}

/** Merchants retry, time passes, the survivor works: in the end nothing may be left. */
async function recover(run: Run, asked: readonly string[], where: string): Promise<void> {
  const { setting, survivor, violations } = run;
  let found: readonly string[] = [];
  for (let step = 0; step < RECOVERY_STEPS; step += 1) {
    const answered = await Promise.all(asked.map((key) => charge(setting, survivor, key)));
    await survivor.drain();
    found = await verifyDatabase(setting.databaseUrl, 'at rest');
    if (answered.includes(false)) found = [...found, 'The survivor did not answer.'];
    if (found.length === 0) return;
    await survivor.advance(RECOVERY_STEP_MS);
  }
  violations.push(...found.map((sentence) => `${where}: ${sentence}`));
}
