import type { Environment } from '../../kernel/basics/environment.ts';
import type {
  AccountId,
  ChargeId,
  RefundId,
  SettlementDifferenceId,
  SettlementLineId,
} from '../../kernel/basics/id.ts';

/**
 * - `no_operation`: a line that no operation belongs to; it is not booked
 * - `currency_differs`: a line in another currency than its charge; it is not booked
 * - `amount_differs`: a line of another amount than what its charge or refund moved, that no other line
 *   takes back; it is booked
 * - `fee_differs`: lines of a charge or refund that tell less of its fee than is booked; they are
 *   booked, and so is the fee
 * - `not_settled`: a charge of which lines do not say all, a week after it last changed
 */
export const SETTLEMENT_DIFFERENCE_KINDS = [
  'no_operation',
  'currency_differs',
  'amount_differs',
  'fee_differs',
  'not_settled',
] as const;
export type SettlementDifferenceKind = (typeof SETTLEMENT_DIFFERENCE_KINDS)[number];

/** `open`; `settled` by a person, with a note; `resolved` by lines that came later. */
export const SETTLEMENT_DIFFERENCE_STATES = ['open', 'settled', 'resolved'] as const;

/** How long after its last change a charge may wait for its lines. */
export const SETTLEMENT_DAYS = 7;

/** What a processor's settlement and the ledger do not agree on. */
export interface SettlementDifference {
  readonly id: SettlementDifferenceId;
  readonly environment: Environment;
  readonly processor: string;
  readonly kind: SettlementDifferenceKind;
  /** Absent if no operation was known. */
  readonly accountId?: AccountId;
  /** The line, charge or refund. */
  readonly subjectId: SettlementLineId | ChargeId | RefundId;
  /** The processor's id of the line; of several, the last one. */
  readonly lineId?: string;
  readonly currency: string;
  /** Minor units; absent if nothing was expected. */
  readonly expected?: number;
  /** Minor units. */
  readonly found: number;
  readonly state: (typeof SETTLEMENT_DIFFERENCE_STATES)[number];
  /** How a person knows what it is; only if `settled`. */
  readonly note?: string;
  readonly created: Date;
}
