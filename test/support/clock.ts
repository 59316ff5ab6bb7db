/** A clock that tests move; it fits the `Clock` port of core. */
export interface FakeClock {
  now(): Date;
  monotonicMs(): number;
  /** How far `now()` is ahead of the machine's time, for statements that use database time. */
  readonly shiftMs: number;
  /** Moves both times forward; negative is an error, as a monotonic clock never goes back. */
  advance(ms: number): void;
}

/**
 * @param start an ISO time at which the clock stands still until advanced; without it the clock
 *   runs with the machine's time plus what it was advanced, which database time can follow
 */
export function fakeClock(start?: string): FakeClock {
  const frozenAtMs = start === undefined ? undefined : Date.parse(start);
  if (Number.isNaN(frozenAtMs)) throw new RangeError(`${start} is not an ISO time`);
  let advancedMs = 0;
  const nowMs = (): number => (frozenAtMs ?? Date.now()) + advancedMs;
  return {
    now: () => new Date(nowMs()),
    monotonicMs: () => (frozenAtMs === undefined ? performance.now() : 0) + advancedMs,
    get shiftMs() {
      return frozenAtMs === undefined ? advancedMs : nowMs() - Date.now();
    },
    advance(ms) {
      if (!(ms >= 0)) throw new RangeError(`A clock goes forward; ${ms} ms is not forward.`);
      advancedMs += ms;
    },
  };
}

const DAY = 86_400_000;

/** Advances a clock to the next noon, so that hours later it is the same day: of some mails one is sent a day. */
export function advanceToNoon(clock: FakeClock): void {
  clock.advance((1.5 * DAY - (clock.now().getTime() % DAY)) % DAY);
}
