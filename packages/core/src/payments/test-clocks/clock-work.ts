import type { ClaimedClock } from './test-clock-repository.ts';

/** Whose work it is, with the time that the clock shows. */
export type WorkingClock = Pick<ClaimedClock, 'id' | 'accountId' | 'environment' | 'frozenTime'>;

/** Work that is due. `object`: the id of what it is about. */
export interface DueWork {
  readonly due: Date;
  readonly object: string;
}

/** What a clock waits for before it may move on. It is done elsewhere, and is no failure. */
export type ClockWait = 'answer' | 'hook';

/**
 * One kind of work that becomes due by the time of a test clock, such as authorizations that expire.
 * What is on a clock is left alone by the work of the time that everybody shares.
 */
export interface ClockWork {
  /** What it does, before the id of an object: it completes "Paymount could not …". */
  readonly task: string;
  /** What a person can do instead, by hand. @defaultValue nothing */
  readonly byHand?: string;
  /** The earliest work of a clock, due at `until` at the latest; undefined if there is none. */
  nextDue(clock: WorkingClock, until: Date): Promise<DueWork | undefined>;
  /**
   * Does a batch of what is due at the time that the clock shows; every transaction checks that it
   * still does. Work that is repeated, because a process died in between, changes nothing.
   * @returns how much it did, zero if others did it first; or what the clock has to wait for
   * @throws ObjectWorkError, or another error about the whole clock; what was done before stays
   */
  run(clock: WorkingClock): Promise<number | ClockWait>;
}

/** The earliest work among all kinds; of kinds that are due at the same time, the first one. */
export async function nextWork(
  works: readonly ClockWork[],
  clock: WorkingClock,
  until: Date,
): Promise<(DueWork & { readonly work: ClockWork }) | undefined> {
  let next: (DueWork & { readonly work: ClockWork }) | undefined;
  for (const work of works) {
    const found = await work.nextDue(clock, until);
    if (found !== undefined && (next === undefined || found.due < next.due)) {
      next = { ...found, work };
    }
  }
  return next;
}
