import type { ClaimedClock } from './test-clock-repository.ts';

/** Whose work it is. */
export type WorkingClock = Pick<ClaimedClock, 'id' | 'accountId' | 'environment'>;

/**
 * One kind of work that becomes due by the time of a test clock, such as authorizations that expire.
 * What is on a clock is left alone by the work of the time that everybody shares.
 */
export interface ClockWork {
  /** What it is about, in the plural: it completes "… could not be done." */
  readonly name: string;
  /** When the earliest work of a clock is due, at `until` at the latest; undefined if none is. */
  nextDue(clock: WorkingClock, until: Date): Promise<Date | undefined>;
  /**
   * Does a batch of what is due. The clock shows `now`; every transaction checks that it still does.
   * Work that is repeated, because a process died in between, changes nothing.
   * @returns how much it did; zero if others did it first
   * @throws what keeps it from being done; what was done before stays
   */
  run(clock: WorkingClock, now: Date): Promise<number>;
}

/** The earliest work among all kinds; of kinds that are due at the same time, the first one. */
export async function nextWork(
  works: readonly ClockWork[],
  clock: WorkingClock,
  until: Date,
): Promise<{ readonly work: ClockWork; readonly due: Date } | undefined> {
  let next: { readonly work: ClockWork; readonly due: Date } | undefined;
  for (const work of works) {
    const due = await work.nextDue(clock, until);
    if (due !== undefined && (next === undefined || due < next.due)) next = { work, due };
  }
  return next;
}
