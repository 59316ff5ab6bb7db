import type { DisputeRound } from '../../ledger/dispute-kinds.ts';
import type { Chargeback } from './dispute.ts';

/**
 * Where a report about a chargeback belongs, whatever order reports come in:
 *
 * - `new`: it says more than is recorded, about this round
 * - `known`: it says what is recorded
 * - `outdated`: something later is recorded
 * - `contradicts`: it says something else about the same, or nobody can know what is later
 */
export type Place =
  | { readonly place: 'new'; readonly round: DisputeRound }
  | { readonly place: 'known' | 'outdated' | 'contradicts' };

/** A report of a processor. `round`: absent if the processor has no rounds. */
interface Report {
  readonly round?: DisputeRound;
  /** When it happened at the processor. */
  readonly at: Date;
}

/** Whether the issuer has decided this round. What nobody can contest needs no decision. */
export function isRuled(dispute: Chargeback): boolean {
  if (dispute.status !== 'lost') return dispute.status === 'won';
  return dispute.closedReason === 'ruling' || dispute.closedReason === 'not_contestable';
}

/**
 * Places a ruling. Only a later ruling, or a later round, makes it outdated. A round has one ruling: if
 * the processor tells rounds, no clock chooses between two.
 */
export function placeRuling(
  dispute: Chargeback,
  said: Report & { readonly outcome: 'won' | 'lost' },
): Place {
  const { round: current, ruledAt } = dispute;
  const { round = current, outcome } = said;
  if (round < current) return { place: 'outdated' };
  if (round > current) return { place: 'new', round };
  const isOlder = ruledAt !== undefined && said.at < ruledAt;
  if (isRuled(dispute)) {
    if (dispute.status !== outcome) {
      return { place: isOlder && said.round === undefined ? 'outdated' : 'contradicts' };
    }
    // The newest time is kept, since it tells what is older.
    const isNewer = ruledAt === undefined || said.at > ruledAt;
    return isNewer ? { place: 'new', round } : { place: 'known' };
  }
  if (said.round !== undefined || current === 1) return { place: 'new', round };
  // Without a round it may be the ruling that this round has reversed: only its time can tell.
  if (isOlder) return { place: 'outdated' };
  const isLater = ruledAt !== undefined && said.at > ruledAt;
  return isLater ? { place: 'new', round } : { place: 'contradicts' };
}

/** Places a report that a chargeback was opened. A later round opens it again. */
export function placeOpening(dispute: Chargeback, { round, at }: Report): Place {
  const { round: current, ruledAt, status } = dispute;
  if (round === undefined) {
    if (status !== 'won') return { place: 'known' };
    return { place: ruledAt !== undefined && at < ruledAt ? 'outdated' : 'contradicts' };
  }
  if (round > current) return { place: 'new', round };
  return { place: round < current ? 'outdated' : 'known' };
}
