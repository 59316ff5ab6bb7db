import type { OperationId } from '../../kernel/basics/id.ts';
import type { Sealed } from '../../kernel/secrets/sealer.ts';

/** What a processor may report without being asked. */
export const NOTICE_KINDS = [
  'charge.settled',
  'charge.failed',
  'refund.settled',
  'refund.failed',
  'dispute.alert',
  'dispute.opened',
  'dispute.closed',
  'payout.paid',
  'payout.failed',
  'account_update',
  'settlement_line',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** Money that moved. */
interface SettledData {
  /** Minor units. */
  readonly amount: number;
  /** ISO 4217, lower case. */
  readonly currency: string;
  /** The processor's fee, minor units. @defaultValue 0 */
  readonly fee?: number;
}

/** Why it did not move, or came back. */
interface FailedData {
  /** A code of the error table. */
  readonly code: string;
  readonly message: string;
}

interface DisputeData {
  /** The processor's name of the dispute, which later notices about it repeat. */
  readonly disputeReference: string;
  readonly amount: number;
  readonly currency: string;
  readonly reason: string;
  readonly networkReasonCode?: string;
  /** Until when evidence is accepted, ISO 8601. @defaultValue the network's own time */
  readonly dueBy?: string;
  /** Whether evidence can win it. */
  readonly contestable: boolean;
}

/** The facts of each kind, in a form that JSON keeps: times are ISO 8601 texts. */
export interface NoticeData {
  readonly 'charge.settled': SettledData & {
    /** When the funds become available. @defaultValue two days after the capture */
    readonly availableOn?: string;
  };
  readonly 'charge.failed': FailedData & {
    /** Of a bank debit, such as `R01`: it says more than `code`. */
    readonly returnCode?: string;
  };
  readonly 'refund.settled': SettledData;
  readonly 'refund.failed': FailedData;
  readonly 'dispute.alert': DisputeData;
  readonly 'dispute.opened': DisputeData & {
    /**
     * 1 for the chargeback; 2 if it was opened again after its ruling, such as for pre-arbitration; 3 for
     * arbitration. A person must look at a round after the fifth. @defaultValue the processor has no rounds
     */
    readonly round?: number;
  };
  readonly 'dispute.closed': {
    readonly disputeReference: string;
    readonly outcome: 'won' | 'lost' | 'warning_closed';
    /** The round that it decides: a later one than that of the ruling before reverses it. */
    readonly round?: number;
  };
  readonly 'payout.paid': Readonly<Record<string, never>>;
  readonly 'payout.failed': FailedData;
  readonly account_update: {
    /** The token of the card or bank account at the processor. */
    readonly processorToken: string;
    readonly expMonth?: number;
    readonly expYear?: number;
    readonly last4?: string;
    /** Corrections of a bank account, such as those with the change codes C01 to C07. */
    readonly routingNumber?: string;
    readonly accountType?: 'checking' | 'savings';
    /** The corrected number; it is sealed before the notice is stored. */
    readonly accountNumber?: string;
    /** `accountNumber` as it is stored. Adapters do not set it. */
    readonly number?: Sealed;
  };
  readonly settlement_line: {
    readonly lineId: string;
    /** Minor units; negative if it lowers what the processor pays. */
    readonly amount: number;
    readonly currency: string;
    readonly fee?: number;
    /** ISO 8601. */
    readonly settledOn: string;
    /** The processor's word for it, such as `payment` or `refund`. */
    readonly kind: string;
  };
}

/** What a processor reported, once: (processor, environment, `noticeId`) is unique. */
export interface NoticeOf<Kind extends NoticeKind> {
  /** The processor's id of the notice; the same when it is sent again. */
  readonly noticeId: string;
  readonly kind: Kind;
  /** Our id of the operation, if the processor repeats it. */
  readonly operationId?: OperationId;
  /**
   * The reference of the operation at the processor; of a dispute, the reference of its charge.
   * Required unless `operationId` is there, except for `account_update` and `settlement_line`.
   */
  readonly processorReference?: string;
  /** When it happened at the processor. */
  readonly occurredAt: Date;
  readonly data: NoticeData[Kind];
}

export type Notice = { [Kind in NoticeKind]: NoticeOf<Kind> }[NoticeKind];

/** What an adapter reads notices from: a request that the processor sent, or a file. */
export type NoticeSource =
  | {
      readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
      /** The raw body, for the signature. */
      readonly body: Buffer;
    }
  | { readonly file: AsyncIterable<Uint8Array> };
