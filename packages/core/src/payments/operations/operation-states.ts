import type { Owner } from '../../kernel/basics/environment.ts';
import { type Id, newId } from '../../kernel/basics/id.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { OPERATION_DEADLINE_MS } from '../processor/deadline.ts';
import type { OperationKind } from '../processor/processor.ts';
import { type Clocked, timeOf } from '../test-clocks/object-clock.ts';
import { FIRST_LOOKUP_MS, lookupWaitMs } from './lookup-schedule.ts';
import type { Operation } from './operation.ts';
import type { CallResult } from './outcome.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/**
 * Two "not found" answers, one after the other, with this distance mean that the processor never got
 * it.
 */
const NOT_FOUND_WAIT_MS = 5 * MINUTE;
export const NOT_FOUNDS_NEEDED = 2;

/** A result that waits longer for the hook is shown to a person: most wait for one retry only. */
export const HOOK_WAIT_MS = 5 * MINUTE;

/** How long an intent of a host's transaction may wait before the resolver starts it. */
const START_GRACE_MS = 10_000;

/** Phase 1 of a processor call: the row that is committed before anything is sent. */
export function newOperation(intent: {
  /** What it is about. */
  readonly on: Clocked;
  readonly owner: Owner;
  readonly kind: OperationKind;
  readonly subjectId: Operation['subjectId'];
  readonly rootId?: Id<string>;
  readonly amount: number;
  readonly currency: string;
  readonly processor: string;
  readonly call: Pick<Call, 'requestId' | 'claim'>;
  readonly at: Date;
  /** Sent after a host's commit instead of immediately. */
  readonly deferred: boolean;
  readonly answers?: string;
}): Operation {
  const { owner, on, call, at, deferred, ...facts } = intent;
  const patienceMs = deferred ? START_GRACE_MS : OPERATION_DEADLINE_MS + FIRST_LOOKUP_MS;
  return {
    ...owner,
    ...facts,
    id: newId('op'),
    version: 1,
    attempt: deferred ? 0 : 1,
    state: deferred ? 'created' : 'sent',
    deadlineAt: new Date(at.getTime() + OPERATION_DEADLINE_MS),
    nextLookupAt: new Date(at.getTime() + patienceMs),
    lookups: 0,
    notFounds: 0,
    requestId: call.requestId,
    created: at,
    ...(on.clock === undefined ? {} : { testClockId: on.clock.id }),
    ...(call.claim === undefined ? {} : { idempotencyKey: call.claim.key }),
  };
}

/** Later than any wait: an intent that no resolver starts, because the test clock of its object does. */
const NEVER = new Date('9999-01-01T00:00:00.000Z');

/** The intent of an object on a test clock, which is sent when the clock advances. */
export function heldBack(intent: Operation): Operation {
  return { ...intent, nextLookupAt: NEVER };
}

/** An intent that nobody may send before a time. */
export function postponed(intent: Operation, until: Date): Operation {
  return { ...intent, nextLookupAt: until };
}

/** Whether anything is left to do for an operation. */
export function isUnresolved(operation: Operation): boolean {
  return (
    operation.state === 'created' || operation.state === 'sent' || operation.state === 'unknown'
  );
}

/** Whether a person may settle it: its outcome is unknown, and no call for it is in progress. */
export function isOpen(operation: Operation, now: Date): boolean {
  if (operation.state === 'quarantined') return true;
  return isUnresolved(operation) && operation.deadlineAt.getTime() <= now.getTime();
}

/** The operation of an object that was withdrawn before it was sent. */
export function withdrawn(operation: Operation): Operation {
  const { nextLookupAt: _, reviewSince: __, ...rest } = operation;
  return { ...rest, version: operation.version + 1, state: 'failed' };
}

/** The operation whose withdrawal the host's hook has refused: it waits for the hook, unsent. */
export function withheldByHook(operation: Operation, at: Date): Operation {
  return { ...operation, version: operation.version + 1, reviewSince: at };
}

/** The operation as it is submitted (again): a new deadline, the same id. */
export function submitted(operation: Operation, at: Date): Operation {
  const { reviewSince: _, ...rest } = operation;
  return {
    ...rest,
    version: operation.version + 1,
    state: 'sent',
    attempt: operation.attempt + 1,
    deadlineAt: later(at, OPERATION_DEADLINE_MS),
    nextLookupAt: later(at, OPERATION_DEADLINE_MS + FIRST_LOOKUP_MS),
  };
}

/** The operation after a call or a look-up, as it is recorded with the change of its object. */
function concluded(operation: Operation, result: CallResult, at: Date): Operation {
  const { nextLookupAt: _, reviewSince: __, ...rest } = operation;
  const next = { ...rest, version: operation.version + 1 };
  switch (result.outcome) {
    case 'approved':
      return {
        ...next,
        state: 'done',
        outcome: result,
        processorReference: result.processorReference,
      };
    case 'declined': {
      const { processorReference: reference = result.processorReference } = next;
      const named = reference === undefined ? {} : { processorReference: reference };
      return { ...next, ...named, state: 'done', outcome: result };
    }
    case 'action_required':
      return { ...next, state: 'done', outcome: result };
    case 'rejected':
      return { ...next, state: 'failed', outcome: result };
    case 'not_sent': {
      const { outcome: ___, ...unanswered } = next;
      return { ...unanswered, state: 'failed' };
    }
    case 'pending':
      return {
        ...promised(next, new Date(result.expectedBy), at),
        processorReference: result.processorReference,
      };
    case 'unknown':
      return waiting(operation, at);
  }
}

/**
 * The same for the operation of an object that may be on a test clock. The processor promises in the
 * time of that clock, and is asked again after as long a wait in the time that everybody shares. That
 * is later each time while the clock stands still, and so counts as no promise that it has broken.
 */
export function concludedOn(
  object: Clocked,
  operation: Operation,
  result: CallResult,
  at: Date,
): Operation {
  if (result.outcome !== 'pending') return concluded(operation, result, at);
  const waitMs = Date.parse(result.expectedBy) - timeOf(object, at).getTime();
  // A deleted clock, which for the sandbox shows the end of time, would take it beyond the year 9999.
  const expectedBy = earliest(later(at, waitMs), NEVER).toISOString();
  const { expectedBy: _, ...unpromised } = operation;
  const asked = object.clock === undefined ? operation : unpromised;
  return concluded(asked, { ...result, expectedBy }, at);
}

/**
 * Asked again when the processor expects to know. A time in the past counts as no answer, and so does
 * a later one than it had promised: otherwise nobody would see what it puts off for ever.
 */
function promised(operation: Operation, expectedBy: Date, at: Date): Operation {
  const { version, expectedBy: before = expectedBy } = operation;
  const next =
    expectedBy.getTime() <= at.getTime() ? undefined : { ...operation, expectedBy, notFounds: 0 };
  if (next !== undefined && expectedBy.getTime() <= before.getTime()) {
    const nextLookupAt = earliest(latest(expectedBy, later(at, SECOND)), later(at, DAY));
    return { ...next, state: 'unknown', nextLookupAt };
  }
  const waits = { ...waiting(next ?? operation, at), version };
  if (next === undefined || waits.nextLookupAt === undefined) return waits;
  return {
    ...waits,
    nextLookupAt: earliest(latest(expectedBy, waits.nextLookupAt), later(at, DAY)),
  };
}

/**
 * One more look-up, or a person if the schedule is exhausted. "Not found" counts only twice in a row:
 * the processor did not say it this time.
 */
function waiting(operation: Operation, at: Date): Operation {
  const wait = lookupWaitMs(operation.lookups);
  const { nextLookupAt: _, ...rest } = operation;
  const next = { ...rest, version: operation.version + 1 };
  if (wait === undefined) return { ...next, state: 'quarantined', reviewSince: at };
  return {
    ...next,
    state: 'unknown',
    lookups: operation.lookups + 1,
    notFounds: 0,
    nextLookupAt: later(at, wait),
  };
}

/** The operation after the processor answered that it does not know it. */
export function countNotFound(operation: Operation, at: Date): Operation {
  return {
    ...operation,
    version: operation.version + 1,
    state: 'unknown',
    notFounds: operation.notFounds + 1,
    nextLookupAt: later(at, NOT_FOUND_WAIT_MS),
  };
}

/** Contradictory, or it cannot be recorded: never posted; waits for a person. */
export function quarantined(operation: Operation, result: CallResult, at: Date): Operation {
  const { nextLookupAt: _, ...rest } = operation;
  const outcome =
    result.outcome === 'unknown' || result.outcome === 'not_sent' ? {} : { outcome: result };
  const version = operation.version + 1;
  return { ...rest, ...outcome, version, state: 'quarantined', reviewSince: at };
}

/**
 * The operation whose result could not be recorded: that counts as one more look-up without an answer. After the
 * last one a person settles it, and sees the result.
 */
export function unrecorded(operation: Operation, result: CallResult, at: Date): Operation {
  const next = waiting(operation, at);
  return next.state === 'quarantined' ? quarantined(operation, result, at) : next;
}

/**
 * The outcome is known, but the host's hook refused it or this process has no hook: kept, and offered
 * again. `reviewSince` says since when it waits.
 */
export function withResult(operation: Operation, result: CallResult, at: Date): Operation {
  const outcome = result.outcome === 'unknown' ? {} : { outcome: result };
  return {
    ...operation,
    ...outcome,
    version: operation.version + 1,
    state: 'unknown',
    reviewSince: operation.reviewSince ?? at,
    nextLookupAt: later(at, FIRST_LOOKUP_MS),
  };
}

/** The operation after an answer that came when it was closed: its state stays. */
export function answeredLate(operation: Operation, at: Date): Operation {
  const { reviewSince = at } = operation;
  return { ...operation, version: operation.version + 1, reviewSince };
}

/** The operation after a notice that names it told what the processor calls it. */
export function withReference(operation: Operation, processorReference: string): Operation {
  return { ...operation, version: operation.version + 1, processorReference };
}

/** The operation after a person has handled the late answer. */
export function dismissed(operation: Operation): Operation {
  const { reviewSince: _, ...rest } = operation;
  return { ...rest, version: operation.version + 1 };
}

function later(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}

function latest(a: Date, b: Date): Date {
  return a.getTime() > b.getTime() ? a : b;
}

function earliest(a: Date, b: Date): Date {
  return a.getTime() < b.getTime() ? a : b;
}
