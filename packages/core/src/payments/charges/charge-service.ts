import { ClaimedError } from '../../changes/change.ts';
import { applyIn, commit } from '../../changes/commit.ts';
import { intentFields, resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { CrashPoint } from '../../kernel/basics/crash-point.ts';
import { newId } from '../../kernel/basics/id.ts';
import { credentialSnapshotFor, ownerOf } from '../../kernel/callers/call.ts';
import { makerOf } from '../../kernel/callers/maker.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow, idsAmong } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import type { Sealer } from '../../kernel/secrets/sealer.ts';
import type { Operation } from '../operations/operation.ts';
import type { OperationSender } from '../operations/operation-runner.ts';
import { newOperation } from '../operations/operation-states.ts';
import type { TokenizePorts } from '../payment-methods/tokenize-method.ts';
import { assertSteady, clockField, timeOf } from '../test-clocks/object-clock.ts';
import type { Charge } from './charge.ts';
import {
  assertCanAct,
  assertDebitable,
  assertSupported,
  edit,
  newCharge,
} from './charge-creation.ts';
import { chargeError, toProcessorError } from './charge-error.ts';
import type { ChargeCapture, ChargeCreate, ChargeUpdate } from './charge-input.ts';
import type { ChargeFilter } from './charge-repository.ts';
import { toChargeResource } from './charge-resource.ts';
import { prepareCharge } from './charge-result.ts';
import { notAuthorized, requireCapturable } from './charge-rules.ts';
import { type ChargeChange, type ChargeStorage, writtenCharge } from './charge-storage.ts';
import { findFunding } from './funding.ts';
import type { PaymentRules } from './payment-rules.ts';

const NAME = { noun: 'charge', prefix: 'ch' } as const;

export interface ChargePorts extends TokenizePorts {
  readonly rules: PaymentRules;
  readonly storage: ChargeStorage;
  readonly sealer: Pick<Sealer, 'seal' | 'open'>;
  readonly runner: OperationSender<ChargeChange>;
  readonly clock: Clock;
  readonly crashPoint: CrashPoint;
}

/** The use cases of a charge: load, decide, commit; a processor call in three phases. */
export class ChargeService {
  readonly #ports: ChargePorts;

  constructor(ports: ChargePorts) {
    this.#ports = ports;
  }

  /**
   * Creates a charge. Bound to a host's transaction it writes the intent there, returns the pending
   * charge, and continues after the outermost transaction has committed.
   * @throws PaymountError `card_declined` and the other card codes (402, `charge` names the
   *   failed charge), `resource_missing`, `payment_method_unusable`, `payment_method_unattached`,
   *   `mandate_required`, `token_already_used`, `parameters_exclusive`, `parameter_missing`,
   *   `test_clock_advancing`, `processor_error`
   */
  async create(call: Call, input: ChargeCreate): Promise<Charge> {
    const { charge, operation } = await commit(this.#ports.storage.changes, () =>
      this.#commitIntent(call, input),
    );
    this.#ports.crashPoint('operation.after_intent');
    return this.#continue(call, charge, operation);
  }

  /** @throws PaymountError `resource_missing` */
  async retrieve(call: Call, id: string): Promise<Charge> {
    const { charges } = this.#ports.storage.read;
    return findOrThrow(NAME, id, (chargeId) => charges.find(ownerOf(call), chargeId));
  }

  /** The charges of `ids`, in no order; unknown ids are left out. One query. */
  async retrieveMany(call: Call, ids: readonly string[]): Promise<readonly Charge[]> {
    return this.#ports.storage.read.charges.findMany(ownerOf(call), idsAmong('ch', ids));
  }

  /** Newest first. @throws PaymountError `invalid_cursor` */
  async list(call: Call, filter: ChargeFilter, page: PageRequest): Promise<Page<Charge>> {
    return this.#ports.storage.read.charges.list(ownerOf(call), filter, page);
  }

  /**
   * Changes the writable fields. @throws PaymountError `resource_missing`,
   * `metadata_limit_exceeded`
   */
  async update(call: Call, id: string, input: ChargeUpdate): Promise<Charge> {
    const { storage, clock } = this.#ports;
    return commit(storage.changes, async () => {
      const row = edit(await this.retrieve(call, id), input);
      const change: ChargeChange = {
        ...ownerOf(call),
        at: clock.now(),
        writes: [{ kind: 'charge', mode: 'update', row }],
        ...resourceFields(call, toChargeResource(row)),
      };
      return { change, result: row };
    });
  }

  /**
   * Captures an authorized charge, in full or in part; the rest is released.
   * @throws PaymountError `charge_already_captured`, `charge_expired_for_capture`,
   *   `capture_amount_exceeds_authorization`, `status_transition_invalid`,
   *   `operation_in_progress`, `operation_under_review`, card codes when the processor refuses
   */
  async capture(call: Call, id: string, input: ChargeCapture): Promise<Charge> {
    return this.#act(call, id, 'capture', (charge, now) => {
      const amount = requireCapturable(charge, input, now);
      this.#assertCanAct(charge, 'capture');
      if (amount < charge.amount) this.#assertCanAct(charge, 'capturePart');
      return amount;
    });
  }

  /**
   * Releases an authorization.
   * @throws PaymountError `status_transition_invalid`, `operation_in_progress`,
   *   `operation_under_review`
   */
  async cancel(call: Call, id: string): Promise<Charge> {
    return this.#act(call, id, 'cancel', (charge) => {
      if (charge.status !== 'authorized') throw notAuthorized(charge, 'canceled');
      this.#assertCanAct(charge, 'cancel');
      return charge.amount;
    });
  }

  async #commitIntent(call: Call, input: ChargeCreate) {
    const { storage, processors, clock, crashPoint } = this.#ports;
    const owner = ownerOf(call);
    const at = clock.now();
    const processor = processors[owner.environment];
    assertSupported(processor, input, at);
    const id = newId('ch');
    const sources = { ...this.#ports, read: storage.read, host: storage.host };
    const funding = await findFunding(sources, input, { owner, id, at });
    assertDebitable(processor, input, funding.method);
    const charge = newCharge(input, {
      owner,
      id,
      at,
      funding,
      processor,
      createdBy: makerOf(call),
    });
    // The processor may have been called since, and the key may have expired.
    const decidedAt = clock.now();
    const operation = newOperation({
      on: charge,
      owner,
      kind: 'authorize',
      subjectId: id,
      rootId: id,
      amount: input.amount,
      currency: input.currency,
      processor: processor.name,
      call,
      at: decidedAt,
      deferred: storage.host !== undefined,
    });
    const change: ChargeChange = {
      ...owner,
      at: decidedAt,
      ...credentialSnapshotFor(call),
      ...intentFields(call, storage.host !== undefined, toChargeResource(charge)),
      writes: [
        ...funding.writes,
        { kind: 'charge', mode: 'insert', row: charge },
        { kind: 'operation', mode: 'insert', row: operation },
      ],
      ...(funding.attached && { attached: funding.attached }),
      ...clockField(charge),
    };
    crashPoint('operation.before_intent');
    return { change, result: { charge, operation } };
  }

  /**
   * Capture and cancel: writes the intent under the charge's row lock, so that no other action
   * intervenes.
   */
  async #act(
    call: Call,
    id: string,
    kind: 'capture' | 'cancel',
    requireAmount: (charge: Charge, now: Date) => number,
  ): Promise<Charge> {
    const { storage, clock, crashPoint } = this.#ports;
    const intent = await storage.transaction(async (repositories) => {
      const charge = await findOrThrow(NAME, id, (chargeId) =>
        repositories.charges.findForUpdate(ownerOf(call), chargeId),
      );
      const at = clock.now();
      const busy = await repositories.operations.findUnresolvedOnRoot(charge, charge.id);
      // It may have moved the money, so an authorization that expired meanwhile is not simply
      // expired.
      if (busy?.state === 'quarantined') throw new PaymountError('operation_under_review');
      assertSteady(charge);
      const amount = requireAmount(charge, timeOf(charge, at));
      if (busy !== undefined) throw new PaymountError('operation_in_progress');
      const operation = newOperation({
        on: charge,
        owner: ownerOf(call),
        kind,
        subjectId: charge.id,
        rootId: charge.id,
        amount,
        currency: charge.currency,
        processor: charge.processorName,
        call,
        at,
        deferred: storage.host !== undefined,
      });
      await applyIn(repositories, {
        ...ownerOf(call),
        at,
        ...credentialSnapshotFor(call),
        ...intentFields(call, storage.host !== undefined, toChargeResource(charge)),
        writes: [{ kind: 'operation', mode: 'insert', row: operation }],
      });
      crashPoint('operation.before_intent');
      return { charge, operation };
    });
    crashPoint('operation.after_intent');
    return this.#continue(call, intent.charge, intent.operation);
  }

  /** Phases 2 and 3, now or after the host's commit. */
  async #continue(call: Call, charge: Charge, operation: Operation): Promise<Charge> {
    const { storage, runner, rules, sealer } = this.#ports;
    if (storage.host !== undefined) {
      storage.host.onSettled?.(() => runner.startAfterCommit(operation));
      return charge;
    }
    const prepared = prepareCharge(charge, rules, { read: storage.read, sealer });
    const recorded = await runner.run(operation, prepared);
    const current =
      recorded === undefined
        ? await this.#current(call, charge)
        : (writtenCharge(recorded.change) ?? charge);
    const refusal =
      operation.kind === 'authorize' || recorded === undefined
        ? undefined
        : toProcessorError(recorded.result);
    const error = chargeError(current) ?? refusal;
    if (error !== undefined) throw error;
    return current;
  }

  /**
   * The current charge if another process records the result: never an error, because the money may
   * have moved.
   */
  async #current(call: Call, charge: Charge): Promise<Charge> {
    if (call.claim !== undefined) throw new ClaimedError();
    const { charges } = this.#ports.storage.read;
    return (await charges.find(charge, charge.id).catch(() => undefined)) ?? charge;
  }

  #assertCanAct(charge: Charge, use: 'capture' | 'capturePart' | 'cancel'): void {
    assertCanAct(this.#ports.processors[charge.environment], charge, use);
  }
}
