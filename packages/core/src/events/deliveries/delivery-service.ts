import { commit } from '../../changes/commit.ts';
import { assertMayReadEvent, mayReadEvent } from '../../changes/events/event-scopes.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import { credentialSnapshotFor, ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import { platformOf } from '../endpoints/own-endpoints.ts';
import type { WebhookChange } from '../webhook-change.ts';
import type { WebhookStorage } from '../webhook-storage.ts';
import type { Delivery, DeliveryLog, LoggedDelivery } from './delivery.ts';
import { type AskedCounts, toCountFilter } from './delivery-counts.ts';
import type { DeliveryFilter } from './delivery-repository.ts';
import type { DeliverySummary } from './delivery-summary-resource.ts';
import { assertSendable } from './destination.ts';

const NAME = { noun: 'delivery', prefix: 'dlv' } as const;

export interface DeliveryPorts {
  readonly storage: Pick<WebhookStorage, 'changes' | 'read'>;
  readonly clock: Clock;
}

/** The log of deliveries, and actions of people on them; the delivery engine does the rest. */
export class DeliveryService {
  readonly #ports: DeliveryPorts;

  constructor(ports: DeliveryPorts) {
    this.#ports = ports;
  }

  /**
   * The delivery with its attempts. A caller who may not read the object of its event gets no bodies:
   * neither what was sent, nor the responses, which may repeat it.
   * @throws PaymountError `resource_missing`
   */
  async retrieve(call: Call, id: string): Promise<LoggedDelivery> {
    const delivery = await this.#find(call, id);
    const log = await this.#ports.storage.read.deliveries.log(delivery);
    const isReadable = mayReadEvent(call.principal, delivery.eventType);
    return { delivery, log: isReadable ? log : withoutBodies(log) };
  }

  /** Newest first; for a platform those to its endpoints. @throws PaymountError `invalid_cursor`, `list_too_slow`, `lists_busy` */
  async list(call: Call, filter: DeliveryFilter, page: PageRequest): Promise<Page<Delivery>> {
    const { deliveries } = this.#ports.storage.read;
    return deliveries.list(ownerOf(call), { ...filter, ...within(call) }, page);
  }

  /**
   * How many attempts succeeded and failed, for each hour or day, and for each endpoint.
   * @throws PaymountError `parameter_invalid` for a time without counts; `list_too_slow`,
   *   `lists_busy`
   */
  async summarize(call: Call, asked: AskedCounts): Promise<DeliverySummary> {
    const { storage, clock } = this.#ports;
    const period = toCountFilter(asked, clock.now());
    const { deliveries } = storage.read;
    const counts = await deliveries.counts(ownerOf(call), { ...period, ...within(call) });
    return { period, counts };
  }

  /**
   * Makes a pending or failed delivery due now, for one more attempt with its current number.
   * @param show makes the answer that is stored with the change
   * @throws PaymountError `resource_missing`, `delivery_not_pending`, `event_expunged`
   */
  async retry(call: Call, id: string, show: (delivery: Delivery) => object): Promise<Delivery> {
    const { storage, clock } = this.#ports;
    return commit(storage.changes, async () => {
      const at = clock.now();
      const before = await this.#findDue(call, id);
      const { finishedAt: _, ...rest } = before;
      const delivery: Delivery = { ...rest, state: 'pending', dueAt: at };
      const change: WebhookChange = {
        ...ownerOf(call),
        at,
        writes: [],
        retriedDelivery: delivery.id,
        ...credentialSnapshotFor(call),
        ...resourceFields(call, show(delivery)),
        ...toAuditEntry(call, before, delivery, at),
      };
      return { change, result: delivery };
    });
  }

  async #findDue(call: Call, id: string): Promise<Delivery> {
    const { storage } = this.#ports;
    const delivery = await this.#find(call, id);
    // Its endpoint may have got another URL since: whoever sends it again may read it there.
    assertMayReadEvent(call.principal, delivery.eventType);
    if (!['pending', 'failed'].includes(delivery.state) || delivery.attempting) {
      const state = delivery.attempting ? 'being attempted' : delivery.state;
      throw new PaymountError('delivery_not_pending', `Delivery ${delivery.id} is ${state}.`);
    }
    assertSendable(await storage.read.events.find(delivery, delivery.eventId));
    const endpoint = await storage.read.endpoints.find(delivery, delivery.endpointId);
    if (endpoint?.status === 'enabled') return delivery;
    const state = endpoint === undefined ? 'deleted' : 'disabled';
    throw new PaymountError('delivery_not_pending', `Its endpoint is ${state}.`);
  }

  #find(call: Call, id: string): Promise<Delivery> {
    return findOrThrow(NAME, id, (known) =>
      this.#ports.storage.read.deliveries.find(ownerOf(call), known, within(call).urlSetBy),
    );
  }
}

/** A platform sees and retries only what goes to endpoints whose URL it set. */
function within(call: Call): Pick<DeliveryFilter, 'urlSetBy'> {
  const platform = platformOf(call);
  return platform === undefined ? {} : { urlSetBy: platform };
}

function withoutBodies({ body: _, attempts, ...log }: DeliveryLog): DeliveryLog {
  return {
    ...log,
    attempts: attempts.map(({ responseBody: __, ...attempt }) => attempt),
  };
}

function toAuditEntry(
  call: Call,
  before: Delivery,
  after: Delivery,
  at: Date,
): Pick<WebhookChange, 'audit'> {
  if (call.audit === undefined) return {};
  const toAuditFacts = ({ state, dueAt, attempt }: Delivery) => ({
    status: state,
    due_at: dueAt.toISOString(),
    attempt,
  });
  return {
    audit: {
      ...call.audit,
      ...ownerOf(call),
      action: 'delivery.retry',
      target: after.id,
      before: toAuditFacts(before),
      after: toAuditFacts(after),
      created: at,
    },
  };
}
