import { billingLaws } from '../support/billing-laws.ts';
import { query } from '../support/database.ts';
import { verifyDatabase } from '../support/verify-database.ts';
import { BILLING_ACTIONS, type BillingAction } from './billing-actions.ts';
import type { CrashPlan } from './crash-plan.ts';
import type { Host } from './host.ts';
import { type Scenario, Tally } from './scenario.ts';
import { type Setting, withSetting } from './setting.ts';

const MINUTE_MS = 60_000;
/** Leases, locks of keys and both look-ups of the resolver (5 min apart) pass in it. */
const RECOVERY_STEPS = 5;
const RECOVERY_STEP_MS = 6 * MINUTE_MS;
const DEATH_LIMIT_MS = 60_000;

interface Run {
  readonly setting: Setting;
  /** Lives on, and finishes what the dead left. */
  readonly survivor: Host;
  readonly tally: Tally;
  readonly violations: string[];
}

/** Size 1 a few points, at first visits; size 2 all points; size 3 adds second visits. */
export const billingCrashes: Scenario = {
  name: 'billing-crashes',
  law: 'A process killed at any point of billing: each period is billed once, and each event is recorded once.',
  sizes: { small: 1, nightly: 2, full: 3 },
  run: (size) =>
    withSetting(async (setting) => {
      const survivor = await setting.start();
      const run: Run = { setting, survivor, tally: new Tally(), violations: [] };
      for (const [name, action] of Object.entries(BILLING_ACTIONS)) {
        for (const point of size === 1 ? action.small : action.points) {
          for (let visit = 1; visit <= Math.max(1, size - 1); visit += 1) {
            await crashOnce(run, `${name} at ${point}, visit ${visit}`, action, { point, visit });
          }
        }
      }
      const found = await verifyDatabase(setting.databaseUrl, 'at rest');
      const broken = await billingLaws(setting.databaseUrl);
      return { violations: [...run.violations, ...found, ...broken], counts: run.tally.toCounts() };
    }),
};

async function crashOnce(
  run: Run,
  where: string,
  action: BillingAction,
  crash: CrashPlan,
): Promise<void> {
  const { setting, survivor, tally, violations } = run;
  const prepared = await action.prepare(run, crash.visit);
  const isAsked = prepared.some(({ ask }) => ask !== undefined);
  await survivor.advance((action.dueMs ?? 0) + 1_000);
  const { shiftMs } = survivor;
  const doomed = await setting.start({ crash, shiftMs, ...(isAsked ? {} : { worker: {} }) });
  for (const { ask } of prepared) await ask?.(doomed).catch(() => undefined);
  if (!(await hasDied(doomed))) violations.push(`${where}: the process did not die there.`);
  tally.add('kills');
  await survivor.work();
  for (let step = 0; step < RECOVERY_STEPS; step += 1) {
    await survivor.advance(RECOVERY_STEP_MS);
    // Whoever asked asks again.
    for (const { ask } of prepared) await ask?.(survivor);
    await survivor.drain();
  }
  await survivor.rest();
  for (const each of prepared) {
    for (const sentence of await each.judge()) violations.push(`${where}: ${sentence}`);
  }
  await endAll(run);
}

/** Nothing of one crash is due in the next. */
async function endAll({ setting, survivor }: Run): Promise<void> {
  const { client } = setting.merchant;
  const live = await query<{ id: string }>(
    setting.databaseUrl,
    `SELECT id FROM paymount.subscriptions WHERE status NOT IN ('canceled', 'incomplete_expired')`,
  );
  for (const { id } of live) await client.delete(`${survivor.url}/v1/subscriptions/${id}`);
}

async function hasDied(doomed: Host): Promise<boolean> {
  const timer = setTimeout(() => void doomed.kill(), DEATH_LIMIT_MS);
  const started = performance.now();
  const { signal } = await doomed.ended;
  clearTimeout(timer);
  return signal === 'SIGKILL' && performance.now() - started < DEATH_LIMIT_MS;
}
