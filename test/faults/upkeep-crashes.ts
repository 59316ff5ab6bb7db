import { randomUUID } from 'node:crypto';
import { DispatchHub } from '@paymount/core/events';
import { createPostgresStorage } from '@paymount/storage-postgres';
import { constructEvent } from 'paymount-receiver';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import type { ReceivedRequest } from '../support/receiver.ts';
import type { ApiAnswer } from './api-client.ts';
import type { Host } from './host.ts';
import { type Findings, type Scenario, Tally } from './scenario.ts';
import { type Setting, withSetting } from './setting.ts';
import { openWebhookLog, RECEIVER_CA, type WebhookLog } from './webhook-log.ts';

const DAY_MS = 86_400_000;
/** Today and the seven days after it. */
const DAYS_PREPARED = 8;
/** How many days a doomed worker has to create or to drop: one for each visit. */
const DAYS_CHANGED = 2;
/** Days that ended longer ago are dropped. */
const DAYS_KEPT = 30;
const DEATH_LIMIT_MS = 20_000;
/** Longer than the lock of a key. */
const KEY_LOCK_MS = 6 * 60_000;
const OVERLAP_SECONDS = 3_600;
/** The clock of the hosts is ahead. */
const TOLERANCE_SECONDS = 86_400;

interface Run {
  readonly setting: Setting;
  readonly survivor: Host;
  readonly log: WebhookLog;
  readonly requests: readonly ReceivedRequest[];
  readonly tally: Tally;
}

/** Size is the number of visits: each place is died at on its first visit, then on its second. */
export const upkeepCrashes: Scenario = {
  name: 'upkeep-crashes',
  law: 'A host killed while it changes days of the log or a signing secret leaves nothing half done.',
  sizes: { small: 1, nightly: 2, full: 2 },
  run: (visits) =>
    withSetting(async (setting) => {
      const requests: ReceivedRequest[] = [];
      const log = await openWebhookLog((request) => void requests.push(request));
      try {
        const survivor = await setting.start({ ca: RECEIVER_CA });
        const run: Run = { setting, survivor, log, requests, tally: new Tally() };
        const violations: string[] = [];
        for (let visit = 1; visit <= visits; visit += 1) {
          for (const dieAt of [creatingDays, droppingDays, rotatingASecret]) {
            const found = await dieAt(run, visit);
            violations.push(...found.map((sentence) => `visit ${visit}: ${sentence}`));
          }
        }
        return { violations, counts: run.tally.toCounts() } satisfies Findings;
      } finally {
        await log.close();
      }
    }),
};

async function creatingDays(run: Run, visit: number): Promise<readonly string[]> {
  const { databaseUrl } = run.setting;
  await workAndRest(run);
  const { attached } = await readDays(databaseUrl);
  for (const name of attached.slice(-DAYS_CHANGED)) {
    await query(databaseUrl, `DROP TABLE paymount.${name}`);
  }
  await dieWorking(run, 'partition.after_create', visit);
  const left = await readDays(databaseUrl);
  await workAndRest(run);
  const repaired = await readDays(databaseUrl);
  return [
    ...unattached(left.loose),
    ...expectCount('days', left.attached.length, DAYS_PREPARED - DAYS_CHANGED + visit - 1),
    ...expectCount('days after the next worker', repaired.attached.length, DAYS_PREPARED),
  ];
}

async function droppingDays(run: Run, visit: number): Promise<readonly string[]> {
  const { databaseUrl } = run.setting;
  await createOldDays(databaseUrl, run.survivor.shiftMs);
  await dieWorking(run, 'partition.before_drop', visit);
  const left = await readDays(databaseUrl);
  await workAndRest(run);
  const repaired = await readDays(databaseUrl);
  return [
    ...unattached(left.loose),
    ...expectCount('days', left.attached.length, DAYS_PREPARED + DAYS_CHANGED - visit + 1),
    ...expectCount('days after the next worker', repaired.attached.length, DAYS_PREPARED),
  ];
}

/** As many rotations as visits; the process dies in the last one. */
async function rotatingASecret(run: Run, visit: number): Promise<readonly string[]> {
  const { setting, survivor, log, requests } = run;
  const doomed = await setting.start({
    ca: RECEIVER_CA,
    shiftMs: survivor.shiftMs,
    crash: { point: 'rotate.before_commit', visit },
  });
  for (let earlier = 1; earlier < visit; earlier += 1) {
    await rotate(run, doomed, await createEndpoint(run), randomUUID());
  }
  const endpoint = await createEndpoint(run);
  const key = randomUUID();
  const unanswered = await rotate(run, doomed, endpoint, key).catch(() => undefined);
  const violations = await checkKilled(run, doomed, 'rotate.before_commit');
  if (unanswered !== undefined) violations.push(`The rotation was answered ${unanswered.text}`);
  violations.push(...expectCount('secrets', await countSecrets(run, endpoint), 1));
  let answer = await rotate(run, survivor, endpoint, key);
  if (answer.code === 'idempotency_key_in_use') {
    await survivor.advance(KEY_LOCK_MS);
    answer = await rotate(run, survivor, endpoint, key);
  }
  if (answer.status !== 200) return [...violations, `The retry was answered ${answer.text}`];
  violations.push(...expectCount('secrets after the retry', await countSecrets(run, endpoint), 2));
  const before = log.arrivals.length;
  await charge(run);
  await workAndRest(run);
  const delivered = requests.slice(before).filter(({ path }) => path === `/${endpoint.name}`);
  violations.push(...expectCount('deliveries', delivered.length, 1));
  const secrets = [endpoint.secret, String(answer.json['secret'])];
  return [...violations, ...delivered.flatMap((request) => checkSignatures(request, secrets))];
}

interface RegisteredEndpoint {
  readonly id: string;
  readonly name: string;
  readonly secret: string;
}

async function createEndpoint({ setting, survivor, log }: Run): Promise<RegisteredEndpoint> {
  const name = randomUUID();
  const parameters = { url: log.url(name), enabled_events: ['charge.succeeded'] };
  const answer = await setting.merchant.client.post(
    `${survivor.url}/v1/webhook_endpoints`,
    parameters,
  );
  if (answer.status !== 200) throw new Error(`No endpoint could be made: ${answer.text}`);
  return { id: String(answer.json['id']), name, secret: String(answer.json['secret']) };
}

function rotate({ setting }: Run, host: Host, { id }: RegisteredEndpoint, key: string) {
  const url = `${host.url}/v1/webhook_endpoints/${id}/rotate_secret`;
  return setting.merchant.client.post(url, { overlap_seconds: OVERLAP_SECONDS }, key);
}

async function charge({ setting, survivor }: Run): Promise<ApiAnswer> {
  const parameters = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' };
  return setting.merchant.client.post(`${survivor.url}/v1/charges`, parameters);
}

async function countSecrets({ setting }: Run, { id }: RegisteredEndpoint): Promise<number> {
  const rows = await query(
    setting.databaseUrl,
    'SELECT FROM paymount.endpoint_secrets WHERE endpoint_id = $1',
    [id],
  );
  return rows.length;
}

/** During the overlap both secrets sign. */
function checkSignatures(
  { headers, body }: ReceivedRequest,
  secrets: readonly string[],
): readonly string[] {
  const signature = headers['service-signature'];
  return secrets.flatMap((secret, number) => {
    try {
      constructEvent(body, signature, secret, TOLERANCE_SECONDS);
      return [];
    } catch (error) {
      return [`Secret ${number + 1} of 2 does not verify: ${String(error)}`];
    }
  });
}

/** Starts a worker that dies at the point, and waits until it is dead. */
async function dieWorking(run: Run, point: string, visit: number): Promise<void> {
  const { setting, survivor } = run;
  const doomed = await setting.start({
    ca: RECEIVER_CA,
    shiftMs: survivor.shiftMs,
    crash: { point, visit },
    worker: {},
  });
  const [violation] = await checkKilled(run, doomed, point);
  if (violation !== undefined) throw new Error(violation);
}

async function checkKilled({ tally }: Run, doomed: Host, point: string): Promise<string[]> {
  let signal: NodeJS.Signals | null | undefined;
  void doomed.ended.then((ending) => {
    signal = ending.signal;
  });
  await eventually(
    () => signal,
    (ended) => ended !== undefined,
    DEATH_LIMIT_MS,
  );
  tally.add('kills');
  return signal === 'SIGKILL' ? [] : [`The process ended by itself before ${point}.`];
}

/** Lets the survivor do all that is due. */
async function workAndRest({ survivor }: Run): Promise<void> {
  await survivor.work();
  await survivor.drain();
  await survivor.rest();
}

interface Days {
  /** Names of partitions of the log, oldest first. */
  readonly attached: readonly string[];
  /** Tables that look like one, and are none. */
  readonly loose: readonly string[];
}

async function readDays(databaseUrl: string): Promise<Days> {
  const rows = await query<{ name: string; attached: boolean }>(
    databaseUrl,
    `SELECT relname AS name, relispartition AS attached FROM pg_class
     WHERE relnamespace = 'paymount'::regnamespace AND relname ~ '^delivery_attempts_[0-9]+$'
     ORDER BY relname`,
  );
  const namesOf = (kind: boolean): readonly string[] =>
    rows.flatMap(({ name, attached }) => (attached === kind ? [name] : []));
  return { attached: namesOf(true), loose: namesOf(false) };
}

async function createOldDays(databaseUrl: string, shiftMs: number): Promise<void> {
  const { deliveries, close } = createPostgresStorage({
    connection: databaseUrl,
    dispatch: new DispatchHub(),
  });
  const oldest = Date.now() + shiftMs - (DAYS_KEPT + 2 + DAYS_CHANGED) * DAY_MS;
  await deliveries.createPartitions(new Date(oldest), DAYS_CHANGED - 1);
  await close();
}

function unattached(names: readonly string[]): readonly string[] {
  return names.map((name) => `${name} is a table of its own, and not a day of the log.`);
}

function expectCount(what: string, found: number, expected: number): readonly string[] {
  return found === expected ? [] : [`There are ${found} ${what}, and not ${expected}.`];
}
