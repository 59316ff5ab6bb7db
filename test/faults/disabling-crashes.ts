import { query } from '../support/database.ts';
import { type SmtpInbox, startSmtpInbox } from '../support/smtp-inbox.ts';
import { checkDeliveries } from './delivery-laws.ts';
import { checkDisabled, checkMails, countUnfinished } from './disabling-laws.ts';
import { AFTER_SMTP, type Place, RESUMING, STAGES } from './disabling-stages.ts';
import type { Host } from './host.ts';
import { type Scenario, Tally } from './scenario.ts';
import { type Setting, withSetting } from './setting.ts';
import { openWebhookLog, RECEIVER_CA, type WebhookLog } from './webhook-log.ts';

const HOUR_MS = 3_600_000;
/** Longer than the leases of deliveries (25 s) and of mails (15 min). */
const DELIVERY_LEASE_PAST_MS = 30_000;
const MAIL_LEASE_PAST_MS = 16 * 60_000;
/** Deliveries that are parked or resumed in one transaction. */
const STEP = 500;
const MISSED = 3;
const MAX_ROUNDS = 20;
/** Workers of one stage that die without one between them that lives: five places, two deaths each. */
const MAX_IN_A_ROW = 10;

interface Run {
  readonly setting: Setting;
  readonly size: number;
  /** Works only where it is told to. */
  readonly survivor: Host;
  readonly log: WebhookLog;
  readonly inbox: SmtpInbox;
  readonly endpoint: string;
  readonly violations: string[];
  readonly tally: Tally;
}

/** Size 1 stops at the places of a decision; size 2 at every place, size 3 twice in a row. */
export const disablingCrashes: Scenario = {
  name: 'disabling-crashes',
  law: 'A worker killed at any point while an endpoint fails disables it once, and loses nothing.',
  sizes: { small: 1, nightly: 2, full: 3 },
  run: (size) =>
    withSetting(async (setting) => {
      const [log, inbox] = [await openWebhookLog(), await startSmtpInbox()];
      try {
        const survivor = await setting.start({ ca: RECEIVER_CA, smtp: inbox.url });
        const endpoint = await register(setting, survivor, log.url('failing'));
        const violations: string[] = [];
        const tally = new Tally();
        const run = { setting, size, survivor, log, inbox, endpoint, violations, tally };
        await failForDays(run);
        await missEvents(run);
        await enable(run);
        violations.push(...(await checkDeliveries(setting.databaseUrl, log, tally, MAX_IN_A_ROW)));
        return { violations, counts: tally.toCounts() };
      } finally {
        await log.close();
        await inbox.close();
      }
    }),
};

async function register({ merchant }: Setting, host: Host, url: string): Promise<string> {
  const body = { url, enabled_events: ['charge.succeeded'] };
  const answer = await merchant.client.post(`${host.url}/v1/webhook_endpoints`, body);
  if (answer.status !== 200) throw new Error(`No endpoint could be made: ${answer.text}`);
  return String(answer.json['id']);
}

async function failForDays(run: Run): Promise<void> {
  const { setting, log, inbox, violations, tally } = run;
  log.answer(500);
  const subjects: string[] = [];
  for (const { atHours, subject, places, steps = [], mailing = [] } of STAGES) {
    await waitUntil(run, atHours);
    await charge(run);
    for (const place of places) await dieAt(run, place, { isCharged: true });
    for (const step of steps) await dieAt(run, step);
    for (const place of mailing) await dieAt(run, place, { smtp: inbox.url });
    if (subject !== undefined) subjects.push(subject);
    await work(run);
    const deaths = tally.of(`kills at ${AFTER_SMTP}`);
    violations.push(...(await checkMails(setting.databaseUrl, inbox.mails, { subjects, deaths })));
    if (atHours === 0) await addBacklog(run);
  }
  violations.push(...(await checkDisabled(setting.databaseUrl, run.endpoint)));
}

/** Has the clock of the survivor show one second more than so many hours after the first failure. */
async function waitUntil({ setting, survivor, endpoint }: Run, hours: number): Promise<void> {
  const sql = 'SELECT failing_since FROM paymount.webhook_endpoints WHERE id = $1';
  const [row] = await query<{ failing_since: Date | null }>(setting.databaseUrl, sql, [endpoint]);
  if (!row?.failing_since) return;
  const atMs = row.failing_since.getTime() + hours * HOUR_MS + 1_000;
  await survivor.advance(atMs - Date.now() - survivor.shiftMs);
}

/** Workers die at a place, one after the other; then the lease of what the last one held ends. */
async function dieAt(
  run: Run,
  { point, isSmall, isOnce }: Place,
  { isCharged, smtp }: { readonly isCharged?: true; readonly smtp?: string } = {},
): Promise<void> {
  const { setting, size, survivor, violations, tally } = run;
  if (size === 1 && !isSmall) return;
  const deaths = size < 3 || isOnce ? 1 : 2;
  for (let death = 1; death <= deaths; death += 1) {
    if (isCharged) await charge(run);
    const crash = { point, visit: 1 };
    const doomed = await setting.start({
      ca: RECEIVER_CA,
      crash,
      shiftMs: survivor.shiftMs,
      ...(smtp && { smtp }),
    });
    // Twice, for what the first round leads to. A worker that comes through is ended as usual.
    await workTwice(doomed).catch(noop);
    await doomed.stop().catch(noop);
    const { signal } = await doomed.ended;
    tally.add(`kills at ${point}`);
    if (signal !== 'SIGKILL') violations.push(`${point}: no worker came by.`);
    await survivor.advance(smtp ? MAIL_LEASE_PAST_MS : DELIVERY_LEASE_PAST_MS);
  }
}

async function workTwice(host: Host): Promise<void> {
  await host.work();
  await host.drain();
  await host.drain();
}

function noop(): void {}

async function charge({ setting, survivor }: Run): Promise<void> {
  const sale = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };
  const answer = await setting.merchant.client.post(`${survivor.url}/v1/charges`, sale);
  if (answer.status !== 200) throw new Error(`A charge was answered ${answer.text}`);
}

/** The survivor does what is due, what that leads to, and the mails about it. */
async function work({ survivor }: Run): Promise<void> {
  await survivor.work();
  for (let round = 0; round < 3; round += 1) await survivor.drain();
  await survivor.rest();
}

/** Copies the endpoint's delivery, enough for one step of parking for each death, and some more. */
async function addBacklog({ setting, size, endpoint }: Run): Promise<void> {
  await query(
    setting.databaseUrl,
    `INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id, event_type,
       origin, state, attempt, due_at, created)
     SELECT d.account_id, d.livemode, 'dlv_' || lpad(n::text, 26, '0'), d.event_id, d.endpoint_id,
       d.event_type, 'replay', 'pending', 1, d.due_at + interval '30 days', d.created
     FROM (SELECT * FROM paymount.deliveries WHERE endpoint_id = $1 LIMIT 1) d,
       generate_series(1, $2::integer) n`,
    [endpoint, (size - 1) * STEP + 20],
  );
}

/** Events are recorded while the endpoint is disabled; nothing may arrive. */
async function missEvents(run: Run): Promise<void> {
  const { log, violations } = run;
  const arrived = log.arrivals.length;
  for (let made = 0; made < MISSED; made += 1) await charge(run);
  await work(run);
  const late = log.arrivals.length - arrived;
  if (late > 0) violations.push(`${late} requests arrived at a disabled endpoint.`);
}

/** The merchant enables the endpoint, and has what it missed replayed. */
async function enable(run: Run): Promise<void> {
  const { setting, survivor, log, endpoint, violations } = run;
  log.answer(200);
  const { client } = setting.merchant;
  const parked = await countUnfinished(setting.databaseUrl, endpoint);
  const path = `${survivor.url}/v1/webhook_endpoints/${endpoint}`;
  const { json } = await client.post(path, { disabled: false });
  const { resuming, missed, missed_since } = json;
  if (resuming !== parked || missed !== MISSED) {
    violations.push(`${resuming} of ${parked} resume, and ${missed} of ${MISSED} were missed.`);
  }
  for (const place of RESUMING) await dieAt(run, place);
  await finish(run);
  const which = { endpoint, states: ['skipped'], created: { gte: missed_since } };
  const replay = await client.post(`${survivor.url}/v1/replays`, which);
  if (replay.status !== 200) violations.push(`The replay was answered ${replay.text}`);
  // It sends only what was recorded before the second in which it began.
  await survivor.advance(1_000);
  await work(run);
  await finish(run);
}

/** The survivor works until nothing waits for the endpoint. */
async function finish(run: Run): Promise<void> {
  const { setting, survivor, endpoint, violations } = run;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if ((await countUnfinished(setting.databaseUrl, endpoint)) === 0) return;
    await work(run);
    await survivor.advance(61_000);
  }
  violations.push('Deliveries wait for ever.');
}
