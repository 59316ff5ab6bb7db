import type { Clock } from '../kernel/basics/clock.ts';
import type { CrashPoint } from '../kernel/basics/crash-point.ts';
import type { Logger } from '../kernel/basics/logger.ts';
import { isError } from '../kernel/errors/is-error.ts';
import type { ExpungeQueue, ExpungeStepRepository } from './expunge-repository.ts';
import type { ExpungeRequest, ExpungeRequestId, OpenExpungeRequest } from './expunge-request.ts';

/** Requests of one round; the others follow in the next. */
const MAX_REQUESTS = 100;

export interface AdvanceExpungesPorts {
  readonly expunges: ExpungeQueue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly crashPoint: CrashPoint;
  /** Once it returns true, no further step is started. */
  readonly isClosing: () => boolean;
}

/**
 * Does one step of each open request. A step is one short transaction of a bounded number of events
 * with their progress, so that a process can be killed anywhere, and any other continues.
 * @returns whether any request has more to do
 */
export async function advanceExpunges(ports: AdvanceExpungesPorts): Promise<boolean> {
  let hasMore = false;
  for (const id of await ports.expunges.open(MAX_REQUESTS)) {
    if (ports.isClosing()) return false;
    const after = await guarded(ports, id);
    hasMore ||= after?.status === 'running';
  }
  return hasMore;
}

/** A request that fails does not delay the others. */
async function guarded(
  { expunges, clock, logger, crashPoint }: AdvanceExpungesPorts,
  id: ExpungeRequestId,
): Promise<ExpungeRequest | undefined> {
  const now = clock.now();
  try {
    const after = await expunges.step(id, async (rows, request) => {
      const advanced = await advance(rows, request, now);
      crashPoint('expunge.before_commit');
      return advanced;
    });
    crashPoint('expunge.after_commit');
    if (after?.status === 'succeeded') {
      logger.info({ expunge_request: id, ...after.counts }, 'Events were expunged.');
    }
    return after;
  } catch (error) {
    const facts = { expunge_request: id, err: isError(error) ? error : undefined };
    const failure = expunges.whyNever(error);
    if (failure === undefined) {
      logger.warn(facts, 'A step of an expunge request failed; Paymount tries again.');
    } else {
      logger.error(facts, 'An expunge request failed.');
      await expunges.fail(id, now, failure).catch(() => undefined);
    }
    await expunges.postpone(id, now).catch(() => undefined);
    return undefined;
  }
}

async function advance(
  rows: ExpungeStepRepository,
  request: OpenExpungeRequest,
  now: Date,
): Promise<ExpungeRequest> {
  const { eventIds, position, isLast } = await rows.choose();
  const { isWhole, ...done } = await rows.expunge(eventIds, now);
  const { id, accountId, environment, selection, reason, created, counts } = request;
  const facts = {
    id,
    accountId,
    environment,
    selection,
    reason,
    created,
    startedAt: request.status === 'running' ? request.startedAt : now,
    counts: {
      events: counts.events + done.events,
      canceledDeliveries: counts.canceledDeliveries + done.canceledDeliveries,
      attempts: counts.attempts + done.attempts,
    },
  };
  const before = request.status === 'running' ? request.position : undefined;
  const reached = isWhole ? position : before;
  const after: ExpungeRequest =
    isWhole && isLast
      ? { ...facts, status: 'succeeded', finishedAt: now }
      : { ...facts, status: 'running', ...(reached && { position: reached }) };
  await rows.save(after, now);
  return after;
}
