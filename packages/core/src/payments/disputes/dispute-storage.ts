import type { AreaStorage } from '../../changes/area-storage.ts';
import type { Change, Write } from '../../changes/change.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import type { LedgerFacts } from '../../ledger/ledger.ts';
import type { Charge } from '../charges/charge.ts';
import type { ChargeReader, ChargeRepository } from '../charges/charge-repository.ts';
import type { ChargeWrite } from '../charges/charge-storage.ts';
import type { FileReader } from '../files/file-repository.ts';
import type { FileWrite } from '../files/file-storage.ts';
import type { OperationWrite } from '../operations/operation-change.ts';
import type {
  AwaitedNoticeRepository,
  OperationRepository,
} from '../operations/operation-repository.ts';
import type { PaymentMethodEffects } from '../payment-methods/payment-method-storage.ts';
import type { Clocked } from '../test-clocks/object-clock.ts';
import type { Dispute } from './dispute.ts';
import type { DisputeReader, DisputeRepository } from './dispute-repository.ts';

export type DisputeWrite = Write<'dispute', Dispute>;

/** The dispute that a change writes. @returns undefined if it writes none */
export function writtenDispute({ writes }: Change<Write<string, unknown>>): Dispute | undefined {
  return writes.find(isDisputeWrite)?.row;
}

function isDisputeWrite(write: Write<string, unknown>): write is DisputeWrite {
  return write.kind === 'dispute';
}

/** What the host's hook gets about a dispute. */
export interface DisputeResult {
  readonly kind: 'dispute';
  readonly dispute: Dispute;
  readonly charge: Charge;
}

/** The change that the service and the operations of disputes commit. */
export type DisputeChange = Change<ChargeWrite | DisputeWrite | FileWrite | OperationWrite> &
  Clocked &
  LedgerFacts &
  Pick<PaymentMethodEffects, 'blocked'> & { readonly settled?: DisputeResult };

/** Where a dispute is read with all objects of its answer. */
export interface DisputeReaders {
  readonly disputes: DisputeReader;
  readonly charges: ChargeReader;
  readonly files: FileReader;
}

/** Bound to one transaction. */
export interface DisputeRepositories {
  readonly disputes: DisputeRepository;
  readonly charges: ChargeRepository;
  readonly files: FileReader;
  readonly operations: OperationRepository;
  readonly notices: AwaitedNoticeRepository;
  readonly changes: ChangeRepository<DisputeChange>;
}

/** What the service of disputes needs of storage. */
export type DisputeStorage = AreaStorage<DisputeReaders, DisputeRepositories>;
