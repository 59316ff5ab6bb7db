import type { Environment } from '../../kernel/basics/environment.ts';
import type { AccountId, ChargeId, OperationId, SettlementLineId } from '../../kernel/basics/id.ts';

/** What a settlement line is about. */
export interface SettlementMatch {
  readonly accountId: AccountId;
  readonly operationId: OperationId;
  readonly chargeId: ChargeId;
  /** What it should have been, if anything moved at all; minor units. */
  readonly expected?: number;
}

/** Money that a processor says it has paid to the operator's bank, or taken from there. */
export interface SettlementLine {
  readonly id: SettlementLineId;
  readonly environment: Environment;
  /** The name of the adapter. */
  readonly processor: string;
  /** The processor's id of the line; stored once, however often it is reported. */
  readonly lineId: string;
  /** The processor's word for it. */
  readonly kind: string;
  /** Before the fee, in minor units; negative if it lowers what the processor pays. */
  readonly amount: number;
  /** Negative if the processor gives it back. */
  readonly fee: number;
  readonly currency: string;
  readonly settledOn: Date;
  /** What the processor names; either may be absent. */
  readonly named: { readonly operationId?: OperationId; readonly processorReference?: string };
  /** Absent until its operation is found; nothing is booked before. */
  readonly match?: SettlementMatch;
  readonly created: Date;
}
