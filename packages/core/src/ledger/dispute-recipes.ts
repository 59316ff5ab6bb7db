import type { Owner } from '../kernel/basics/environment.ts';
import { type DisputeId, newId } from '../kernel/basics/id.ts';
import {
  DISPUTE_KINDS,
  DISPUTE_WON_KINDS,
  type DisputeKind,
  type DisputeRound,
  type DisputeWonKind,
} from './dispute-kinds.ts';
import type { FeeDetail, LedgerEntry, Posting } from './ledger.ts';
import type { Booking, Fee } from './recipes.ts';

/** The arguments of both dispute recipes. */
interface DisputeToBook {
  readonly owner: Owner;
  readonly disputeId: DisputeId;
  readonly round: DisputeRound;
  /** Minor units, above zero. */
  readonly amount: number;
  readonly currency: string;
  readonly at: Date;
}

/**
 * Recipe `dispute`: the processor takes the amount of a chargeback, and the operator a fee. It is
 * covered: a balance that does not suffice becomes debt.
 */
export function bookDispute(facts: DisputeToBook & { readonly fee: Fee }): Booking {
  const kind = kindOf(DISPUTE_KINDS, facts);
  const gross = BigInt(facts.amount);
  const fee = BigInt(facts.fee.amount);
  const entries: LedgerEntry[] = [
    { code: 'available', amount: gross + fee },
    { code: 'processor_clearing', amount: -gross },
  ];
  if (fee !== 0n) entries.push({ code: 'fees_revenue', amount: -fee });
  const posting = { ...disputePosting(facts, kind, entries), covered: true } as const;
  const { details } = facts.fee;
  return { posting, transaction: disputeLine(facts, kind, -gross, { fee, details }) };
}

/** Recipe `dispute_won`: the processor returns the amount; the fee is kept. */
export function bookDisputeWon(facts: DisputeToBook): Booking {
  const kind = kindOf(DISPUTE_WON_KINDS, facts);
  const gross = BigInt(facts.amount);
  const posting = disputePosting(facts, kind, [
    { code: 'processor_clearing', amount: gross },
    { code: 'available', amount: -gross },
  ]);
  const transaction = disputeLine(facts, kind, gross, { fee: 0n, details: [] });
  return { posting, transaction };
}

function kindOf<Kind>(kinds: readonly Kind[], { round }: Pick<DisputeToBook, 'round'>): Kind {
  const kind = kinds[round - 1];
  if (kind === undefined) throw new RangeError(`A dispute has no round ${round}.`);
  return kind;
}

function disputePosting(
  { disputeId, currency, at }: DisputeToBook,
  kind: DisputeKind | DisputeWonKind,
  entries: readonly LedgerEntry[],
): Posting {
  const id = newId('ltx');
  return { id, kind, sourceId: disputeId, currency, entries, availableOn: at, created: at };
}

function disputeLine(
  { owner, disputeId, currency, at }: DisputeToBook,
  type: DisputeKind | DisputeWonKind,
  amount: bigint,
  { fee, details }: { readonly fee: bigint; readonly details: readonly FeeDetail[] },
): Booking['transaction'] {
  return {
    ...owner,
    id: newId('txn'),
    type,
    sourceId: disputeId,
    amount,
    fee,
    feeDetails: details,
    currency,
    status: 'available',
    availableOn: at,
    created: at,
  };
}
