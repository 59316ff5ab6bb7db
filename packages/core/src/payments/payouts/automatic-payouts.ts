import { applyIn } from '../../changes/commit.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { CrashPoint } from '../../kernel/basics/crash-point.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { payableOf } from '../../ledger/ledger.ts';
import type { LiveBankAccount } from '../bank-accounts/bank-account.ts';
import { heldUntil } from '../bank-accounts/held-destination.ts';
import { newOperation } from '../operations/operation-states.ts';
import type { Processor } from '../processor/processor.ts';
import { findAccountStop, type PayoutAccount } from './payout-account.ts';
import { newPayout } from './payout-creation.ts';
import { duePeriod, type PayoutObstacle, type PayoutRun } from './payout-run.ts';
import type { PayoutRepositories, PayoutStorage } from './payout-storage.ts';
import { heldSince, nextDueAt } from './schedule-dates.ts';

/** Balance transactions in one short transaction. */
const STEP = 1_000;
const HOUR_MS = 3_600_000;
/** While the balance is being changed by others, a payout that does not fit it is tried again. */
const BUSY_MS = 60_000;

export interface AutomaticPayoutPorts {
  readonly storage: PayoutStorage;
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly crashPoint: CrashPoint;
  /** Ends the pass early. */
  readonly isClosing: () => boolean;
}

/**
 * - `done`: nothing is left
 * - `waits`: funds of a run are due, and another process has not made them available yet
 * - `more`: some need a further step at once
 */
type Progress = 'done' | 'waits' | 'more';

/**
 * Makes the payouts of schedules that are due: one step for each, so that a merchant with much to
 * collect does not delay the others. Any number of processes may do it at once. A run whose step
 * fails, also because another transaction has locked its account, is logged, tried again in the next pass,
 * and delays nobody.
 */
export async function makeDuePayouts(ports: AutomaticPayoutPorts): Promise<Progress> {
  const { storage, clock, logger, isClosing } = ports;
  const now = clock.now();
  let progress: Progress = 'done';
  let last: PayoutRun | undefined;
  for (;;) {
    if (isClosing()) return 'done';
    let taken: PayoutRun | undefined;
    try {
      const stepped = await storage.transaction(async (rows) => {
        taken = await rows.payoutRuns.takeDue(now, last);
        const ended = taken && (await step(ports, rows, taken, now));
        if (taken) ports.crashPoint('payout.before_step_commit');
        return ended;
      });
      if (stepped === 'more' || (stepped === 'waits' && progress === 'done')) progress = stepped;
      if (stepped !== undefined) ports.crashPoint('payout.after_step_commit');
    } catch (error) {
      if (taken === undefined) throw error;
      logFailure(logger, taken, error);
    }
    if (taken === undefined) return progress;
    last = taken;
  }
}

function logFailure(logger: Logger, { accountId: account }: PayoutRun, error: unknown): void {
  const facts = { account, err: isError(error) ? error : undefined };
  if (PaymountError.is(error) && error.code === 'lock_timeout') {
    logger.warn(facts, 'Another transaction has locked an account, so its automatic payout waits.');
  } else {
    logger.error(facts, 'An automatic payout could not be made; Paymount tries again.');
  }
}

/** One step of a run that the transaction has locked. */
async function step(
  ports: AutomaticPayoutPorts,
  rows: PayoutRepositories,
  run: PayoutRun,
  now: Date,
): Promise<Progress> {
  const account = await rows.payoutAccounts.find(run.accountId);
  if (account === undefined) throw new Error(`Account ${run.accountId} is gone.`);
  const { schedule } = account;
  const period = duePeriod(run, schedule, now);
  if (period === undefined) return finish(rows, run, nextDueAt(schedule, now));
  const destination = await rows.bankAccounts.findDefaultForUpdate(run, run.currency);
  const obstacle = findObstacle(account, ports.processors[run.environment], {
    run,
    destination,
    now,
  });
  if (obstacle !== undefined || destination === undefined) {
    const held = destination && heldUntil(destination, account, now);
    const soonMs = Math.min(now.getTime() + HOUR_MS, held?.getTime() ?? Number.POSITIVE_INFINITY);
    const dueAt = new Date(soonMs);
    await rows.payoutRuns.save({ ...run, dueAt, waitsFor: obstacle ?? 'bank_account_missing' });
    return 'done';
  }
  // Funds that are due by now belong to this payout. The next one may be a month away.
  if (await rows.payoutRuns.awaitsFunds(run, now)) return 'waits';
  const { waitsFor: _, ...ready } = run;
  const due = { ...ready, payoutId: run.payoutId ?? newId('po') };
  const payable = payableOf(await rows.ledger.lockBalance(run, run.currency));
  const part = { payoutId: due.payoutId, before: heldSince(schedule, period), limit: STEP };
  const { count, net } = await rows.payoutRuns.collect(run, part);
  const collected = { ...due, collected: run.collected + net };
  if (count === STEP) {
    await rows.payoutRuns.save(collected);
    return 'more';
  }
  if (collected.collected > payable && collected.collected > 0n) {
    // A chargeback has lowered the balance since it was collected, funds cover refunds of pending charges, or
    // funds were released after the balance was read: all are seen the next time.
    const dueAt = new Date(now.getTime() + BUSY_MS);
    await rows.payoutRuns.save({ ...collected, dueAt, waitsFor: 'balance_insufficient' });
    return 'done';
  }
  const paid = { ...collected, lastPeriod: period };
  if (collected.collected <= 0n) return finish(rows, paid, nextDueAt(schedule, now));
  await pay(ports, rows, { run: collected, destination, period, at: now });
  const { payoutId: __, ...emptied } = paid;
  return finish(rows, { ...emptied, collected: 0n }, nextDueAt(schedule, now));
}

async function finish(
  rows: PayoutRepositories,
  run: PayoutRun,
  next: Date | undefined,
): Promise<'done'> {
  const { dueAt: _, waitsFor: __, ...rest } = run;
  await rows.payoutRuns.save(next === undefined ? rest : { ...rest, dueAt: next });
  return 'done';
}

function findObstacle(
  account: PayoutAccount,
  { capabilities }: Processor,
  {
    run: { currency },
    destination,
    now,
  }: {
    readonly run: PayoutRun;
    readonly destination: LiveBankAccount | undefined;
    readonly now: Date;
  },
): PayoutObstacle | undefined {
  const stop = findAccountStop(account);
  if (stop !== undefined) return stop;
  const { payouts, currencies } = capabilities;
  if (!payouts || currencies?.includes(currency) === false) return 'payouts_unsupported';
  if (destination === undefined) return 'bank_account_missing';
  if (destination.status === 'errored') return 'bank_account_errored';
  return heldUntil(destination, account, now) ? 'bank_account_held' : undefined;
}

/** The payout of what a run has collected. A worker sends it shortly after, as any other payout. */
async function pay(
  { processors }: Pick<AutomaticPayoutPorts, 'processors'>,
  rows: PayoutRepositories,
  made: {
    readonly run: PayoutRun & Required<Pick<PayoutRun, 'payoutId'>>;
    readonly destination: LiveBankAccount;
    readonly period: Date;
    readonly at: Date;
  },
): Promise<void> {
  const { run, destination, period, at } = made;
  const { accountId, environment, currency, payoutId, collected } = run;
  const owner = { accountId, environment };
  const processor = processors[environment];
  const amount = Number(collected);
  const { payout, booked } = newPayout({
    owner,
    on: {},
    input: { amount, currency },
    destination,
    processor,
    at,
    automatic: { period, id: payoutId },
  });
  const operation = newOperation({
    on: payout,
    owner,
    kind: 'payout',
    subjectId: payout.id,
    amount,
    currency,
    at,
    deferred: true,
    processor: processor.name,
    call: { requestId: newId('req') },
  });
  await applyIn(rows, {
    ...owner,
    at,
    ...booked,
    writes: [
      { kind: 'payout', mode: 'insert', row: payout },
      { kind: 'operation', mode: 'insert', row: operation },
    ],
  });
}
