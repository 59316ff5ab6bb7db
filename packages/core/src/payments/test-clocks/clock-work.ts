import type { ClaimedClock } from './test-clock-repository.ts';

/** Whose work it is, with the time that the clock shows. */
export type WorkingClock = Pick<ClaimedClock, 'id' | 'accountId' | 'environment' | 'frozenTime'>;

/** What a clock waits for before it may move on. It is done elsewhere, and is no failure. */
export type ClockWait = 'answer' | 'hook';

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
   * Does a batch of what is due at the time that the clock shows; every transaction checks that it
   * still does. Work that is repeated, because a process died in between, changes nothing.
   * @returns how much it did, zero if others did it first; or what the clock has to wait for
   * @throws what keeps it from being done; what was done before stays
   */
  run(clock: WorkingClock): Promise<number | ClockWait>;
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
