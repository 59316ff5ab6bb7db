import type {
  AttemptRecord,
  CloseAttempt,
  ClosedAttempt,
  DecideOnFailing,
} from '@paymount/core/events';
import type { DeliveryId } from '@paymount/core/kernel';
import type { ChangePorts } from '../changes/execute-change.ts';
import { isLockedOut, isSqlError } from '../connection/sql-errors.ts';
import type { Statement } from '../connection/statement.ts';
import {
  decideOn,
  type EndpointDecision,
  lockForDecisions,
  writeDecision,
} from '../endpoints/endpoint-decisions.ts';
import { type EndpointStreak, keepStreaks, toStreaks } from '../endpoints/endpoint-streaks.ts';
import type { Session } from '../transaction/session.ts';
import { inTransaction, rerun } from '../transaction/transaction.ts';
import { attemptValues } from './attempt-columns.ts';
import { createPartitions, isMissingPartition, type PartitionPorts } from './attempt-partitions.ts';
import { closingStatement, type Manner } from './closing-statements.ts';

interface ClosedRow {
  readonly id: DeliveryId;
  readonly attempt: number;
  readonly closed: boolean;
  readonly due_at: Date | null;
}

/** What closes a batch, and decides on endpoints that fail. */
export interface Closing {
  readonly results: readonly CloseAttempt[];
  readonly decide: DecideOnFailing;
  readonly skipsLocked: boolean;
}

/**
 * Records results; see `DeliveryQueue.close`. Those that wait for a lock of another transaction are
 * missing from what it returns.
 */
export async function closeAttempts(
  session: Session,
  ports: ChangePorts,
  closing: Closing,
): Promise<readonly ClosedAttempt[]> {
  const { first, again } = splitRepeated(closing.results);
  const closed = await closeTogether(session, ports, { ...closing, results: first });
  // A result that waits must not be overtaken by a later one of the same attempt.
  const known = new Set(closed.map(({ id, attempt }) => `${id} ${attempt}`));
  const next = again.filter(({ id, attempt }) => known.has(`${id} ${attempt}`));
  return [...closed, ...(await closeTogether(session, ports, { ...closing, results: next }))];
}

/**
 * If something is locked that cannot be passed over, such as a whole table, the decisions on failing
 * endpoints wait, with the results of these endpoints. All other results are recorded.
 */
async function closeTogether(
  session: Session,
  ports: ChangePorts,
  closing: Closing,
): Promise<readonly ClosedAttempt[]> {
  try {
    return await closeAll(session, ports, closing, 'written');
  } catch (error) {
    if (!isLockedOut(error)) throw error;
  }
  try {
    return await closeAll(session, ports, { ...closing, skipsLocked: true }, 'left');
  } catch (error) {
    if (!isLockedOut(error)) throw error;
    return [];
  }
}

/**
 * A process that was blocked beyond its lease can have two results of one attempt. In one
 * statement, both would be logged as if each had closed the row. So the second is written after the
 * first.
 */
function splitRepeated(results: readonly CloseAttempt[]): {
  readonly first: readonly CloseAttempt[];
  readonly again: readonly CloseAttempt[];
} {
  const seen = new Set<string>();
  const first: CloseAttempt[] = [];
  const again: CloseAttempt[] = [];
  for (const result of results) {
    const name = `${result.id} ${result.attempt}`;
    (seen.has(name) ? again : first).push(result);
    seen.add(name);
  }
  return { first, again };
}

async function closeAll(
  session: Session,
  ports: ChangePorts,
  { results, decide, skipsLocked }: Closing,
  decisions: 'written' | 'left',
): Promise<readonly ClosedAttempt[]> {
  if (results.length === 0) return [];
  // Two processes that close the same rows lock them in the same order.
  const ordered = results.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const streaks = toStreaks(results);
  const run = (of: Statement): Promise<readonly ClosedRow[]> =>
    streaks.some(({ failed }) => failed)
      ? closeWithFailures(session, ports, { of, ordered, streaks, decide, decisions })
      : rerun(async () => {
          const values = toValues(ports, ordered, streaks);
          return (await session.query<ClosedRow>(of, values)).rows;
        });
  const records = ordered.map(({ record }) => record);
  const rows = await withPartitions({ session, crashPoint: ports.crashPoint }, records, () =>
    inSomeManner(run, { isAgain: false, skipsLocked }),
  );
  return rows.map(({ id, attempt, closed, due_at }) => ({
    id,
    attempt,
    closed,
    ...(due_at !== null && { dueAt: due_at }),
  }));
}

/** The streaks and decisions first: of endpoints of which something is locked, nothing may be recorded. */
function closeWithFailures(
  session: Session,
  ports: ChangePorts,
  {
    of,
    ordered,
    streaks,
    decide,
    decisions,
  }: {
    readonly of: Statement;
    readonly ordered: readonly CloseAttempt[];
    readonly streaks: readonly EndpointStreak[];
    readonly decide: DecideOnFailing;
    readonly decisions: 'written' | 'left';
  },
): Promise<readonly ClosedRow[]> {
  return inTransaction(session, async (inner) => {
    const { held, due } = await keepStreaks(inner, streaks);
    const made: EndpointDecision[] = [];
    for (const streak of due) made.push(...[(await decideOn(inner, streak, decide)) ?? []].flat());
    const written = decisions === 'left' ? [] : await lockForDecisions(inner, made);
    const waiting = made.filter((decision) => !written.includes(decision));
    const passed = new Set([...held, ...waiting.map(({ streak }) => streak.id)]);
    const free = ordered.filter(({ record }) => !passed.has(record.endpointId));
    if (free.length === 0) return [];
    const { rows } = await inner.query<ClosedRow>(of, toValues(ports, free, []));
    const recorded = new Set(rows.map(({ id }) => id));
    for (const decision of written) {
      const isRecorded = decision.streak.failed?.of.some((id) => recorded.has(id));
      if (isRecorded) await writeDecision(inner, ports, decision);
    }
    return rows;
  });
}

/** What another transaction has locked is waited for once, and then passed over. */
async function inSomeManner(
  run: (of: Statement) => Promise<readonly ClosedRow[]>,
  manner: Manner,
): Promise<readonly ClosedRow[]> {
  try {
    return await run(closingStatement(manner));
  } catch (error) {
    if (!manner.isAgain && isLoggedAlready(error)) {
      return inSomeManner(run, { ...manner, isAgain: true });
    }
    if (!manner.skipsLocked && isLockedOut(error)) {
      return inSomeManner(run, { ...manner, skipsLocked: true });
    }
    throw error;
  }
}

/** @param accepted endpoints that all succeeded */
function toValues(
  { clock }: Pick<ChangePorts, 'clock'>,
  results: readonly CloseAttempt[],
  accepted: readonly EndpointStreak[],
): unknown[] {
  return [
    clock.shiftMs,
    results.map(({ record }) => record.outcome),
    results.map(({ verdict }) => (verdict.next === 'retry' ? 'pending' : verdict.next)),
    results.map(({ verdict, attempt }) => (verdict.next === 'retry' ? verdict.attempt : attempt)),
    results.map(({ verdict }) => (verdict.next === 'retry' ? verdict.waitMs : 0)),
    results.map(({ endedAgoMs }) => endedAgoMs),
    ...attemptValues(results.map(({ record }) => record)),
    accepted.map(({ id }) => id),
    accepted.map(({ url }) => url),
  ];
}

function isLoggedAlready(error: unknown): boolean {
  return isSqlError(error) && error.code === '23505';
}

/** The log has a partition per day. A missing one is created on the first insert that needs it. */
export async function withPartitions<Result>(
  ports: PartitionPorts,
  records: readonly AttemptRecord[],
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isMissingPartition(error)) throw error;
    for (const { startedAt } of records) await createPartitions(ports, startedAt, 0);
    return work();
  }
}
