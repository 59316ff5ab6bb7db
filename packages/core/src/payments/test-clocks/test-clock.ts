import type { Owner } from '../../kernel/basics/environment.ts';
import type { TestClockId } from '../../kernel/basics/id.ts';
import type { Maker } from '../../kernel/callers/maker.ts';
import type { ObjectClock } from './object-clock.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** A clock is deleted after this time, with its customers. */
export const TEST_CLOCK_DAYS = 30;
/** Per account, so that forgotten clocks do not add up. */
export const MAX_TEST_CLOCKS = 100;
/** So that a clock is deleted with its customers in one transaction. */
export const MAX_CUSTOMERS_OF_CLOCK = 100;

/**
 * - `ready`: it stands still
 * - `advancing`: a worker runs what is due until `targetTime`; `frozenTime` shows how far it is
 * - `internal_failure`: it stopped at work that failed several times; advancing it tries again
 */
export const TEST_CLOCK_STATUSES = ['ready', 'advancing', 'internal_failure'] as const;
export type TestClockStatus = (typeof TEST_CLOCK_STATUSES)[number];

/** What a clock has in each of its states. */
export interface TestClockFacts extends Owner {
  readonly id: TestClockId;
  /** Increments with every change, every step, and every new customer. */
  readonly version: number;
  readonly name: string | null;
  /** The time of its objects. */
  readonly frozenTime: Date;
  /** In the time that everybody shares. */
  readonly created: Date;
  /** Who made it; absent if an earlier version wrote it, or nobody did. */
  readonly createdBy?: Maker;
  /** Set once; its objects keep the time that it showed last. */
  readonly deletedAt?: Date;
}

export type TestClockState =
  | { readonly status: 'ready' }
  /**
   * `reviewSince`: since when work of it waits for the hook; `unansweredSince`: since when the processor
   * has not answered about an operation on it, which is read with the clock and not written.
   * @defaultValue it does not wait
   */
  | {
      readonly status: 'advancing';
      readonly targetTime: Date;
      readonly reviewSince?: Date;
      readonly unansweredSince?: Date;
    }
  /** `failure`: what a person reads about it. */
  | { readonly status: 'internal_failure'; readonly failure: string };

/** A time of its own for some customers of the test environment, and for all that happens to them. */
export type TestClock = TestClockFacts & TestClockState;

/** When it is deleted without being asked. */
export function deletesAfter({ created }: Pick<TestClock, 'created'>): Date {
  return new Date(created.getTime() + TEST_CLOCK_DAYS * DAY_MS);
}

/** The clock on its way to a later time. */
export function advancing(clock: TestClock, targetTime: Date): TestClock {
  return { ...nextFacts(clock), status: 'advancing', targetTime };
}

/**
 * Whether a person may set it to `ready` where it stands: it failed, or waits for the hook or for an
 * answer, which may never come.
 */
export function isStuck(clock: TestClock): boolean {
  if (clock.status === 'internal_failure') return true;
  if (clock.status !== 'advancing') return false;
  return clock.reviewSince !== undefined || clock.unansweredSince !== undefined;
}

/** The clock where it stands, without what it was doing. */
export function stopped(clock: TestClock): TestClock {
  return { ...nextFacts(clock), status: 'ready' };
}

/** The clock after it was deleted: it does nothing more. */
export function deletedClock(clock: TestClock, at: Date): TestClock {
  return { ...stopped(clock), name: null, deletedAt: at };
}

/** The clock with the next version, so that a new customer races with what else changes it. */
export function touchedClock(clock: TestClock): TestClock {
  return { ...clock, version: clock.version + 1 };
}

/** What its objects know of it. */
export function toObjectClock({ id, frozenTime: now, status }: TestClock): ObjectClock {
  return { id, now, isAdvancing: status === 'advancing' };
}

function nextFacts(clock: TestClock): TestClockFacts {
  const { accountId, environment, id, version, name, frozenTime, created, deletedAt } = clock;
  return {
    accountId,
    environment,
    id,
    version: version + 1,
    name,
    frozenTime,
    created,
    ...(deletedAt === undefined ? {} : { deletedAt }),
  };
}
