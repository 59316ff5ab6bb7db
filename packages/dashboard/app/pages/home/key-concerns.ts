import type { Key } from '../../api/resources.ts';

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;
const UNUSED_DAYS = 30;

type Facts = Pick<Key, 'status' | 'expires_at' | 'last_used_at' | 'created'>;

/** Keys that work and need someone's attention. */
interface KeyConcerns<Item> {
  readonly ending: readonly Item[];
  /** Without those that end soon anyway. */
  readonly unused: readonly Item[];
}

/** Which keys end within 14 days, and which nobody has used for 30. A key that has ended is neither. */
export function concernsOf<Item extends Facts>(
  keys: readonly Item[],
  nowMs: number,
): KeyConcerns<Item> {
  const endsSoon = ({ expires_at: end }: Facts) =>
    end !== null && Date.parse(end) - nowMs < SOON_DAYS * DAY_MS;
  const isUnused = ({ last_used_at: used, created }: Facts) =>
    nowMs - Date.parse(used ?? created) > UNUSED_DAYS * DAY_MS;
  const working = keys.filter(({ status }) => status === 'active');
  return {
    ending: working.filter(endsSoon),
    unused: working.filter((key) => isUnused(key) && !endsSoon(key)),
  };
}
