import type { Clock } from '../../kernel/basics/clock.ts';
import type { Key } from './key.ts';
import type { KeyUsageReader } from './key-repository.ts';
import type { KeyView } from './key-resource.ts';

const MAX_SAFE_AFTER_SECONDS = 90 * 86_400;

export interface KeyViewPorts {
  readonly usage: Pick<KeyUsageReader, 'findMany'>;
  readonly clock: Clock;
  /**
   * How long a key must be unused until revoking it counts as safe, in whole seconds, 1 to
   * 7,776,000 (90 days). @defaultValue 24 hours
   */
  readonly safeAfterSeconds?: number;
}

/** Looks up the data of keys besides their rows: one query for all of them. */
export type KeyViews = (keys: readonly Key[]) => Promise<(key: Key) => KeyView>;

/** Makes the look-up. @throws RangeError if the time is out of bounds */
export function keyViews({ usage, clock, safeAfterSeconds }: KeyViewPorts): KeyViews {
  if (safeAfterSeconds !== undefined && !isSafeAfter(safeAfterSeconds)) {
    throw new RangeError('`safeAfterSeconds` is 1 to 7,776,000 whole seconds.');
  }
  return async (keys) => {
    const now = clock.now();
    const ids = keys.map(({ id }) => id);
    const found = ids.length === 0 ? undefined : await usage.findMany(ids, now);
    return ({ id }) => {
      const used = found?.get(id);
      return {
        now,
        ...(used && { usage: used }),
        ...(safeAfterSeconds === undefined ? {} : { safeAfterMs: safeAfterSeconds * 1000 }),
      };
    };
  };
}

function isSafeAfter(seconds: number): boolean {
  return Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_SAFE_AFTER_SECONDS;
}
