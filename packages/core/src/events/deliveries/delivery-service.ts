import { commit } from '../../changes/commit.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { WebhookChange } from '../webhook-change.ts';
import type { WebhookStorage } from '../webhook-storage.ts';
import type { Delivery } from './delivery.ts';
import type { DeliveryDirectory } from './delivery-repository.ts';
import { toAdminDeliveryResource } from './delivery-resource.ts';

export interface DeliveryPorts {
  readonly storage: Pick<WebhookStorage, 'changes' | 'read'>;
  readonly directory: Pick<DeliveryDirectory, 'find'>;
  readonly clock: Clock;
}

/** Actions of people on deliveries; the delivery engine does the rest. */
export class DeliveryService {
  readonly #ports: DeliveryPorts;

  constructor(ports: DeliveryPorts) {
    this.#ports = ports;
  }

  /**
   * Makes a pending or failed delivery due now, for one more attempt with its current number.
   * @throws PaymountError `resource_missing`, `delivery_not_pending`
   */
  async retry(call: Call, id: string): Promise<Delivery> {
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
        ...resourceFields(call, toAdminDeliveryResource(delivery)),
        ...toAuditEntry(call, before, delivery, at),
      };
      return { change, result: delivery };
    });
  }

  async #findDue(call: Call, id: string): Promise<Delivery> {
    const { directory, storage } = this.#ports;
    const owner = ownerOf(call);
    const delivery = await findOrThrow({ noun: 'delivery', prefix: 'dlv' }, id, async (known) => {
      const found = await directory.find(known);
      return found && isOwned(found, owner) ? found : undefined;
    });
    if (!['pending', 'failed'].includes(delivery.state) || delivery.attempting) {
      const state = delivery.attempting ? 'being attempted' : delivery.state;
      throw new PaymountError('delivery_not_pending', `Delivery ${delivery.id} is ${state}.`);
    }
    const endpoint = await storage.read.endpoints.find(owner, delivery.endpointId);
    if (endpoint?.status === 'enabled') return delivery;
    const state = endpoint === undefined ? 'deleted' : 'disabled';
    throw new PaymountError('delivery_not_pending', `Its endpoint is ${state}.`);
  }
}

function isOwned(found: Owner, owner: Owner): boolean {
  return found.accountId === owner.accountId && found.environment === owner.environment;
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
