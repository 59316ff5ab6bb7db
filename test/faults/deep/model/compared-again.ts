import type { Difference } from './objects.ts';

/** An open difference of amounts, by what was moved until now. */
export function comparedAgain(difference: Difference): Difference {
  const { found: amount, moves, state } = difference;
  if (moves === undefined || state !== 'open') return difference;
  const isLikely = (move: number): boolean => Math.sign(move) === Math.sign(amount);
  if (moves.includes(amount))
    return Object.assign(difference, { expected: amount, state: 'resolved' });
  return Object.assign(difference, { expected: moves.findLast(isLikely) ?? null });
}
