import { randomUUID } from 'node:crypto';
import { query } from '../support/database.ts';
import { verifyDatabase } from '../support/verify-database.ts';
import type { ApiAnswer } from './api-client.ts';
import type { Host } from './host.ts';
import { type Findings, type Scenario, Tally } from './scenario.ts';
import { type Setting, withSetting } from './setting.ts';

/** Both sides of each commit and of the call, in every operation on a processor. */
export const OPERATION_POINTS = [
  'operation.before_intent',
  'operation.after_intent',
  'operation.before_call',
  'operation.after_call',
  'operation.before_result',
  'operation.after_result',
] as const;

/** What a merchant asks for, given the charge to do it to. */
const ACTIONS = {
  charge: { needs: 'nothing', path: () => '/v1/charges', body: () => sale(true) },
  capture: { needs: 'authorization', path: (id) => `/v1/charges/${id}/capture`, body: () => ({}) },
  cancel: { needs: 'authorization', path: (id) => `/v1/charges/${id}/cancel`, body: () => ({}) },
  refund: { needs: 'sale', path: () => '/v1/refunds', body: (id) => ({ charge: id, amount: 60 }) },
} as const satisfies Record<string, Action>;

interface Action {
  readonly needs: 'nothing' | 'authorization' | 'sale';
  readonly path: (chargeId: string) => string;
  readonly body: (chargeId: string) => object;
}

type ActionName = keyof typeof ACTIONS;

interface Run {
  readonly setting: Setting;
  /** Lives on, with a worker, and finishes what the dead left. */
  readonly survivor: Host;
  readonly tally: Tally;
  readonly violations: string[];
}

const MINUTE_MS = 60_000;
/** Locks of idempotency keys (1 min) and both look-ups of the resolver (5 min apart) pass in it. */
const RECOVERY_STEPS = 5;
const RECOVERY_STEP_MS = 6 * MINUTE_MS;

/** Size 1 charges only, at first visits; size 2 adds the other actions; size 3 adds second visits. */
export const chargeCrashes: Scenario = {
  name: 'charge-crashes',
  law: 'A host killed at any point of a charge loses and doubles nothing; its retry gets the answer.',
  sizes: { small: 1, nightly: 2, full: 3 },
  run: (size) =>
    withSetting(async (setting) => {
      const survivor = await setting.start({ worker: {} });
      const run: Run = { setting, survivor, tally: new Tally(), violations: [] };
      const actions = size < 2 ? (['charge'] as const) : (Object.keys(ACTIONS) as ActionName[]);
      for (const action of actions) {
        for (const point of OPERATION_POINTS) {
          for (let visit = 1; visit <= Math.max(1, size - 1); visit += 1) {
            await crashOnce(run, action, { point, visit });
          }
        }
      }
      return conclude(run);
    }),
};

async function conclude({ setting, tally, violations }: Run): Promise<Findings> {
  const found = await verifyDatabase(setting.databaseUrl, 'at rest');
  return { violations: [...violations, ...found], counts: tally.toCounts() };
}

/** One host dies in the `visit`-th request of an action; another one finishes the work. */
async function crashOnce(
  run: Run,
  name: ActionName,
  crash: { readonly point: string; readonly visit: number },
): Promise<void> {
  const { setting, survivor, tally, violations } = run;
  const where = `${name} at ${crash.point}, visit ${crash.visit}`;
  const asked = await prepare(survivor, setting, ACTIONS[name], crash.visit);
  const doomed = await setting.start({ crash, shiftMs: survivor.shiftMs });
  for (const [index, request] of asked.entries()) {
    const answer = await post(setting, doomed, request);
    const isLast = index === crash.visit - 1;
    if (isLast !== (answer === undefined)) {
      violations.push(
        `${where}: request ${index + 1} was answered ${answer?.text ?? 'not at all'}`,
      );
    }
  }
  const { signal } = await doomed.ended;
  if (signal !== 'SIGKILL') violations.push(`${where}: the host ended by ${signal ?? 'itself'}.`);
  tally.add('kills');
  for (const request of asked) await recover(run, request, where);
  await checkKeys(run, asked, where);
}

interface Asked {
  readonly path: string;
  readonly body: object;
  readonly key: string;
}

async function prepare(
  host: Host,
  setting: Setting,
  { needs, path, body }: Action,
  count: number,
): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  for (let made = 0; made < count; made += 1) {
    const id = needs === 'nothing' ? '' : await chargeFor(host, setting, needs === 'sale');
    asked.push({ path: path(id), body: body(id), key: randomUUID() });
  }
  return asked;
}

async function chargeFor(host: Host, setting: Setting, capture: boolean): Promise<string> {
  const made = await setting.merchant.client.post(`${host.url}/v1/charges`, sale(capture));
  if (made.status !== 200) throw new Error(`No charge could be made: ${made.text}`);
  return String(made.json['id']);
}

function sale(capture: boolean): object {
  return { amount: 100, currency: 'eur', payment_method: 'pm_card_visa', capture };
}

/** @returns undefined when the connection broke: the merchant does not know what happened */
async function post(
  { merchant }: Setting,
  host: Host,
  { path, body, key }: Asked,
): Promise<ApiAnswer | undefined> {
  try {
    return await merchant.client.post(`${host.url}${path}`, body, key);
  } catch {
    return undefined;
  }
}

/** The merchant retries with the same key while time passes, until the key has its answer. */
async function recover(run: Run, asked: Asked, where: string): Promise<void> {
  const { setting, survivor, tally, violations } = run;
  for (let step = 0; step <= RECOVERY_STEPS; step += 1) {
    const answer = await post(setting, survivor, asked);
    tally.add(`retry ${answer?.code ?? answer?.status ?? 'broken'}`);
    if (answer?.status === 200) return;
    if (answer?.code !== 'idempotency_key_in_use') {
      violations.push(`${where}: the retry was answered ${answer?.text ?? 'not at all'}`);
      return;
    }
    await survivor.advance(RECOVERY_STEP_MS);
    await survivor.drain();
  }
  violations.push(`${where}: the key had no answer after ${RECOVERY_STEPS * 6} minutes.`);
}

/** One operation per key was executed, once. */
async function checkKeys(run: Run, asked: readonly Asked[], where: string): Promise<void> {
  const rows = await query<{ key: string; executed: number }>(
    run.setting.databaseUrl,
    `SELECT k.key, (SELECT count(*)::int FROM paymount.operations o
       JOIN paymount.sandbox_operations s ON s.operation_id = o.id
       WHERE o.idempotency_key = k.key) AS executed
     FROM paymount.idempotency_keys k WHERE k.key = ANY($1)`,
    [asked.map(({ key }) => key)],
  );
  if (rows.length !== asked.length) {
    run.violations.push(`${where}: ${rows.length} of ${asked.length} keys are on record.`);
  }
  for (const { executed } of rows) {
    if (executed !== 1) run.violations.push(`${where}: a key was executed ${executed} times.`);
  }
}
