import {
  toStoredErrorResponse,
  toStoredResponse,
} from '../../changes/idempotency/stored-response.ts';
import { bookProcessorFee } from '../../ledger/recipes.ts';
import type { Charge } from '../charges/charge.ts';
import { toProcessorError } from '../charges/charge-error.ts';
import type { StoredFile } from '../files/file.ts';
import type { FileStore } from '../files/file-store.ts';
import type { Operation } from '../operations/operation.ts';
import { concludedOn, quarantined } from '../operations/operation-states.ts';
import { type Subject, toTestClock } from '../operations/operation-subject.ts';
import { type CallResult, contradicts } from '../operations/outcome.ts';
import type { EvidenceFile } from '../processor/processor.ts';
import { clockField, timeOf } from '../test-clocks/object-clock.ts';
import { answeredReference, answeredStage, type Dispute, isEarlierAnswer } from './dispute.ts';
import { disputeChange } from './dispute-change.ts';
import { lost, submitted } from './dispute-moves.ts';
import { toDisputeResource } from './dispute-resource.ts';
import { requireDisputes } from './dispute-rules.ts';
import type { DisputeChange } from './dispute-storage.ts';
import { FILE_EVIDENCE } from './evidence.ts';

/** A dispute with all objects that its answer needs, read together. */
export interface DisputeContext {
  readonly dispute: Dispute;
  readonly charge: Charge;
  /** The files of its evidence, in no order. */
  readonly files: readonly StoredFile[];
}

/** Prepares a dispute for its operations. */
export function prepareDispute(context: DisputeContext, store: FileStore): Subject<DisputeChange> {
  const { dispute, charge } = context;
  const { processorReference } = charge;
  const previous = processorReference === undefined ? {} : { previous: { processorReference } };
  return {
    isOfBankAccount: false,
    send: async (processor, { kind, ...sent }) => {
      const disputes = requireDisputes(processor, dispute);
      const request = {
        ...sent,
        ...previous,
        ...toTestClock(charge),
        metadata: dispute.metadata,
        disputeReference: answeredReference(dispute, sent.operationId),
        stage: answeredStage(dispute, sent.operationId),
        evidence: { texts: dispute.evidence.texts, files: toEvidenceFiles(context, store) },
      };
      return kind === 'submit_evidence'
        ? disputes.submitEvidence(request)
        : disputes.accept(request);
    },
    conclude: (operation, result, at) => concludeDispute(context, operation, result, at),
  };
}

function toEvidenceFiles(
  { dispute, files }: DisputeContext,
  store: FileStore,
): readonly EvidenceFile[] {
  return FILE_EVIDENCE.flatMap((key) => {
    const id = dispute.evidence.files[key];
    const file = files.find((each) => each.id === id);
    if (file === undefined) return [];
    const { filename, type, size } = file;
    const read = async (): Promise<Uint8Array> => {
      const content = await store.get(file);
      if (content === undefined) throw new Error(`The store has no content of ${file.id}.`);
      return content;
    };
    return [{ key, id: file.id, filename, type, size, read }];
  });
}

/** Phase 3 of an answer to a dispute: submitted, accepted, refused, or still open. */
function concludeDispute(
  context: DisputeContext,
  operation: Operation,
  result: CallResult,
  at: Date,
): DisputeChange {
  const { dispute } = context;
  const { accountId, environment } = dispute;
  const contradicted = contradicts(operation, result);
  const row = contradicted
    ? quarantined(operation, result, at)
    : concludedOn(context.charge, operation, result, at);
  const base: DisputeChange = {
    accountId,
    environment,
    at,
    ...clockField(context.charge),
    writes: [{ kind: 'operation', mode: 'update', row }],
  };
  const moved = contradicted ? undefined : moveDispute(context, operation, result, at);
  const isApproved = !contradicted && result.outcome === 'approved';
  const kept = isApproved ? bookProcessorFee(result, operation.id, timeOf(context.charge, at)) : {};
  if (moved === undefined) {
    return { ...base, ...kept, ...idempotentResponse(operation, dispute, result) };
  }
  return {
    ...base,
    ...moved.change,
    ...kept,
    writes: [...moved.change.writes, ...base.writes],
    ...idempotentResponse(operation, moved.dispute, result),
  };
}

/** @returns undefined if nothing changes: it was refused, is unknown, or a ruling came first */
function moveDispute(
  { dispute, charge }: DisputeContext,
  operation: Operation,
  result: CallResult,
  at: Date,
): { readonly dispute: Dispute; readonly change: DisputeChange } | undefined {
  if (result.outcome !== 'approved') return undefined;
  const { accountId, environment } = dispute;
  if (operation.kind === 'submit_evidence') {
    const isOpen = ['needs_response', 'warning_needs_response'].includes(dispute.status);
    if (!isOpen) return undefined;
    const row = submitted(dispute, operation.id);
    const writes = [{ kind: 'dispute', mode: 'update', row }] as const;
    const settled = { kind: 'dispute', dispute: row, charge } as const;
    return { dispute: row, change: { accountId, environment, at, writes, settled } };
  }
  if (dispute.status !== 'needs_response' || isEarlierAnswer(dispute, operation.id)) {
    return undefined;
  }
  const moved = lost(dispute, 'accepted');
  const from = { isNew: false, charge, changesCharge: false };
  const { requestId } = operation;
  return {
    dispute: moved.dispute,
    change: disputeChange([moved], from, { at, source: 'api', requestId }),
  };
}

function idempotentResponse(
  { idempotencyKey: key, requestId }: Operation,
  dispute: Dispute,
  result: CallResult,
): Pick<DisputeChange, 'response'> {
  if (key === undefined) return {};
  const error = toProcessorError(result);
  const response = error
    ? toStoredErrorResponse(error, requestId)
    : toStoredResponse(toDisputeResource(dispute));
  return { response: { key, response } };
}
