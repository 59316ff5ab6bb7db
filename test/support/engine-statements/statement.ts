import type { CloseAttempt } from '@paymount/core/events';
import { type DeliveryId, type EndpointId, type EventId, newId } from '@paymount/core/kernel';
import type { BacklogSetup } from '../backlog-setup.ts';

/** Something that the delivery engine does with a few statements. */
export interface EngineStatement {
  readonly what: string;
  readonly send: (setup: BacklogSetup) => Promise<unknown>;
  /** Pages and rows that each may look at, whatever waits and whatever PostgreSQL believes. */
  readonly atMostBlocks: number;
  readonly atMostRows: number;
  /** Tables of which it needs nearly all rows here, so that PostgreSQL may read them as a whole. */
  readonly needsAllOf?: RegExp;
}

/** A delivery that waits. */
export interface OpenRow {
  readonly id: DeliveryId;
  readonly event_id: EventId;
  readonly endpoint_id: EndpointId;
}

export const LEASE = { shiftMs: 0, leaseToken: 'explained', leaseMs: 25_000 };

export const CLAIM = {
  ...LEASE,
  limit: 128,
  cursor: '',
  excluded: [],
  excludedAccounts: [],
  graceMs: 0,
};

/** The newest deliveries that wait, without a lease. */
export async function waiting({ query }: BacklogSetup, count: number): Promise<readonly OpenRow[]> {
  return await query<OpenRow>(
    `SELECT id, event_id, endpoint_id FROM paymount.deliveries
     WHERE state = 'pending' AND lease_token IS NULL ORDER BY id DESC LIMIT $1`,
    [count],
  );
}

/** Deliveries that a claim has leased. */
export async function leased({ query }: BacklogSetup): Promise<readonly DeliveryId[]> {
  const rows = await query<OpenRow>(
    'SELECT id FROM paymount.deliveries WHERE lease_token = $1 LIMIT 128',
    [LEASE.leaseToken],
  );
  return rows.map(({ id }) => id);
}

/** Failed attempts of deliveries that wait, as a worker reports them. */
export async function failures(
  setup: BacklogSetup,
  count: number,
): Promise<readonly CloseAttempt[]> {
  const { owner } = setup;
  const rows = await waiting(setup, count);
  return rows.map(({ id, event_id, endpoint_id }) => ({
    id,
    attempt: 1,
    verdict: { next: 'retry', attempt: 2, waitMs: 300_000 },
    endedAt: new Date(),
    endedAgoMs: 0,
    record: {
      ...owner,
      id: newId('att'),
      deliveryId: id,
      eventId: event_id,
      eventType: 'charge.succeeded',
      endpointId: endpoint_id,
      attempt: 1,
      outcome: 'failed',
      errorCode: 'connection',
      // The present URL of the endpoint: its last digits are the number of the endpoint.
      url: `http://127.0.0.1:9/${Number(endpoint_id.slice(3))}`,
      requestHeaders: { 'content-type': 'application/json' },
      responseTruncated: false,
      startedAt: new Date(),
      durationMs: 1,
      reusedConnection: false,
      redialed: false,
    },
  }));
}
