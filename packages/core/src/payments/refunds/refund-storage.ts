import type { AreaStorage } from '../../changes/area-storage.ts';
import type { Change, Write } from '../../changes/change.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import type { LedgerFacts } from '../../ledger/ledger.ts';
import type { LedgerReader, LedgerRepository } from '../../ledger/ledger-repository.ts';
import type { Charge } from '../charges/charge.ts';
import type { ChargeReader, ChargeRepository } from '../charges/charge-repository.ts';
import type { ChargeWrite } from '../charges/charge-storage.ts';
import type { DisputeReader, DisputeRepository } from '../disputes/dispute-repository.ts';
import type { DisputeResult, DisputeWrite } from '../disputes/dispute-storage.ts';
import type { OperationWrite } from '../operations/operation-change.ts';
import type { OperationRepository } from '../operations/operation-repository.ts';
import type { PaymentMethodReader } from '../payment-methods/payment-method-repository.ts';
import type { Clocked } from '../test-clocks/object-clock.ts';
import type { Refund } from './refund.ts';
import type { RefundReader, RefundRepository } from './refund-repository.ts';

export type RefundWrite = Write<'refund', Refund>;

/** The refund that a change writes. @returns undefined if it writes none */
export function writtenRefund({ writes }: Change<Write<string, unknown>>): Refund | undefined {
  return writes.find(isRefundWrite)?.row;
}

function isRefundWrite(write: Write<string, unknown>): write is RefundWrite {
  return write.kind === 'refund';
}

/** What the host's hook gets about a refund. */
export interface RefundResult {
  readonly kind: 'refund';
  readonly refund: Refund;
  readonly charge: Charge;
}

/** The change that the service and the operations of refunds commit. */
export type RefundChange = Change<ChargeWrite | RefundWrite | DisputeWrite | OperationWrite> &
  Clocked &
  LedgerFacts & { readonly settled?: RefundResult; readonly alsoSettled?: DisputeResult };

/** Where a refund is read with all objects that its result changes. */
export interface RefundReaders {
  readonly refunds: RefundReader;
  readonly charges: ChargeReader;
  readonly disputes: DisputeReader;
  readonly paymentMethods: PaymentMethodReader;
  readonly ledger: Pick<LedgerReader, 'findTransaction'>;
}

/** Bound to one transaction. */
export interface RefundRepositories {
  readonly refunds: RefundRepository;
  readonly charges: ChargeRepository;
  readonly disputes: DisputeRepository;
  readonly operations: OperationRepository;
  readonly ledger: LedgerRepository;
  readonly changes: ChangeRepository<RefundChange>;
}

/** What the service of refunds needs of storage. */
export type RefundStorage = AreaStorage<RefundReaders, RefundRepositories>;
