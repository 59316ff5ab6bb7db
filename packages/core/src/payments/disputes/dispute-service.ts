import { ClaimedError } from '../../changes/change.ts';
import { applyIn } from '../../changes/commit.ts';
import { intentFields, resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { CrashPoint } from '../../kernel/basics/crash-point.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import { parseId } from '../../kernel/basics/id.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { credentialSnapshotFor, ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow, idsAmong, missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { mergeMetadata } from '../../kernel/input/metadata.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import { toProcessorError } from '../charges/charge-error.ts';
import type { FileStore } from '../files/file-store.ts';
import type { Operation } from '../operations/operation.ts';
import type { OperationSender } from '../operations/operation-runner.ts';
import { newOperation } from '../operations/operation-states.ts';
import type { Processor } from '../processor/processor.ts';
import { assertSteady, timeOf } from '../test-clocks/object-clock.ts';
import { type Dispute, nextFacts } from './dispute.ts';
import { lockDispute, readFiles } from './dispute-context.ts';
import type { DisputeRule, DisputeUpdate } from './dispute-input.ts';
import type { DisputeFilter } from './dispute-repository.ts';
import { toDisputeResource } from './dispute-resource.ts';
import { type DisputeContext, prepareDispute } from './dispute-result.ts';
import { assertAcceptable, assertAnswerable, requireDisputes } from './dispute-rules.ts';
import {
  type DisputeChange,
  type DisputeRepositories,
  type DisputeStorage,
  writtenDispute,
} from './dispute-storage.ts';
import { assertFitsEvent } from './event-room.ts';
import { hasEvidence } from './evidence.ts';
import { mergeEvidence } from './merge-evidence.ts';
import { ruleDispute } from './rule-dispute.ts';

const NAME = { noun: 'dispute', prefix: 'dp' } as const;

export interface DisputePorts {
  readonly storage: DisputeStorage;
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly runner: OperationSender<DisputeChange>;
  readonly files: { readonly store: FileStore };
  readonly clock: Clock;
  readonly logger: Logger;
  readonly crashPoint: CrashPoint;
}

/** A list's filter, with ids as they were sent. */
export type DisputeListFilter = Omit<DisputeFilter, 'chargeId'> & { readonly charge?: string };

/** An answer to a dispute whose intent is committed. */
interface Intent {
  readonly context: DisputeContext;
  readonly operation: Operation;
}

/** The use cases of a dispute. Its charge's row is locked for every change. */
export class DisputeService {
  readonly #ports: DisputePorts;

  constructor(ports: DisputePorts) {
    this.#ports = ports;
  }

  /** @throws PaymountError `resource_missing` */
  async retrieve(call: Call, id: string): Promise<Dispute> {
    const { disputes } = this.#ports.storage.read;
    return findOrThrow(NAME, id, (disputeId) => disputes.find(ownerOf(call), disputeId));
  }

  /** The disputes of `ids`, in no order; unknown ids are left out. One query. */
  async retrieveMany(call: Call, ids: readonly string[]): Promise<readonly Dispute[]> {
    return this.#ports.storage.read.disputes.findMany(ownerOf(call), idsAmong('dp', ids));
  }

  /** Newest first. @throws PaymountError `invalid_cursor`, `resource_missing` */
  async list(call: Call, filter: DisputeListFilter, page: PageRequest): Promise<Page<Dispute>> {
    const { charge, ...rest } = filter;
    const { disputes } = this.#ports.storage.read;
    if (charge === undefined) return disputes.list(ownerOf(call), rest, page);
    const chargeId = parseId('ch', charge);
    if (chargeId === undefined) throw missing('charge', charge, 'charge');
    return disputes.list(ownerOf(call), { ...rest, chargeId }, page);
  }

  /**
   * Stores evidence and metadata, and submits the evidence to the issuer: if any was sent, unless
   * `submit` is false.
   * @throws PaymountError `resource_missing`, `dispute_already_closed`, `dispute_not_contestable`,
   *   `status_transition_invalid`, `operation_in_progress`, `operation_under_review`,
   *   `operation_not_supported`, `parameter_missing` when there is nothing to submit,
   *   `parameter_invalid`, `metadata_limit_exceeded`; the processor's refusal
   */
  async update(call: Call, id: string, input: DisputeUpdate): Promise<Dispute> {
    const submits = input.submit ?? input.evidence !== undefined;
    if (!submits) return this.#store(call, id, input);
    return this.#answer(call, id, 'submit_evidence', async (dispute, rows, now) => {
      assertAnswerable(dispute, now);
      const edited = await edit(rows, dispute, input);
      if (!hasEvidence(edited.evidence)) {
        const message = 'There is no evidence to submit; send a text or a file.';
        throw new PaymountError('parameter_missing', message, { param: 'evidence' });
      }
      return edited;
    });
  }

  /**
   * Accepts a chargeback: the dispute is lost, unless the issuer rules otherwise.
   * @throws PaymountError as `update`
   */
  async close(call: Call, id: string): Promise<Dispute> {
    return this.#answer(call, id, 'accept_dispute', async (dispute, _, now) => {
      assertAcceptable(dispute, now);
      return dispute;
    });
  }

  /**
   * Records a ruling that a person knows of, or that a ruling does not count any more.
   * @throws PaymountError as `ruleDispute`
   */
  rule(call: Call, dispute: Dispute, rule: DisputeRule): Promise<Dispute> {
    return ruleDispute(this.#ports, call, dispute, rule);
  }

  /** Without a call to the processor. */
  async #store(call: Call, id: string, input: DisputeUpdate): Promise<Dispute> {
    const { storage, clock } = this.#ports;
    const known = await this.retrieve(call, id);
    return storage.transaction(async (rows) => {
      const { dispute, charge } = await lockDispute(rows, known);
      const at = clock.now();
      if (input.evidence !== undefined) {
        assertSteady(charge);
        assertAnswerable(dispute, timeOf(charge, at));
        await assertNotAnswered(rows, dispute);
      }
      const row = await edit(rows, dispute, input);
      await applyIn(rows, {
        ...ownerOf(call),
        at,
        writes: [{ kind: 'dispute', mode: 'update', row }, ...used(await readFiles(rows, row))],
        ...resourceFields(call, toDisputeResource(row)),
      });
      return row;
    });
  }

  async #answer(
    call: Call,
    id: string,
    kind: 'submit_evidence' | 'accept_dispute',
    decide: (dispute: Dispute, rows: DisputeRepositories, now: Date) => Promise<Dispute>,
  ): Promise<Dispute> {
    const { storage, crashPoint } = this.#ports;
    const known = await this.retrieve(call, id);
    const intent = await storage.transaction(async (rows) => {
      const { dispute: before, charge } = await lockDispute(rows, known);
      const at = this.#ports.clock.now();
      assertSteady(charge);
      await assertNotAnswered(rows, before);
      const dispute = await decide(before, rows, timeOf(charge, at));
      requireDisputes(this.#ports.processors[dispute.environment], dispute);
      const context = { dispute, charge, files: await readFiles(rows, dispute) };
      const operation = this.#newOperation(call, kind, { dispute, charge }, at);
      const edits = dispute === before ? [] : [{ kind: 'dispute', row: dispute } as const];
      await applyIn(rows, {
        ...ownerOf(call),
        at,
        ...credentialSnapshotFor(call),
        ...intentFields(call, storage.host !== undefined, toDisputeResource(dispute)),
        writes: [
          ...edits.map((write) => ({ ...write, mode: 'update' }) as const),
          ...used(context.files),
          { kind: 'operation', mode: 'insert', row: operation },
        ],
      });
      crashPoint('operation.before_intent');
      return { context, operation };
    });
    crashPoint('operation.after_intent');
    return this.#continue(call, intent);
  }

  #newOperation(
    call: Call,
    kind: Operation['kind'],
    { dispute, charge }: Pick<DisputeContext, 'dispute' | 'charge'>,
    at: Date,
  ): Operation {
    return newOperation({
      on: charge,
      owner: ownerOf(call),
      kind,
      subjectId: dispute.id,
      rootId: dispute.chargeId,
      amount: dispute.amount,
      currency: dispute.currency,
      processor: dispute.processorName,
      call,
      at,
      deferred: this.#ports.storage.host !== undefined,
    });
  }

  /** Phases 2 and 3, now or after the host's commit. */
  async #continue(call: Call, { context, operation }: Intent): Promise<Dispute> {
    const { storage, runner, files } = this.#ports;
    const { dispute } = context;
    if (storage.host !== undefined) {
      storage.host.onSettled?.(() => runner.startAfterCommit(operation));
      return dispute;
    }
    const recorded = await runner.run(operation, prepareDispute(context, files.store));
    if (recorded === undefined) return this.#current(call, dispute);
    const error = toProcessorError(recorded.result);
    if (error !== undefined) throw error;
    return writtenDispute(recorded.change) ?? dispute;
  }

  /** The current dispute if another process records the result: never an error. */
  async #current(call: Call, dispute: Dispute): Promise<Dispute> {
    if (call.claim !== undefined) throw new ClaimedError();
    const { disputes } = this.#ports.storage.read;
    return (await disputes.find(dispute, dispute.id).catch(() => undefined)) ?? dispute;
  }
}

/** The dispute with changed evidence and metadata, and the next version. */
async function edit(
  { files }: Pick<DisputeRepositories, 'files'>,
  dispute: Dispute,
  { evidence, metadata }: DisputeUpdate,
): Promise<Dispute> {
  const row: Dispute = {
    ...dispute,
    version: nextFacts(dispute).version,
    metadata: mergeMetadata(dispute.metadata, metadata),
    ...(evidence && {
      evidence: await mergeEvidence(files, dispute, dispute.evidence, evidence),
    }),
  };
  assertFitsEvent(row, evidence ? 'evidence' : 'metadata');
  return row;
}

/** Files that evidence names are kept. One that is deleted meanwhile makes the change fail. */
function used(files: DisputeContext['files']): DisputeChange['writes'] {
  return files
    .filter(({ isUsed }) => !isUsed)
    .map((file) => ({
      kind: 'file',
      mode: 'update',
      row: { ...file, version: file.version + 1, isUsed: true },
    }));
}

/** Refuses while an answer is on its way: its result decides what is possible. */
async function assertNotAnswered(rows: DisputeRepositories, dispute: Dispute): Promise<void> {
  const busy = await rows.operations.findUnresolved(dispute, dispute.id);
  if (busy?.state === 'quarantined') throw new PaymountError('operation_under_review');
  if (busy !== undefined) throw new PaymountError('operation_in_progress');
}
