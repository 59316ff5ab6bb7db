import { ClaimedError } from '../../changes/change.ts';
import { applyIn, commit, isRaced } from '../../changes/commit.ts';
import { hookRefusal } from '../../changes/hook-refusal.ts';
import { intentFields, resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { CrashPoint } from '../../kernel/basics/crash-point.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import { parseId } from '../../kernel/basics/id.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { credentialSnapshotFor, ownerOf } from '../../kernel/callers/call.ts';
import { makerOf } from '../../kernel/callers/maker.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow, idsAmong, missing } from '../../kernel/errors/missing.ts';
import { mergeMetadata } from '../../kernel/input/metadata.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { Sealer } from '../../kernel/secrets/sealer.ts';
import { disputedAmount } from '../disputes/dispute-rules.ts';
import { notCancelable } from '../operations/not-cancelable.ts';
import type { Operation } from '../operations/operation.ts';
import type { OperationSender } from '../operations/operation-runner.ts';
import { newOperation, withdrawn } from '../operations/operation-states.ts';
import type { Processor } from '../processor/processor.ts';
import { assertSteady, clockField } from '../test-clocks/object-clock.ts';
import type { Refund } from './refund.ts';
import { refundAudit } from './refund-audit.ts';
import { lockRefund, readDisputes, refundedIn } from './refund-context.ts';
import { assertNotBusy, newRefund, requireRefundable } from './refund-creation.ts';
import type { RefundCreate, RefundUpdate } from './refund-input.ts';
import { toRefundResource } from './refund-resource.ts';
import {
  prepareRefund,
  type RefundContext,
  type Refunded,
  reverseRefund,
} from './refund-result.ts';
import type { RefundChange, RefundRepositories, RefundStorage } from './refund-storage.ts';

const NAME = { noun: 'refund', prefix: 're' } as const;
const CHARGE = { noun: 'charge', prefix: 'ch' } as const;

export interface RefundPorts {
  readonly storage: RefundStorage;
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly sealer: Pick<Sealer, 'open'>;
  readonly runner: OperationSender<RefundChange>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly crashPoint: CrashPoint;
  /** How far a refund may exceed the balance, minor units. @defaultValue 0 */
  readonly refundOverdraft: number;
}

/** The use cases of a refund. It is accepted only under its charge's row lock. */
export class RefundService {
  readonly #ports: RefundPorts;

  constructor(ports: RefundPorts) {
    this.#ports = ports;
  }

  /**
   * Refunds a charge; without an amount, the rest of it. A full refund of an authorized charge
   * cancels it.
   * @throws PaymountError `resource_missing`, `charge_already_refunded`, `charge_not_captured`,
   *   `charge_not_refundable`, `charge_disputed`, `charge_pending`, `refund_amount_exceeds_charge`,
   *   `balance_insufficient`, `operation_in_progress`, `operation_under_review`,
   *   `test_clock_advancing`
   */
  async create(call: Call, input: RefundCreate): Promise<Refund> {
    return (await this.createOnCharge(call, input)).refund;
  }

  /**
   * The same, but returns the charge as it is after the refund, so that it need not be read again.
   * @throws as `create`
   */
  async createOnCharge(call: Call, input: RefundCreate): Promise<Refunded> {
    const { storage, runner, sealer, crashPoint } = this.#ports;
    const { context, operation } = await storage.transaction((repositories) =>
      this.#commitIntent(repositories, call, input),
    );
    crashPoint('operation.after_intent');
    if (storage.host !== undefined) {
      storage.host.onSettled?.(() => runner.startAfterCommit(operation));
      return context;
    }
    // Of a disputed charge, the runner loads what else the refund decides.
    const accounts = { read: storage.read, sealer };
    const prepared = context.charge.dispute ? undefined : prepareRefund(context, accounts);
    const recorded = await runner.run(operation, prepared);
    if (recorded === undefined) return this.#current(call, context);
    return refundedIn(recorded.change, context);
  }

  /**
   * The current refund if another process records the result: never an error, because the money may
   * have moved.
   */
  async #current(call: Call, { refund, charge }: Refunded): Promise<Refunded> {
    if (call.claim !== undefined) throw new ClaimedError();
    const { refunds, charges } = this.#ports.storage.read;
    const found = await Promise.all([
      refunds.find(refund, refund.id),
      charges.find(charge, charge.id),
    ]).catch(() => []);
    return { refund: found[0] ?? refund, charge: found[1] ?? charge };
  }

  /** @throws PaymountError `resource_missing` */
  async retrieve(call: Call, id: string): Promise<Refund> {
    const { refunds } = this.#ports.storage.read;
    return findOrThrow(NAME, id, (refundId) => refunds.find(ownerOf(call), refundId));
  }

  /** The refunds of `ids`, in no order; unknown ids are left out. One query. */
  async retrieveMany(call: Call, ids: readonly string[]): Promise<readonly Refund[]> {
    return this.#ports.storage.read.refunds.findMany(ownerOf(call), idsAmong('re', ids));
  }

  /** The newest refunds of each charge, at most `limit` each, newest first. One query. */
  async newestOf(
    call: Call,
    charges: readonly string[],
    limit: number,
  ): Promise<readonly Refund[]> {
    const { refunds } = this.#ports.storage.read;
    return refunds.newestOf(ownerOf(call), idsAmong('ch', charges), limit);
  }

  /**
   * Newest first.
   * @param filter `charge`: the id of a charge, as it was sent
   * @throws PaymountError `invalid_cursor`, `resource_missing`
   */
  async list(
    call: Call,
    filter: { readonly charge?: string; readonly created?: CreatedFilter },
    page: PageRequest,
  ): Promise<Page<Refund>> {
    const { charge, ...rest } = filter;
    const { refunds } = this.#ports.storage.read;
    if (charge === undefined) return refunds.list(ownerOf(call), rest, page);
    const chargeId = parseId('ch', charge);
    if (chargeId === undefined) throw missing('charge', charge, 'charge');
    return refunds.list(ownerOf(call), { ...rest, chargeId }, page);
  }

  /** @throws PaymountError `resource_missing`, `metadata_limit_exceeded` */
  async update(call: Call, id: string, input: RefundUpdate): Promise<Refund> {
    return commit(this.#ports.storage.changes, async () => {
      const refund = await this.retrieve(call, id);
      const row: Refund = {
        ...refund,
        version: refund.version + 1,
        metadata: mergeMetadata(refund.metadata, input.metadata),
      };
      const change: RefundChange = {
        ...ownerOf(call),
        at: this.#ports.clock.now(),
        writes: [{ kind: 'refund', mode: 'update', row }],
        ...resourceFields(call, toRefundResource(row)),
      };
      return { change, result: row };
    });
  }

  /**
   * Cancels a refund that was not sent yet.
   * @throws PaymountError `resource_missing`, `status_transition_invalid`, `hook_refused`,
   *   `hook_missing`
   */
  async cancel(call: Call, id: string): Promise<Refund> {
    const known = await this.retrieve(call, id);
    try {
      return await this.#withdraw(call, known);
    } catch (error) {
      const consequence = 'The refund is not canceled.';
      const told = { object: known.chargeId, consequence, facts: { refund: known.id } };
      throw hookRefusal(error, this.#ports.logger, told);
    }
  }

  #withdraw(call: Call, known: Refund): Promise<Refund> {
    const { storage, clock } = this.#ports;
    return storage.transaction(async (repositories) => {
      const context = await lockRefund(repositories, known);
      assertSteady(context.charge);
      const operation = await repositories.operations.findUnresolved(known, known.id);
      if (context.refund.status !== 'pending' || operation?.state !== 'created') {
        throw notCancelable('Refund', context.refund);
      }
      const at = clock.now();
      const moved = reverseRefund(context, at, (base, transactionId) => ({
        ...base,
        status: 'canceled',
        failureBalanceTransactionId: transactionId,
      }));
      const applied = applyIn(repositories, {
        ...ownerOf(call),
        at,
        ...clockField(context.charge),
        ...moved.booked,
        writes: [
          { kind: 'charge', mode: 'update', row: moved.charge },
          { kind: 'refund', mode: 'update', row: moved.refund },
          { kind: 'operation', mode: 'update', row: withdrawn(operation) },
        ],
        ...credentialSnapshotFor(call),
        ...resourceFields(call, toRefundResource(moved.refund)),
        settled: { kind: 'refund', refund: moved.refund, charge: moved.charge },
      });
      await applied.catch((error: unknown) => {
        // Charge and refund are locked, so only the operation can have changed: a worker has begun to
        // send it.
        throw isRaced(error) ? notCancelable('Refund', context.refund) : error;
      });
      return moved.refund;
    });
  }

  async #commitIntent(
    repositories: RefundRepositories,
    call: Call,
    input: RefundCreate,
  ): Promise<{ context: RefundContext; operation: Operation }> {
    const { storage, processors, clock, crashPoint, refundOverdraft } = this.#ports;
    const owner = ownerOf(call);
    const at = clock.now();
    const charge = await findOrThrow({ ...CHARGE, param: 'charge' }, input.charge, (chargeId) =>
      repositories.charges.findForUpdate(owner, chargeId),
    );
    // What a worker gives back may be due on a clock that this worker advances.
    if (call.audit?.actor.type !== 'system') assertSteady(charge);
    await assertNotBusy(repositories, charge);
    const disputes = await readDisputes(repositories, charge);
    const asked = requireRefundable(charge, input, {
      processor: processors[owner.environment],
      disputed: disputedAmount(disputes),
    });
    const created = await newRefund(repositories, {
      owner,
      charge,
      input,
      asked,
      at,
      refundOverdraft,
      createdBy: makerOf(call),
    });
    const operation = newOperation({
      on: charge,
      owner,
      kind: asked.kind,
      subjectId: created.context.refund.id,
      rootId: charge.id,
      amount: asked.amount,
      currency: charge.currency,
      processor: charge.processorName,
      call,
      at,
      deferred: storage.host !== undefined,
    });
    await applyIn(repositories, {
      ...owner,
      // The key may have expired while other transactions held the locks.
      at: clock.now(),
      ...clockField(charge),
      ...credentialSnapshotFor(call),
      ...intentFields(call, storage.host !== undefined, toRefundResource(created.context.refund)),
      ...created.booked,
      writes: [
        { kind: 'charge', mode: 'update', row: created.context.charge },
        { kind: 'refund', mode: 'insert', row: created.context.refund },
        { kind: 'operation', mode: 'insert', row: operation },
      ],
      ...refundAudit(call, created.context.refund),
    });
    crashPoint('operation.before_intent');
    return { context: created.context, operation };
  }
}
