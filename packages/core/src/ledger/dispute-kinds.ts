/** The rounds of a dispute: 1 is the chargeback; each later one reverses the ruling before it. */
export const DISPUTE_ROUNDS = [1, 2, 3, 4, 5] as const;
export type DisputeRound = (typeof DISPUTE_ROUNDS)[number];

/**
 * What takes the amount of a dispute, by round. A kind of its own for each round keeps the rule that a
 * source books each kind once: however often a round is reported, it takes the money once.
 */
export const DISPUTE_KINDS = [
  'dispute',
  'dispute_round_2',
  'dispute_round_3',
  'dispute_round_4',
  'dispute_round_5',
] as const;
/** What gives it back, by round. */
export const DISPUTE_WON_KINDS = [
  'dispute_won',
  'dispute_won_round_2',
  'dispute_won_round_3',
  'dispute_won_round_4',
  'dispute_won_round_5',
] as const;
export type DisputeKind = (typeof DISPUTE_KINDS)[number];
export type DisputeWonKind = (typeof DISPUTE_WON_KINDS)[number];
