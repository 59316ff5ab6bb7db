import type { EventType } from '@paymount/core/changes';
import {
  type AccountId,
  type EndpointId,
  type Environment,
  type EventId,
  environmentOf,
} from '@paymount/core/kernel';

/** The columns that deliveries and attempts share: which event, for which endpoint of whom. */
export interface EventAtEndpointRow {
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly event_id: EventId;
  readonly event_type: EventType;
  readonly endpoint_id: EndpointId;
}

interface EventAtEndpoint {
  readonly accountId: AccountId;
  readonly environment: Environment;
  readonly eventId: EventId;
  readonly eventType: EventType;
  readonly endpointId: EndpointId;
}

/** These columns as the core names them. */
export function toEventAtEndpoint(row: EventAtEndpointRow): EventAtEndpoint {
  return {
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    eventId: row.event_id,
    eventType: row.event_type,
    endpointId: row.endpoint_id,
  };
}
