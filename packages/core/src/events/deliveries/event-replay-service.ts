import type { AuditEntry } from '../../changes/audit/audit.ts';
import { commit } from '../../changes/commit.ts';
import type { StoredEvent } from '../../changes/events/event.ts';
import { assertMayReadEvent } from '../../changes/events/event-scopes.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import { credentialSnapshotFor, ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { isOwn } from '../endpoints/own-endpoints.ts';
import type { WebhookChange } from '../webhook-change.ts';
import type { WebhookStorage } from '../webhook-storage.ts';
import type { Delivery } from './delivery.ts';
import type { EventReplay } from './delivery-input.ts';
import { assertSendable, namedEndpoint, newDelivery } from './destination.ts';

/**
 * The approximate limit for a caller who repeats the request: concurrent requests do not see each
 * other.
 */
const MAX_WAITING_REPLAYS = 1_000;

export interface EventReplayPorts {
  readonly storage: Pick<WebhookStorage, 'changes' | 'read'>;
  readonly clock: Clock;
}

/** The answer of a replay, in the form of the API that was called. */
export type ShowDeliveries = (deliveries: readonly Delivery[]) => object;

/** Sends one event again. */
export class EventReplayService {
  readonly #ports: EventReplayPorts;

  constructor(ports: EventReplayPorts) {
    this.#ports = ports;
  }

  /**
   * Makes new deliveries of an event: to the endpoint that the input names, subscribed or not,
   * otherwise to every enabled endpoint that its type matches now; for a platform only to those whose
   * URL it set. They have the same event id, so
   * that receivers recognize it.
   * @param show makes the answer that is stored with the deliveries
   * @returns the new deliveries; empty if no endpoint matches
   * @throws PaymountError `resource_missing`: the event, or 404 naming `endpoint`; `insufficient_scope`
   *   for a caller who may not read the object of the event; `permission_denied` naming `endpoint`;
   *   `event_expunged`;
   *   `endpoint_disabled`; `waiting_replays_limit_reached` if one of the endpoints already has
   *   about 1,000 pending replayed deliveries (no delivery is made then); `lock_timeout` if
   *   endpoints keep changing
   */
  async replay(
    call: Call,
    id: string,
    { input, show }: { readonly input: EventReplay; readonly show: ShowDeliveries },
  ): Promise<readonly Delivery[]> {
    const { storage, clock } = this.#ports;
    const owner = ownerOf(call);
    return commit(storage.changes, async () => {
      const at = clock.now();
      const event = await findOrThrow({ noun: 'event', prefix: 'evt' }, id, (eventId) =>
        storage.read.events.find(owner, eventId),
      );
      assertMayReadEvent(call.principal, event.type);
      assertSendable(event);
      const endpoints = await this.#endpointsFor(call, event, input);
      await this.#checkRoom(endpoints, input);
      const deliveries = endpoints.map((endpoint) =>
        newDelivery(event, endpoint, { origin: 'replay', at }),
      );
      const made = {
        chosenDeliveries: deliveries,
        ...credentialSnapshotFor(call),
        ...toAuditEntry(call, deliveries),
      };
      const change: WebhookChange = {
        ...owner,
        at,
        writes: [],
        ...(deliveries.length > 0 && made),
        ...resourceFields(call, show(deliveries)),
      };
      return { change, result: deliveries };
    });
  }

  async #endpointsFor(
    call: Call,
    event: StoredEvent,
    { endpoint }: EventReplay,
  ): Promise<readonly Endpoint[]> {
    const { endpoints } = this.#ports.storage.read;
    if (endpoint !== undefined) return [await namedEndpoint(endpoints, call, endpoint)];
    const matching = await endpoints.enabledFor(event, event.type);
    return matching.filter((each) => isOwn(call, each));
  }

  async #checkRoom(of: readonly Endpoint[], { endpoint }: EventReplay): Promise<void> {
    const { endpoints } = this.#ports.storage.read;
    const ids = of.map(({ id }) => id);
    const full = await endpoints.fullOfReplays(ids, MAX_WAITING_REPLAYS);
    if (full === undefined) return;
    throw new PaymountError(
      'waiting_replays_limit_reached',
      `Webhook endpoint ${full} already has ${MAX_WAITING_REPLAYS} pending replayed deliveries; ` +
        'repeat the request when some have ended, or name another endpoint.',
      endpoint === undefined ? {} : { param: 'endpoint' },
    );
  }
}

function toAuditEntry(
  call: Call,
  deliveries: readonly Delivery[],
): { readonly audit?: AuditEntry } {
  const [first] = deliveries;
  if (call.audit === undefined || first === undefined) return {};
  return {
    audit: {
      ...call.audit,
      ...ownerOf(call),
      action: 'event.replay',
      target: first.eventId,
      after: {
        deliveries: deliveries.map(({ id, endpointId }) => ({ id, endpoint: endpointId })),
      },
      created: first.created,
    },
  };
}
