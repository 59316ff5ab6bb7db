import { withTimeout } from '@paymount/core/kernel';
import type {
  DueSubscriptions,
  Finding,
  StoredState,
  Stores,
  WaitingPayouts,
} from '@paymount/core/store';
import { systemClock } from '../../adapters/system-clock.ts';
import { describeFailure } from '../describe-failure.ts';
import { countHookWaits, describeHookWaits } from '../hook-waits.ts';
import { examineKeys, type KeySource } from './examine-keys.ts';

const OVERDUE_MS = 60_000;
/** Workers stop at 30 s. */
const CLOCK_WARNING_MS = 2_000;
const CLOCK_PROBLEM_MS = 30_000;
const MIN_LOG_DAYS = 2;
const MAILS_LATE_MS = 2 * 3_600_000;
/** What fails is tried again after ten minutes, so it may be that late and be well. */
const SUBSCRIPTIONS_LATE_MS = 15 * 60_000;
const LIMIT_MS = 10_000;

type Examination = (stores: Stores, keys: KeySource) => Promise<readonly Finding[]>;

/** Looks at everything that the stored data and their server can tell; each part by itself. */
export async function examine(stores: Stores, keys: KeySource): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [subject, look] of Object.entries(EXAMINATIONS)) {
    findings.push(...(await attempted(subject, () => look(stores, keys))));
  }
  return findings;
}

async function attempted(
  subject: string,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const late = Symbol('late');
  try {
    const findings = await withTimeout(look(), LIMIT_MS, () => late);
    if (typeof findings !== 'symbol') return findings;
    const message = `It could not be read within ${LIMIT_MS / 1_000} seconds.`;
    return [{ subject, verdict: 'problem', message }];
  } catch (error) {
    const message = `It could not be read: ${describeFailure(error).message}`;
    return [{ subject, verdict: 'problem', message }];
  }
}

const EXAMINATIONS: Readonly<Record<string, Examination>> = {
  server: (stores) => stores.state.inspect(),
  'look-ups': async (stores) => {
    await stores.warm();
    return [{ subject: 'look-ups', verdict: 'ok', message: 'Keys can be looked up.' }];
  },
  keys: (stores, keys) => examineKeys(keys, stores),
  clock: async ({ deliveries }) => {
    const startedAt = systemClock.now().getTime();
    const databaseTime = (await deliveries.databaseTime()).getTime();
    const middle = (startedAt + systemClock.now().getTime()) / 2;
    return [clock(databaseTime - middle)];
  },
  log: async ({ state, deliveries }) => {
    const { logDaysAhead, missingLogDays, mails, endpoints } = await state.read(systemClock.now());
    return [
      deliveriesFinding((await deliveries.overdueMs(0)).fast),
      log(logDaysAhead, missingLogDays),
      mailFinding(mails),
      endpointsFinding(endpoints),
    ];
  },
  notices: async ({ directory }) => {
    const { live, test } = await directory.notices.underReview();
    return [noticesFinding(live.count, test.count)];
  },
  payouts: async ({ state }) => {
    const { live, test } = await state.countWaitingPayouts();
    return [payoutsFinding(live, test)];
  },
  subscriptions: async ({ state }) => {
    const found = await state.countDueSubscriptions(systemClock.now());
    return [subscriptionsFinding(found), remindersFinding(found)];
  },
  operations: async ({ directory }) => {
    const { live, test } = await directory.operations.underReview();
    return [
      live.count === 0
        ? {
            subject: 'operations',
            verdict: 'ok',
            message: `No live operation needs a person; test operations that do: ${test.count}.`,
          }
        : {
            subject: 'operations',
            verdict: 'problem',
            message: `Live operations that need a person: ${live.count}. Run \`npx paymount operations list\`.`,
          },
    ];
  },
  hook: async ({ hookUse, directory }) => [
    hookFinding(await hookUse.since(), await countHookWaits(directory)),
  ],
};

function hookFinding(since: Date | undefined, waiting: number): Finding {
  const subject = 'hook';
  if (since === undefined) return { subject, verdict: 'ok', message: 'None is in use.' };
  const use = `A hook is in use since ${since.toISOString()}: processes without it record no results.`;
  if (waiting === 0) return { subject, verdict: 'ok', message: use };
  const waits = `${describeHookWaits(waiting)} for it for more than 5 minutes.`;
  const cure =
    'Start every process with the same `hook`; if no process has it any more, run ' +
    '`npx paymount hook remove --reason TEXT`.';
  return { subject, verdict: 'problem', message: `${use} ${waits} ${cure}` };
}

function noticesFinding(live: number, test: number): Finding {
  const subject = 'notices';
  return live === 0
    ? {
        subject,
        verdict: 'ok',
        message: `No live notice needs a person; test notices that do: ${test}.`,
      }
    : {
        subject,
        verdict: 'problem',
        message: `Live notices that need a person: ${live}. Run \`npx paymount notices list\`.`,
      };
}

/** Never a problem: most wait for a merchant, or because an admin stopped them. */
function payoutsFinding(live: WaitingPayouts['live'], test: WaitingPayouts['test']): Finding {
  const reasons = Object.entries(live).map(([obstacle, count]) => `${obstacle} (${count})`);
  const waiting = reasons.length === 0 ? 'none' : reasons.join(', ');
  const tests = Object.values(test).reduce((sum, count) => sum + count, 0);
  const message = `Live automatic payouts that wait: ${waiting}; test ones: ${tests}.`;
  return { subject: 'payouts', verdict: 'ok', message };
}

function remindersFinding({ reminders: { due, since, failing } }: DueSubscriptions): Finding {
  const subject = 'reminders';
  const lateMs = since ? Math.max(0, systemClock.now().getTime() - since.getTime()) : 0;
  const age = due === 0 ? '' : `, the oldest for ${Math.round(lateMs / 60_000)} min`;
  const message = `Due: ${due}${age}; could not be written: ${failing}.`;
  if (failing === 0 && lateMs <= SUBSCRIPTIONS_LATE_MS) return { subject, verdict: 'ok', message };
  const cure =
    'Customers are not reminded of renewals. Is a worker with the option `invoices` running? If one runs, its log says why.';
  return { subject, verdict: 'warning', message: `${message} ${cure}` };
}

function subscriptionsFinding({ due, since, pastDue, failing }: DueSubscriptions): Finding {
  const subject = 'subscriptions';
  if (failing > 0) {
    const message = `A worker cannot bill what is due of ${failing} subscriptions and invoices. \`GET /subscriptions?failing=true\` and \`GET /invoices?failing=true\` of the management API list them, and \`failing\` says why; so does the log of the worker.`;
    return { subject, verdict: 'problem', message };
  }
  const classes = Object.entries(pastDue).map(([name, count]) => `${name} (${count})`);
  const failed = `Past due, by class of the last failure: ${classes.join(', ')}.`;
  if (since === undefined) {
    const some = due === 0 ? 'None is due.' : `Due: ${due}, none of them late.`;
    return { subject, verdict: 'ok', message: `${some} ${failed}` };
  }
  const lateMs = Math.max(0, systemClock.now().getTime() - since.getTime());
  const message = `Due: ${due}, the oldest for ${Math.round(lateMs / 60_000)} min. ${failed}`;
  if (lateMs <= SUBSCRIPTIONS_LATE_MS) return { subject, verdict: 'ok', message };
  const cure =
    'Is a worker running? Start one: `npx paymount worker`. If one runs, its log says why they cannot be billed.';
  return { subject, verdict: 'problem', message: `${message} ${cure}` };
}

function clock(offsetMs: number): Finding {
  const subject = 'clock';
  const seconds = (Math.abs(offsetMs) / 1_000).toFixed(1);
  const where = offsetMs < 0 ? 'ahead of' : 'behind';
  const message = `This machine is ${seconds} s ${where} the database.`;
  if (Math.abs(offsetMs) < CLOCK_WARNING_MS) return { subject, verdict: 'ok', message };
  if (Math.abs(offsetMs) <= CLOCK_PROBLEM_MS) {
    return { subject, verdict: 'warning', message: `${message} Synchronize both with NTP.` };
  }
  const consequence = 'Workers here send nothing. Synchronize both with NTP.';
  return { subject, verdict: 'problem', message: `${message} ${consequence}` };
}

function deliveriesFinding(overdueMs: number): Finding {
  const subject = 'deliveries';
  if (overdueMs === 0) return { subject, verdict: 'ok', message: 'None is overdue.' };
  const message = `The most overdue one is ${(overdueMs / 1_000).toFixed(1)} s late.`;
  if (overdueMs <= OVERDUE_MS) return { subject, verdict: 'ok', message };
  return {
    subject,
    verdict: 'problem',
    message: `${message} Is a worker running? If so, run more of them.`,
  };
}

function log(daysAhead: number, missingDays: readonly string[]): Finding {
  const subject = 'log';
  if (missingDays.length > 0) {
    const message = `It has no partition for ${missingDays.join(', ')}, but for later days. Attempts of these days cannot be recorded. A worker creates them; start one.`;
    return { subject, verdict: 'problem', message };
  }
  const message = `It has partitions for ${Math.max(0, daysAhead)} days after today.`;
  if (daysAhead >= MIN_LOG_DAYS) return { subject, verdict: 'ok', message };
  const verdict = daysAhead < 0 ? 'problem' : 'warning';
  return { subject, verdict, message: `${message} A worker creates them; start one.` };
}

function endpointsFinding({ enabled, disabled, failing }: StoredState['endpoints']): Finding {
  const counts = [
    `${enabled.fast + enabled.slow} enabled`,
    `${disabled.fast + disabled.slow} disabled`,
  ];
  const notes = [
    ...(failing > 0 ? [`${failing} failing`] : []),
    ...(enabled.slow > 0 ? [`${enabled.slow} slower than 3 seconds`] : []),
  ];
  const ofEnabled = notes.length === 0 ? '' : ` Of the enabled: ${notes.join(', ')}.`;
  return { subject: 'endpoints', verdict: 'ok', message: `${counts.join(', ')}.${ofEnabled}` };
}

function mailFinding({ waiting, since, givenUp }: StoredState['mails']): Finding {
  const ageMs = since === undefined ? 0 : systemClock.now().getTime() - since.getTime();
  const isLate = ageMs >= MAILS_LATE_MS;
  const sentences = [
    since === undefined
      ? 'No e-mail is waiting.'
      : `E-mails that wait: ${waiting}, the oldest for ${Math.round(ageMs / 60_000)} min.`,
    ...(isLate ? ['Check the mail server.'] : []),
    ...(givenUp > 0 ? [`Given up in the last 24 hours: ${givenUp}; see their last_error.`] : []),
  ];
  const verdict = isLate || givenUp > 0 ? 'problem' : 'ok';
  return { subject: 'mails', verdict, message: sentences.join(' ') };
}
