import { randomBytes } from 'node:crypto';
import { pricesOf, toSubscriptionResource } from '../billing/subscriptions/render-subscription.ts';
import type { AuditEntry } from '../changes/audit/audit.ts';
import { commit } from '../changes/commit.ts';
import type { Event } from '../changes/events/event.ts';
import { buildEvent, toEventResource } from '../changes/events/event-resource.ts';
import { assertMayReadEvent } from '../changes/events/event-scopes.ts';
import { type EventFamily, eventFamily } from '../changes/events/event-types.ts';
import { resourceFields } from '../changes/idempotency/idempotency-fields.ts';
import type { EventObject } from '../events/catalogue/catalogue-entry.ts';
import { namedEndpoint, newDelivery } from '../events/deliveries/destination.ts';
import { isOwn, platformOf } from '../events/endpoints/own-endpoints.ts';
import type { WebhookChange } from '../events/webhook-change.ts';
import type { Clock } from '../kernel/basics/clock.ts';
import type { Owner } from '../kernel/basics/environment.ts';
import { credentialSnapshotFor, ownerOf } from '../kernel/callers/call.ts';
import type { Call } from '../kernel/callers/principal.ts';
import { findOrThrow, missing } from '../kernel/errors/missing.ts';
import { toChargeResource } from '../payments/charges/charge-resource.ts';
import { toDisputeResource } from '../payments/disputes/dispute-resource.ts';
import { toPayoutResource } from '../payments/payouts/payout-resource.ts';
import type { Storage } from '../store/storage.ts';
import type { Trigger } from './trigger-input.ts';
import {
  generateObject,
  parseMoney,
  triggeredObject,
  type ValidateParameters,
} from './triggered-object.ts';

export interface TriggerPorts {
  readonly storage: Pick<Storage, 'changes' | 'read'>;
  readonly clock: Clock;
  readonly validateParameters: ValidateParameters;
}

/** Events on demand, for the test environment: they are recorded although nothing happened. */
export class TriggerService {
  readonly #ports: TriggerPorts;

  constructor(ports: TriggerPorts) {
    this.#ports = ports;
  }

  /**
   * Records an event of any type about an invented or existing object. It is delivered like every
   * event, or only to the endpoint that the input names, subscribed or not. What a platform triggers goes
   * only to endpoints whose URL it set: nothing has happened that the others need to know.
   * @param call of the test environment; the route refuses others
   * @throws PaymountError `parameter_*` naming the wrong override; `resource_missing` naming
   *   `object`, or 404 naming `endpoint`; `insufficient_scope` for an `object` that the caller may not
   *   read; `endpoint_disabled`; `object_too_large`
   */
  async trigger(call: Call, input: Trigger): Promise<Event> {
    const { storage, clock } = this.#ports;
    const owner = ownerOf(call);
    if (input.object !== undefined) assertMayReadEvent(call.principal, input.type);
    return commit(storage.changes, async () => {
      const at = clock.now();
      const event = buildEvent({
        owner,
        type: input.type,
        object: await this.#objectFor(owner, input, at),
        objectVersion: triggeredVersion(),
        at,
        source: 'trigger',
        requestId: call.requestId,
      });
      const change = {
        ...owner,
        at,
        ...credentialSnapshotFor(call),
        writes: [],
        events: [event],
        ...(await this.#chosen(call, event, input.endpoint)),
        ...toAuditEntry(call, event, input),
        ...resourceFields(call, toEventResource(event)),
      };
      return { change, result: event };
    });
  }

  async #objectFor(owner: Owner, input: Trigger, at: Date): Promise<EventObject> {
    const { storage, validateParameters } = this.#ports;
    const { type } = input;
    const family = eventFamily(type);
    const sums = parseMoney(input.overrides ?? {}, validateParameters);
    const overrides = { ...input.overrides, ...sums };
    if (input.object !== undefined) {
      const object = await this.#existing(owner, family, input.object);
      return triggeredObject(family, { object, overrides }, validateParameters);
    }
    const account = await storage.read.accounts.find(owner.accountId);
    if (account === undefined) throw missing('account', owner.accountId);
    const object = generateObject(type, { owner, at, currency: account.defaultCurrency }, sums);
    return triggeredObject(family, { object, overrides }, validateParameters);
  }

  async #existing(owner: Owner, family: EventFamily, id: string): Promise<EventObject> {
    const { charges, disputes, payouts } = this.#ports.storage.read;
    const param = 'object';
    switch (family) {
      case 'charge': {
        const name = { noun: 'charge', prefix: 'ch', param } as const;
        return toChargeResource(await findOrThrow(name, id, (known) => charges.find(owner, known)));
      }
      case 'dispute': {
        const name = { noun: 'dispute', prefix: 'dp', param } as const;
        return toDisputeResource(
          await findOrThrow(name, id, (known) => disputes.find(owner, known)),
        );
      }
      case 'payout': {
        const name = { noun: 'payout', prefix: 'po', param } as const;
        return toPayoutResource(await findOrThrow(name, id, (known) => payouts.find(owner, known)));
      }
      case 'subscription': {
        const name = { noun: 'subscription', prefix: 'sub', param } as const;
        const { subscriptions, prices } = this.#ports.storage.read;
        const found = await findOrThrow(name, id, (known) => subscriptions.find(owner, known));
        return toSubscriptionResource(found, await pricesOf({ prices }, [found]));
      }
    }
  }

  async #chosen(
    call: Call,
    event: Event,
    name: string | undefined,
  ): Promise<Pick<WebhookChange, 'chosenDeliveries' | 'onlyChosen'>> {
    if (name === undefined && platformOf(call) === undefined) return {};
    const { endpoints } = this.#ports.storage.read;
    const chosen =
      name === undefined
        ? (await endpoints.enabledFor(event, event.type)).filter((each) => isOwn(call, each))
        : [await namedEndpoint(endpoints, call, name)];
    const chosenDeliveries = chosen.map((endpoint) =>
      newDelivery(event, endpoint, { origin: 'event', at: event.created }),
    );
    return { onlyChosen: true, ...(chosen.length > 0 && { chosenDeliveries }) };
  }
}

/** @returns nothing for calls without an audit row: merchants' own */
function toAuditEntry(
  { audit }: Call,
  { id, accountId, environment, type, objectId, created }: Event,
  { endpoint }: Trigger,
): { readonly audit?: AuditEntry } {
  if (audit === undefined) return {};
  const after = { type, object: objectId, ...(endpoint !== undefined && { endpoint }) };
  return {
    audit: {
      ...audit,
      accountId,
      environment,
      action: 'event.trigger',
      target: id,
      after,
      created,
    },
  };
}

/**
 * The object version of a triggered event. An object has one event of a type and version. Real
 * versions count up from 1, so these are random and below 0, and the same object can be triggered
 * again and again.
 */
function triggeredVersion(): number {
  return -1 - Number(randomBytes(8).readBigUInt64BE() >> 12n);
}
