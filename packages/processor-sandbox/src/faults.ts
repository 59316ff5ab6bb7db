import { createHash } from 'node:crypto';

/** What may go wrong at random, by the names of the special tokens. */
const FAULT_NAMES = [
  'timeout_approved',
  'timeout_declined',
  'unknown_forever',
  'not_sent',
  'amount_tampered',
] as const;

/** One of the faults. */
export type FaultName = (typeof FAULT_NAMES)[number];

/** Shares of all operations, each 0 to 1, together at most 1. */
export type FaultShares = Readonly<Partial<Record<FaultName, number>>>;

/** A share of 2^48, the first six bytes of a digest read as a number. */
const DIGEST_RANGE = 2 ** 48;

/**
 * Draws the fault of an operation: the same for the same seed and id, in every process.
 * @returns undefined for the operations that go well
 */
export function drawFault(
  shares: FaultShares,
  seed: number,
  operationId: string,
): FaultName | undefined {
  const digest = createHash('sha256').update(`${seed}:${operationId}`).digest();
  const draw = digest.readUIntBE(0, 6) / DIGEST_RANGE;
  let upTo = 0;
  for (const name of FAULT_NAMES) {
    upTo += shares[name] ?? 0;
    if (draw < upTo) return name;
  }
  return undefined;
}
