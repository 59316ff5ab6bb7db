import type { CloseAttempt } from '@paymount/core/events';
import { type DeliveryId, type EndpointId, type EventId, newId } from '@paymount/core/kernel';
import type { BacklogStage } from './backlog-stage.ts';

/** A statement of the delivery engine, as the engine sends it. */
export interface EngineStatement {
  readonly what: string;
  readonly send: (stage: BacklogStage) => Promise<unknown>;
  /** Pages and rows that it may look at, whatever waits and whatever PostgreSQL believes. */
  readonly atMostBlocks: number;
  readonly atMostRows: number;
}

/** Every statement that the engine sends regularly. A new one is added here. */
export const ENGINE_STATEMENTS: readonly EngineStatement[] = [
  {
    what: 'recording of 400 results',
    send: async (stage) => stage.postgres.deliveries.close(await failures(stage, 400)),
    // About 12 of the row and its indexes, 12 of the log.
    atMostBlocks: 400 * 40,
    atMostRows: 400 * 20,
  },
];

interface OpenRow {
  readonly id: DeliveryId;
  readonly event_id: EventId;
  readonly endpoint_id: EndpointId;
}

/** Failed attempts of deliveries that wait, as a worker reports them. */
async function failures(
  { query, owner }: BacklogStage,
  count: number,
): Promise<readonly CloseAttempt[]> {
  const rows = await query<OpenRow>(
    `SELECT id, event_id, endpoint_id FROM paymount.deliveries WHERE state = 'pending'
     ORDER BY id DESC LIMIT $1`,
    [count],
  );
  return rows.map(({ id, event_id, endpoint_id }) => ({
    id,
    attempt: 1,
    verdict: { next: 'retry', attempt: 2, waitMs: 300_000 },
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
      url: 'http://127.0.0.1:9/',
      requestHeaders: {},
      responseTruncated: false,
      startedAt: new Date(),
      durationMs: 1,
      reusedConnection: false,
      redialed: false,
    },
  }));
}
