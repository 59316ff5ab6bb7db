import type { AreaStorage } from '../../changes/area-storage.ts';
import type { Change, Write } from '../../changes/change.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import type { LedgerFacts } from '../../ledger/ledger.ts';
import type { CustomerReader } from '../customers/customer-repository.ts';
import type { OperationWrite } from '../operations/operation-change.ts';
import type { OperationRepository } from '../operations/operation-repository.ts';
import type {
  PaymentMethodEffects,
  PaymentMethodReaders,
  PaymentMethodWrite,
} from '../payment-methods/payment-method-storage.ts';
import type { Clocked } from '../test-clocks/object-clock.ts';
import type { Charge } from './charge.ts';
import type { ChargeReader, ChargeRepository } from './charge-repository.ts';

export type ChargeWrite = Write<'charge', Charge>;

/** The charge that a change writes. @returns undefined if it writes none */
export function writtenCharge({ writes }: Change<Write<string, unknown>>): Charge | undefined {
  return writes.find(isChargeWrite)?.row;
}

function isChargeWrite(write: Write<string, unknown>): write is ChargeWrite {
  return write.kind === 'charge';
}

/** What the host's hook gets about a charge. */
export interface ChargeResult {
  readonly kind: 'charge';
  readonly charge: Charge;
}

/** The change that the service and the operations of charges commit. */
export type ChargeChange = Change<ChargeWrite | OperationWrite | PaymentMethodWrite> &
  Clocked &
  LedgerFacts &
  Pick<PaymentMethodEffects, 'attached' | 'blocked'> & { readonly settled?: ChargeResult };

export interface ChargeReaders extends PaymentMethodReaders {
  readonly charges: ChargeReader;
  readonly customers: CustomerReader;
}

interface Repositories {
  readonly charges: ChargeRepository;
  readonly operations: OperationRepository;
  readonly changes: ChangeRepository<ChargeChange>;
}

/** What the service of charges needs of storage. */
export type ChargeStorage = AreaStorage<ChargeReaders, Repositories>;
