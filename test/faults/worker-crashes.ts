import { randomUUID } from 'node:crypto';
import { query } from '../support/database.ts';
import { BANK } from '../support/paid-out.ts';
import { verifyDatabase } from '../support/verify-database.ts';
import type { ApiAnswer } from './api-client.ts';
import { OPERATION_POINTS } from './charge-crashes.ts';
import type { CrashPlan } from './crash-plan.ts';
import type { Host } from './host.ts';
import { eventsOf, executionsOf, expectEqual } from './outcomes.ts';
import { type Findings, type Scenario, Tally } from './scenario.ts';
import { type Setting, withSetting } from './setting.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A payout may be sent then, and a bank of the sandbox has taken its next step. */
const DUE_MS = 11 * SECOND_MS;
/** Locks of keys, leases, both look-ups of the resolver and retries of notices pass in it. */
const RECOVERY_STEPS = 5;
const RECOVERY_STEP_MS = 6 * MINUTE_MS;

interface Run {
  readonly setting: Setting;
  /** Lives on, and finishes what the dead left. */
  readonly survivor: Host;
  readonly tally: Tally;
  readonly violations: string[];
}

/** Something that a process dies of. */
interface Action {
  readonly points: readonly string[];
  /** Those at which a process dies in `npm test`. */
  readonly small: readonly string[];
  /** Makes ready what the doomed process will do. */
  prepare(run: Run): Promise<Prepared>;
}

/** One piece of work. */
interface Prepared {
  /** Asks the doomed process for it; absent: its worker does it unasked. */
  readonly ask?: (host: Host) => Promise<ApiAnswer>;
  /** What must be so in the end. @returns sentences about what is not */
  judge(run: Run): Promise<readonly string[]>;
}

const NOTICE_POINTS = [
  'notice.before_record',
  'notice.after_record',
  'notice.before_apply',
  'notice.after_apply',
] as const;

const ACTIONS: Readonly<Record<string, Action>> = {
  payout: {
    // A worker sends it; nothing follows the commit of its intent.
    points: OPERATION_POINTS.filter((point) => !point.endsWith('_intent')),
    small: ['operation.after_call'],
    prepare: preparePayout,
  },
  'payout intent': {
    points: ['operation.before_intent'],
    small: [],
    prepare: preparePayoutIntent,
  },
  'dispute answer': {
    points: OPERATION_POINTS,
    small: ['operation.after_call'],
    prepare: (run) => prepareAnswer(run, EVIDENCE),
  },
  'dispute acceptance': {
    points: OPERATION_POINTS,
    small: ['operation.before_result'],
    prepare: (run) => prepareAnswer(run, ACCEPTANCE),
  },
  notice: {
    points: NOTICE_POINTS,
    small: ['notice.after_record', 'notice.before_apply'],
    prepare: prepareNotice,
  },
};

const EVIDENCE: Answer = {
  path: (dispute) => dispute,
  body: { evidence: { uncategorized_text: 'winning_evidence' } },
  status: 'won',
};
const ACCEPTANCE: Answer = { path: (dispute) => `${dispute}/close`, body: {}, status: 'lost' };

/** Size 1 a few points, at first visits; size 2 all points; size 3 adds second visits. */
export const workerCrashes: Scenario = {
  name: 'worker-crashes',
  law: 'A process killed at any point of a payout, a dispute answer or a notice loses and doubles nothing.',
  sizes: { small: 1, nightly: 2, full: 3 },
  run: (size) =>
    withSetting(async (setting) => {
      const survivor = await setting.start({ worker: {} });
      const run: Run = { setting, survivor, tally: new Tally(), violations: [] };
      await makeRich(run);
      for (const [name, action] of Object.entries(ACTIONS)) {
        for (const point of size === 1 ? action.small : action.points) {
          for (let visit = 1; visit <= Math.max(1, size - 1); visit += 1) {
            await crashOnce(run, `${name} at ${point}, visit ${visit}`, action, { point, visit });
          }
        }
      }
      const found = await verifyDatabase(setting.databaseUrl, 'at rest');
      const violations = [...run.violations, ...found];
      return { violations, counts: run.tally.toCounts() } satisfies Findings;
    }),
};

/** A bank account, and enough to pay out. */
async function makeRich(run: Run): Promise<void> {
  const { setting, survivor } = run;
  const path = `accounts/${setting.merchant.account}/external_accounts`;
  await post(run, path, { external_account: BANK });
  await post(run, 'charges', { amount: 900_000, currency: 'eur', source: 'tok_visa' });
  await survivor.advance(3 * DAY_MS);
  await survivor.drain();
}

async function crashOnce(run: Run, where: string, action: Action, crash: CrashPlan): Promise<void> {
  const { setting, survivor, tally, violations } = run;
  // Only the doomed process may do it first.
  await survivor.rest();
  const prepared: Prepared[] = [];
  for (let made = 0; made < crash.visit; made += 1) prepared.push(await action.prepare(run));
  const isAsked = prepared.some(({ ask }) => ask !== undefined);
  const shiftMs = survivor.shiftMs + (isAsked ? 0 : DUE_MS);
  const doomed = await setting.start({ crash, shiftMs, ...(isAsked ? {} : { worker: {} }) });
  for (const { ask } of prepared) await ask?.(doomed).catch(() => undefined);
  const { signal } = await doomed.ended;
  if (signal !== 'SIGKILL')
    violations.push(`${where}: the process ended by ${signal ?? 'itself'}.`);
  tally.add('kills');
  await survivor.work();
  for (let step = 0; step < RECOVERY_STEPS; step += 1) {
    await survivor.advance(RECOVERY_STEP_MS);
    await survivor.drain();
    // The merchant asks again until the key has its answer.
    for (const { ask } of prepared) tally.add(`retry ${toWord(await ask?.(survivor))}`);
  }
  for (const each of prepared) {
    for (const sentence of await each.judge(run)) violations.push(`${where}: ${sentence}`);
  }
}

function toWord(answer: ApiAnswer | undefined): string {
  return answer === undefined ? 'by the worker' : (answer.code ?? String(answer.status));
}

async function post({ setting, survivor }: Run, path: string, body: object): Promise<ApiAnswer> {
  const answer = await setting.merchant.client.post(`${survivor.url}/v1/${path}`, body);
  if (answer.status !== 200) throw new Error(`POST ${path} was answered ${answer.text}`);
  return answer;
}

const PAYOUT = { amount: 1_000, currency: 'eur' };

async function preparePayout(run: Run): Promise<Prepared> {
  const { json } = await post(run, 'payouts', PAYOUT);
  return { judge: () => judgePayout(run, String(json['id'])) };
}

/** The payout that was asked for is there once. */
async function preparePayoutIntent({ setting }: Run): Promise<Prepared> {
  const key = randomUUID();
  return {
    ask: (host) => setting.merchant.client.post(`${host.url}/v1/payouts`, PAYOUT, key),
    async judge(run) {
      const made = await query<{ id: string }>(
        setting.databaseUrl,
        `SELECT subject_id AS id FROM paymount.operations WHERE idempotency_key = $1`,
        [key],
      );
      const [payout] = made;
      if (payout === undefined || made.length > 1) return [`its key made ${made.length} payouts.`];
      return judgePayout(run, payout.id);
    },
  };
}

async function judgePayout({ setting, survivor }: Run, id: string): Promise<readonly string[]> {
  const { json } = await setting.merchant.client.get(`${survivor.url}/v1/payouts/${id}`);
  return [
    ...expectEqual('payout', json['status'], 'paid'),
    ...expectEqual('executions', await executionsOf(setting, id), 1),
    ...expectEqual('events', await eventsOf(setting, id), 'payout.paid'),
  ];
}

/** An answer to a chargeback, and what becomes of it. */
interface Answer {
  readonly path: (dispute: string) => string;
  readonly body: object;
  readonly status: 'won' | 'lost';
}

async function prepareAnswer(run: Run, { path, body, status }: Answer): Promise<Prepared> {
  const { setting, survivor } = run;
  const { client } = setting.merchant;
  const dispute = await openDispute(run);
  const key = randomUUID();
  return {
    ask: (host) => client.post(`${host.url}/v1/disputes/${path(dispute)}`, body, key),
    async judge() {
      const { json } = await client.get(`${survivor.url}/v1/disputes/${dispute}`);
      const events = `dispute.created dispute.${status}`;
      return [
        ...expectEqual('dispute', json['status'], status),
        ...expectEqual('executions', await executionsOf(setting, dispute), 1),
        ...expectEqual('events', await eventsOf(setting, dispute), events),
      ];
    },
  };
}

async function openDispute(run: Run): Promise<string> {
  const { setting, survivor } = run;
  const { json } = await post(run, 'charges', DISPUTED);
  await survivor.work();
  await survivor.advance(DUE_MS);
  await survivor.drain();
  await survivor.rest();
  const found = await setting.merchant.client.get(`${survivor.url}/v1/charges/${json['id']}`);
  return String(found.json['dispute']);
}

/** The sandbox reports a chargeback two seconds later. */
const DISPUTED = { amount: 500, currency: 'eur', source: 'tok_createDispute' };

async function prepareNotice(run: Run): Promise<Prepared> {
  const { setting, survivor } = run;
  const { json } = await post(run, 'charges', DISPUTED);
  const { client } = setting.merchant;
  return {
    async judge() {
      const found = await client.get(`${survivor.url}/v1/disputes?charge=${json['id']}`);
      const disputes = found.json['data'] as readonly { readonly id: string }[];
      const [dispute] = disputes;
      if (dispute === undefined || disputes.length > 1) return [`${disputes.length} disputes.`];
      return expectEqual('events', await eventsOf(setting, dispute.id), 'dispute.created');
    },
  };
}
