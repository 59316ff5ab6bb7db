import { applyIn, commit } from '../../changes/commit.ts';
import { hookRefusal } from '../../changes/hook-refusal.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { CrashPoint } from '../../kernel/basics/crash-point.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import { type PayoutId, parseId } from '../../kernel/basics/id.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { credentialSnapshotFor, ownerOf } from '../../kernel/callers/call.ts';
import { makerOf } from '../../kernel/callers/maker.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow, idsAmong, missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { mergeMetadata } from '../../kernel/input/metadata.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import { heldUntil } from '../bank-accounts/held-destination.ts';
import { mergedText } from '../contacts/contact-input.ts';
import { notCancelable } from '../operations/not-cancelable.ts';
import { heldBack, newOperation, postponed } from '../operations/operation-states.ts';
import type { Processor } from '../processor/processor.ts';
import { holdClock } from '../test-clocks/find-clock.ts';
import { assertSteady, clockField } from '../test-clocks/object-clock.ts';
import type { Payout } from './payout.ts';
import {
  assertPayable,
  assertPayoutsAllowed,
  lockDestination,
  newPayout,
} from './payout-creation.ts';
import type { PayoutCreate, PayoutUpdate } from './payout-input.ts';
import type { PayoutFilter } from './payout-repository.ts';
import { toPayoutResource } from './payout-resource.ts';
import type { PayoutChange, PayoutRepositories, PayoutStorage } from './payout-storage.ts';
import { withdrawPayout } from './withdraw-payout.ts';

const NAME = { noun: 'payout', prefix: 'po' } as const;

export interface PayoutPorts {
  readonly storage: PayoutStorage;
  readonly processors: Readonly<Record<Environment, Processor>>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly crashPoint: CrashPoint;
}

/**
 * The use cases of a payout. It is accepted only under the lock of the balance, and needs nothing but
 * the database: a worker sends it shortly after.
 */
export class PayoutService {
  readonly #ports: PayoutPorts;

  constructor(ports: PayoutPorts) {
    this.#ports = ports;
  }

  /**
   * Pays out a part of what is available. Of callers at the same time, none gets more than is left.
   * @throws PaymountError `balance_insufficient`, `payouts_not_allowed`, `resource_missing`,
   *   `currency_mismatch`, `invalid_currency`, `operation_not_supported`, `metadata_limit_exceeded`,
   *   `test_clock_advancing`
   */
  async create(call: Call, input: PayoutCreate): Promise<Payout> {
    const { storage } = this.#ports;
    return storage.transaction(async (rows) => {
      const payout = await this.#accept(rows, call, input);
      this.#ports.crashPoint('operation.before_intent');
      return payout;
    });
  }

  /** @throws PaymountError `resource_missing` */
  async retrieve(call: Call, id: string): Promise<Payout> {
    const { payouts } = this.#ports.storage.read;
    return findOrThrow(NAME, id, (payoutId) => payouts.find(ownerOf(call), payoutId));
  }

  /** The payouts of `ids`, in no order; unknown ids are left out. One query. */
  async retrieveMany(call: Call, ids: readonly string[]): Promise<readonly Payout[]> {
    return this.#ports.storage.read.payouts.findMany(ownerOf(call), idsAmong('po', ids));
  }

  /**
   * Newest first.
   * @param filter `destination`: the id of a bank account, as it was sent
   * @throws PaymountError `invalid_cursor`, `resource_missing`
   */
  async list(
    call: Call,
    filter: Omit<PayoutFilter, 'destinationId'> & { readonly destination?: string },
    page: PageRequest,
  ): Promise<Page<Payout>> {
    const { destination, ...rest } = filter;
    const { payouts } = this.#ports.storage.read;
    if (destination === undefined) return payouts.list(ownerOf(call), rest, page);
    const destinationId = parseId('ba', destination);
    if (destinationId === undefined) throw missing('bank account', destination, 'destination');
    return payouts.list(ownerOf(call), { ...rest, destinationId }, page);
  }

  /**
   * The automatic payout whose parts are asked for. What was asked for by amount has no parts.
   * @throws PaymountError `resource_missing`, `parameter_invalid` for another payout
   */
  async requireAutomatic(call: Call, id: string): Promise<PayoutId> {
    const name = { ...NAME, param: 'payout' };
    const { payouts } = this.#ports.storage.read;
    const payout = await findOrThrow(name, id, (known) => payouts.find(ownerOf(call), known));
    if (payout.period !== null) return payout.id;
    const message = `Payout ${payout.id} was asked for by amount; only an automatic payout contains balance transactions.`;
    throw new PaymountError('parameter_invalid', message, { param: 'payout' });
  }

  /** @throws PaymountError `resource_missing`, `metadata_limit_exceeded` */
  async update(call: Call, id: string, input: PayoutUpdate): Promise<Payout> {
    return commit(this.#ports.storage.changes, async () => {
      const payout = await this.retrieve(call, id);
      const row: Payout = {
        ...payout,
        version: payout.version + 1,
        description: mergedText(payout.description, input.description),
        metadata: mergeMetadata(payout.metadata, input.metadata),
      };
      const change: PayoutChange = {
        ...ownerOf(call),
        at: this.#ports.clock.now(),
        writes: [{ kind: 'payout', mode: 'update', row }],
        ...resourceFields(call, toPayoutResource(row)),
      };
      return { change, result: row };
    });
  }

  /**
   * Cancels a payout that was not sent yet; its amount is on the balance again.
   * @throws PaymountError `resource_missing`, `status_transition_invalid`, `hook_refused`,
   *   `hook_missing`
   */
  async cancel(call: Call, id: string): Promise<Payout> {
    const known = await this.retrieve(call, id);
    try {
      return await this.#ports.storage.transaction((rows) => this.#withdraw(rows, call, known));
    } catch (error) {
      const consequence = 'The payout is not canceled.';
      const told = { object: known.id, consequence, facts: {} };
      throw hookRefusal(error, this.#ports.logger, told);
    }
  }

  /** Locks the bank account, then the test clock, then the balance. */
  async #accept(rows: PayoutRepositories, call: Call, input: PayoutCreate): Promise<Payout> {
    const { processors, clock } = this.#ports;
    const owner = ownerOf(call);
    const processor = processors[owner.environment];
    const { destination: id, test_clock: clockName, ...facts } = input;
    const metadata = mergeMetadata({}, input.metadata);
    await assertPayoutsAllowed(rows, owner, processor, input.currency);
    const destination = await lockDestination(rows, owner, { id, currency: input.currency });
    const on = await holdClock(rows, owner, clockName);
    assertPayable(input, await rows.ledger.lockBalance(owner, input.currency));
    const at = clock.now();
    const made = {
      owner,
      on,
      input: { ...facts, metadata },
      destination,
      processor,
      at,
      createdBy: makerOf(call),
    };
    const { payout, booked } = newPayout(made);
    const intent = newOperation({
      on,
      owner,
      kind: 'payout',
      subjectId: payout.id,
      amount: payout.amount,
      currency: payout.currency,
      processor: processor.name,
      call,
      at,
      deferred: true,
    });
    // One on a test clock is sent as its clock advances.
    const account = await rows.payoutAccounts.find(owner.accountId);
    const held = heldUntil(destination, account, at);
    const waiting = held === undefined ? intent : postponed(intent, held);
    const operation = payout.clock === undefined ? waiting : heldBack(intent);
    await applyIn(rows, {
      ...owner,
      at,
      ...booked,
      ...clockField(on),
      ...credentialSnapshotFor(call),
      ...resourceFields(call, toPayoutResource(payout)),
      writes: [
        { kind: 'payout', mode: 'insert', row: payout },
        { kind: 'operation', mode: 'insert', row: operation },
      ],
    });
    return payout;
  }

  async #withdraw(rows: PayoutRepositories, call: Call, known: Payout): Promise<Payout> {
    const payout = await rows.payouts.findForUpdate(known, known.id);
    if (payout === undefined) throw notCancelable('Payout', known);
    assertSteady(payout);
    const canceled = await withdrawPayout(rows, payout, this.#ports.clock.now(), (row) => ({
      ...credentialSnapshotFor(call),
      ...resourceFields(call, toPayoutResource(row)),
    }));
    if (canceled === undefined) throw notCancelable('Payout', payout);
    return canceled;
  }
}
