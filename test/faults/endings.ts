import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { checkDeliveries } from './delivery-laws.ts';
import type { Host } from './host.ts';
import { type Findings, type Scenario, Tally } from './scenario.ts';
import { type Setting, withSetting } from './setting.ts';
import { openWebhookLog, RECEIVER_CA, type WebhookLog } from './webhook-log.ts';

const ENDPOINTS = 4;
const CHARGES = 25;
const ANSWER_AFTER_MS = 1_000;
/** A lease of 25 s, and the next poll. */
const LATE_MS = 27_500;
const SHUTDOWN_LIMIT_MS = 25_000;
const DELIVERY_LIMIT_MS = 60_000;

/** An operator ends a worker with 100 deliveries under way. */
export const shutdown: Scenario = {
  name: 'shutdown',
  law: 'A worker that is ended with 100 deliveries in progress sends none of them twice.',
  sizes: { small: 1, nightly: 2, full: 5 },
  run: (rounds) =>
    endAWorker(rounds, false, async ({ doomed }) => {
      const startedMs = performance.now();
      await doomed.stop();
      const tookMs = performance.now() - startedMs;
      return tookMs <= SHUTDOWN_LIMIT_MS ? [] : [`It took ${Math.round(tookMs)} ms to end.`];
    }),
};

/** The real time that a lease costs; the other runs move a clock instead. */
export const lateness: Scenario = {
  name: 'lateness',
  law: 'What a killed worker was sending is sent again within 26 s, and the poll after it.',
  sizes: { small: 1, nightly: 1, full: 3 },
  run: (rounds) =>
    endAWorker(rounds, true, async ({ doomed, setting }) => {
      await doomed.kill();
      const killedMs = performance.now();
      await allTaken(setting);
      const tookMs = performance.now() - killedMs;
      return tookMs <= LATE_MS ? [] : [`The last one came ${Math.round(tookMs)} ms later.`];
    }),
};

interface Setup {
  readonly setting: Setting;
  readonly doomed: Host;
}

async function endAWorker(
  rounds: number,
  mayRepeat: boolean,
  end: (setup: Setup) => Promise<readonly string[]>,
): Promise<Findings> {
  return withSetting(async (setting) => {
    const log = await openWebhookLog();
    try {
      const tally = new Tally();
      const violations: string[] = [];
      const survivor = await setting.start({ ca: RECEIVER_CA });
      await register(setting, survivor, log);
      for (let round = 0; round < rounds; round += 1) {
        await survivor.rest();
        const doomed = await setting.start({ ca: RECEIVER_CA, worker: {} });
        log.answer(200, ANSWER_AFTER_MS);
        const before = log.arrivals.length;
        await Promise.all(Array.from({ length: CHARGES }, () => charge(setting, doomed)));
        await log.waitFor(before + ENDPOINTS, DELIVERY_LIMIT_MS);
        await survivor.work();
        violations.push(...(await end({ setting, doomed })));
        await allTaken(setting);
        await survivor.drain();
      }
      violations.push(...(await checkDeliveries(setting.databaseUrl, log, tally)));
      const extra = tally.of('extra sends');
      if (!mayRepeat && extra > 0) violations.push(`${extra} were sent twice.`);
      return { violations, counts: tally.toCounts() };
    } finally {
      await log.close();
    }
  });
}

async function register({ merchant }: Setting, host: Host, log: WebhookLog): Promise<void> {
  for (let made = 0; made < ENDPOINTS; made += 1) {
    const answer = await merchant.client.post(`${host.url}/v1/webhook_endpoints`, {
      url: log.url(`endpoint-${made}`),
      enabled_events: ['charge.*'],
    });
    if (answer.status !== 200) throw new Error(`No endpoint could be made: ${answer.text}`);
  }
}

async function charge({ merchant }: Setting, host: Host): Promise<void> {
  const answer = await merchant.client.post(`${host.url}/v1/charges`, {
    amount: 4200,
    currency: 'eur',
    payment_method: 'pm_card_visa',
  });
  if (answer.status !== 200) throw new Error(`No charge could be made: ${answer.text}`);
}

/** Waits until every delivery is on record as taken. */
async function allTaken({ databaseUrl }: Setting): Promise<void> {
  const countOpen = (): Promise<readonly { open: number }[]> =>
    query(
      databaseUrl,
      `SELECT count(*)::int AS open FROM paymount.deliveries WHERE state <> 'succeeded'`,
    );
  await eventually(countOpen, ([row]) => row?.open === 0, DELIVERY_LIMIT_MS);
}
