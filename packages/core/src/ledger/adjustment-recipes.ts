import type { Owner } from '../kernel/basics/environment.ts';
import { type AdjustmentId, newId } from '../kernel/basics/id.ts';
import type { LedgerCode, LedgerEntry } from './ledger.ts';
import type { Booking } from './recipes.ts';

/**
 * What an admin may book on a balance.
 * - `reserve`: available funds that must not be paid out, such as before expected chargebacks
 * - `release`: reserved funds that are available again
 * - `write_off`: a debt that the operator bears
 */
export const ADJUSTMENT_KINDS = ['reserve', 'release', 'write_off'] as const;
export type AdjustmentKind = (typeof ADJUSTMENT_KINDS)[number];

const RECIPES: Readonly<Record<AdjustmentKind, { debit: LedgerCode; credit: LedgerCode }>> = {
  reserve: { debit: 'available', credit: 'reserved' },
  release: { debit: 'reserved', credit: 'available' },
  write_off: { debit: 'losses', credit: 'available' },
};

/**
 * The recipes `reserve`, `release` and `write_off`. The merchant sees what leaves or reaches
 * `available`.
 */
export function bookAdjustment(facts: {
  readonly owner: Owner;
  readonly adjustmentId: AdjustmentId;
  readonly kind: AdjustmentKind;
  /** Minor units, above zero. */
  readonly amount: number;
  readonly currency: string;
  readonly at: Date;
}): Booking {
  const { owner, adjustmentId: sourceId, kind, currency, at } = facts;
  const amount = BigInt(facts.amount);
  const { debit, credit } = RECIPES[kind];
  const entries: readonly LedgerEntry[] = [
    { code: debit, amount },
    { code: credit, amount: -amount },
  ];
  const dates = { availableOn: at, created: at };
  return {
    posting: { id: newId('ltx'), kind, sourceId, currency, entries, ...dates },
    transaction: {
      ...owner,
      id: newId('txn'),
      type: kind,
      sourceId,
      currency,
      ...dates,
      amount: debit === 'available' ? -amount : amount,
      fee: 0n,
      feeDetails: [],
      status: 'available',
    },
  };
}
