import { query } from '../support/database.ts';
import { BANK } from '../support/paid-out.ts';
import { verifyDatabase } from '../support/verify-database.ts';
import type { Host } from './host.ts';
import { type Scenario, Tally } from './scenario.ts';
import { type Setting, withSetting } from './setting.ts';

/** Both sides of the commit that makes an automatic payout, and of the call that sends it. */
const POINTS = [
  'payout.before_step_commit',
  'payout.after_step_commit',
  'operation.before_call',
  'operation.after_call',
  'operation.before_result',
  'operation.after_result',
] as const;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Until funds of a charge are available, and the next payout is due. */
const UNTIL_DUE_MS = 3 * DAY_MS;
const STEPS_TO_DEATH = 20;
/** Both look-ups of the resolver (5 min apart) pass in it. */
const RECOVERY_STEPS = 5;
const AMOUNT = 100;

interface Run {
  readonly setting: Setting;
  /** They live on, with workers, and finish what the dead left. */
  readonly survivors: readonly [Host, Host];
  readonly tally: Tally;
  readonly violations: string[];
}

/** Size is the number of rounds; a single one leaves out the points after the call. */
export const payoutCrashes: Scenario = {
  name: 'payout-crashes',
  law: 'Of three workers, one killed at any point of an automatic payout: it is made and sent once.',
  sizes: { small: 1, nightly: 3, full: 10 },
  run: (size) =>
    withSetting(async (setting) => {
      const survivors = [await setting.start(), await setting.start()] as const;
      const run: Run = { setting, survivors, tally: new Tally(), violations: [] };
      await schedule(run);
      for (let round = 0; round < size; round += 1) {
        const points = size === 1 ? POINTS.slice(0, 3) : POINTS;
        for (const point of points) await crashOnce(run, point);
      }
      const found = await verifyDatabase(setting.databaseUrl, 'at rest');
      return { violations: [...run.violations, ...found], counts: run.tally.toCounts() };
    }),
};

/** The merchant has a bank account and a daily schedule. */
async function schedule({ setting, survivors: [host] }: Run): Promise<void> {
  const { client, account } = setting.merchant;
  const added = await client.post(`${host.url}/v1/accounts/${account}/external_accounts`, {
    external_account: BANK,
  });
  if (added.status !== 200) throw new Error(`No bank account could be added: ${added.text}`);
  const daily = { interval: 'daily', delayDays: 0, since: new Date(0).toISOString() };
  await query(setting.databaseUrl, 'UPDATE paymount.accounts SET payout_schedule = $1', [
    JSON.stringify(daily),
  ]);
}

/** One worker dies with the payout of a charge; two others end it at the same time. */
async function crashOnce(run: Run, point: string): Promise<void> {
  const { setting, survivors, tally, violations } = run;
  const [host] = survivors;
  const known = await payoutsOf(setting);
  const sale = { amount: AMOUNT, currency: 'eur', payment_method: 'pm_card_visa' };
  const sold = await setting.merchant.client.post(`${host.url}/v1/charges`, sale);
  if (sold.status !== 200) throw new Error(`No charge could be made: ${sold.text}`);
  for (const each of survivors) await each.advance(UNTIL_DUE_MS);
  const crash = { point, visit: 1 };
  const doomed = await setting.start({ crash, shiftMs: host.shiftMs });
  await waitForDeath(doomed, point, violations);
  tally.add('kills');
  await Promise.all(survivors.map((each) => each.work()));
  for (let step = 0; step < RECOVERY_STEPS; step += 1) {
    await Promise.all(survivors.map((each) => each.drain()));
    for (const each of survivors) await each.advance(step === 0 ? 11 * SECOND_MS : 6 * MINUTE_MS);
  }
  await Promise.all(survivors.map((each) => each.rest()));
  const made = (await payoutsOf(setting)).slice(known.length);
  tally.add('payouts', made.length);
  const found = made.map(({ amount, status, sent }) => `${amount} ${status}, sent ${sent} times`);
  if (found.join() === `${AMOUNT} paid, sent 1 times`) return;
  violations.push(`${point}: the payouts are ${found.join('; ') || 'none'}.`);
}

/** A payout is sent ten seconds after it was made, so its clock goes on until it dies. */
async function waitForDeath(doomed: Host, point: string, violations: string[]): Promise<void> {
  const dies = async (command: Promise<void>): Promise<boolean> =>
    (await command.then(
      () => undefined,
      () => doomed.ended,
    )) !== undefined;
  if (await dies(doomed.work())) return;
  for (let step = 0; step < STEPS_TO_DEATH; step += 1) {
    if (await dies(doomed.advance(4 * SECOND_MS).then(() => doomed.drain()))) return;
  }
  violations.push(`${point}: the worker did not die there.`);
  await doomed.kill();
}

interface MadePayout {
  readonly amount: string;
  readonly status: string;
  readonly sent: string;
}

function payoutsOf({ databaseUrl }: Setting): Promise<readonly MadePayout[]> {
  return query<MadePayout>(
    databaseUrl,
    `SELECT p.amount::text, p.status, (SELECT count(*)::text FROM paymount.operations o
       JOIN paymount.sandbox_operations s ON s.operation_id = o.id
       WHERE o.subject_id = p.id) AS sent
     FROM paymount.payouts p WHERE automatic ORDER BY p.id`,
  );
}
