import { parseId } from '../../kernel/basics/id.ts';
import { idsAmong, missing } from '../../kernel/errors/missing.ts';
import { chargeIdOf } from '../charges/charge-of-operation.ts';
import type { Operation } from '../operations/operation.ts';
import type { Dispute } from './dispute.ts';
import type { DisputeContext } from './dispute-result.ts';
import type { DisputeReaders, DisputeRepositories } from './dispute-storage.ts';

/** Reads a dispute with all objects of its answer; the guards of the change detect races. */
export async function loadDispute(
  read: DisputeReaders,
  operation: Operation,
): Promise<DisputeContext> {
  const id = parseId('dp', operation.subjectId);
  const dispute = id && (await read.disputes.find(operation, id));
  const chargeId = chargeIdOf(operation);
  const charge = chargeId && (await read.charges.find(operation, chargeId));
  if (dispute === undefined || charge === undefined) {
    throw new Error(`The dispute or charge of operation ${operation.id} does not exist.`);
  }
  return { dispute, charge, files: await readFiles(read, dispute) };
}

/**
 * Locks charge, then dispute.
 * @throws PaymountError `resource_missing`
 */
export async function lockDispute(
  rows: DisputeRepositories,
  known: Pick<Dispute, 'accountId' | 'environment' | 'id' | 'chargeId'>,
): Promise<Pick<DisputeContext, 'dispute' | 'charge'>> {
  const charge = await rows.charges.findForUpdate(known, known.chargeId);
  const dispute = await rows.disputes.findForUpdate(known, known.id);
  if (charge === undefined || dispute === undefined) throw missing('dispute', known.id);
  return { dispute, charge };
}

/** The files of the evidence, in no order. */
export async function readFiles(
  { files }: Pick<DisputeReaders, 'files'>,
  dispute: Dispute,
): Promise<DisputeContext['files']> {
  const ids = idsAmong('file', Object.values(dispute.evidence.files));
  return ids.length === 0 ? [] : files.findMany(dispute, ids);
}
