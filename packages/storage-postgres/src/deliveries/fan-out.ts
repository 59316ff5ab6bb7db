import { type Event, patternsFor } from '@paymount/core/changes';
import type {
  ClaimedDelivery,
  Dispatch,
  EndpointLane,
  Lease,
  NewDelivery,
} from '@paymount/core/events';
import {
  type DeliveryId,
  type EndpointId,
  livemode,
  newId,
  type Owner,
} from '@paymount/core/kernel';
import type { Session } from '../session.ts';
import { statement } from '../shared/statement.ts';

/** The fields of an endpoint that an attempt needs. */
export interface MatchingEndpoint {
  readonly id: EndpointId;
  readonly url: string;
  readonly lane: EndpointLane;
  readonly status: 'enabled' | 'disabled';
  readonly enabled_events: readonly string[];
  readonly secret_version: number;
  readonly api_version: string;
  readonly secrets: ClaimedDelivery['secrets'];
}

/** One delivery that a change will insert. */
export interface PlannedDelivery extends NewDelivery {
  readonly id: DeliveryId;
  readonly event: Event;
  readonly endpoint: MatchingEndpoint;
  readonly lease?: Lease;
}

const matching = statement(
  'pm_endpoints_matching_v3',
  (s) => `SELECT e.id, e.url, e.lane, e.status, e.enabled_events, e.secret_version,
      e.api_version,
      (SELECT COALESCE(jsonb_agg(jsonb_build_object('id', k.id, 'sealed', k.sealed)
         ORDER BY k.created DESC, k.id DESC), '[]')
       FROM ${s}.endpoint_secrets k
       WHERE k.endpoint_id = e.id AND (k.expires_at IS NULL OR k.expires_at > $4)) AS secrets
    FROM ${s}.webhook_endpoints e
    WHERE e.account_id = $1 AND e.livemode = $2 AND e.status <> 'deleted'
      AND e.enabled_events && $3::text[]`,
);

/**
 * Finds the endpoints for the events. The list is read each time, so that a newly registered
 * endpoint misses nothing.
 */
export async function planDeliveries(
  session: Session,
  owner: Owner,
  events: readonly Event[],
  now: Date,
): Promise<readonly PlannedDelivery[]> {
  if (events.length === 0) return [];
  const patterns = new Set(events.flatMap(({ type }) => patternsFor(type)));
  const values = [owner.accountId, livemode(owner.environment), [...patterns], now];
  const { rows } = await session.query<MatchingEndpoint>(matching, values);
  return events.flatMap((event) => {
    const wanted: readonly string[] = patternsFor(event.type);
    return rows
      .filter((endpoint) => endpoint.enabled_events.some((entry) => wanted.includes(entry)))
      .map((endpoint) => ({
        accountId: owner.accountId,
        environment: owner.environment,
        id: newId('dlv'),
        endpointId: endpoint.id,
        url: endpoint.url,
        lane: endpoint.lane,
        event,
        endpoint,
      }));
  });
}

/** Reserves slots of this process for deliveries that can be sent right after the commit. */
export function reserve(
  dispatch: Dispatch,
  deliveries: readonly PlannedDelivery[],
): readonly PlannedDelivery[] {
  return deliveries.map((delivery) => {
    const lease = delivery.endpoint.status === 'enabled' ? dispatch.reserve(delivery) : undefined;
    return lease ? { ...delivery, lease } : delivery;
  });
}

/** Notifies the dispatcher that the rows are committed. */
export function dispatchCommitted(
  dispatch: Dispatch,
  deliveries: readonly PlannedDelivery[],
  dueAt: Date,
): void {
  const leased = deliveries.flatMap((delivery) => toClaimed(delivery, dueAt));
  if (leased.length > 0) dispatch.committed(leased);
  const waiting = deliveries.filter(
    ({ lease, endpoint }) => lease === undefined && endpoint.status === 'enabled',
  );
  if (waiting.length > 0) dispatch.announce(waiting.map(({ id }) => id));
}

/** Releases reserved slots. */
export function dispatchReleased(dispatch: Dispatch, deliveries: readonly PlannedDelivery[]): void {
  const leased = deliveries.filter(({ lease }) => lease !== undefined);
  if (leased.length > 0) dispatch.released(leased);
}

function toClaimed(delivery: PlannedDelivery, dueAt: Date): readonly ClaimedDelivery[] {
  const { event, endpoint, lease } = delivery;
  if (!lease) return [];
  return [
    {
      accountId: delivery.accountId,
      environment: delivery.environment,
      id: delivery.id,
      eventId: event.id,
      eventType: event.type,
      endpointId: endpoint.id,
      url: endpoint.url,
      lane: endpoint.lane,
      secretVersion: endpoint.secret_version,
      secrets: endpoint.secrets,
      body: event.body,
      apiVersion: endpoint.api_version,
      origin: 'event',
      attempt: 1,
      dueAt,
      leaseToken: lease.token,
    },
  ];
}
