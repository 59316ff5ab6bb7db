import { buildEvent, type Event } from '@paymount/core/changes';
import type { CloseAttempt } from '@paymount/core/events';
import type { ExpungeRequest } from '@paymount/core/expunging';
import {
  type DeliveryId,
  type EndpointId,
  type EventId,
  newId,
  type Owner,
} from '@paymount/core/kernel';
import type { BacklogStage } from '../../support/backlog-stage.ts';

/** A statement of the delivery engine, as the engine sends it. */
export interface EngineStatement {
  readonly what: string;
  readonly send: (stage: BacklogStage) => Promise<unknown>;
  /** Pages and rows that it may look at, whatever waits and whatever PostgreSQL believes. */
  readonly atMostBlocks: number;
  readonly atMostRows: number;
}

const CLAIMS = (['fast', 'slow'] as const).flatMap((lane) =>
  (['event', 'replay'] as const).map((origin) => ({ lane, origin })),
);

/** Every statement that the engine sends regularly. A new one is added here. */
export const ENGINE_STATEMENTS: readonly EngineStatement[] = [
  ...CLAIMS.map((which) => ({
    what: `claim of 128 due deliveries (${which.origin}, ${which.lane})`,
    send: ({ postgres }: BacklogStage) => postgres.deliveries.claimDue({ ...CLAIM, ...which }),
    atMostBlocks: 6_000,
    atMostRows: 26_000,
  })),
  {
    what: 'move of 100 endpoints to the slow lane',
    send: async ({ query, postgres }) => {
      const rows = await query<{ id: EndpointId }>(
        'SELECT id FROM paymount.webhook_endpoints ORDER BY id LIMIT 100',
      );
      await postgres.deliveries.changeLanes(new Map(rows.map(({ id }) => [id, 'slow'])));
    },
    atMostBlocks: 6_000,
    atMostRows: 26_000,
  },
  {
    what: 'claim of 128 named deliveries',
    send: async (stage) =>
      stage.postgres.deliveries.claimById({
        ...LEASE,
        wanted: (await waiting(stage, 128)).map(({ id }) => ({ id, attempt: 1 })),
        aheadMs: 1_000,
        replays: 64,
        ...{ excluded: [], excludedFromReplays: [], excludedAccounts: [] },
        // All that wait are of one endpoint.
        quick: {
          endpoints: (await waiting(stage, 1)).map(({ endpoint_id }) => endpoint_id),
          ...MANY,
        },
      }),
    atMostBlocks: 6_000,
    atMostRows: 26_000,
  },
  {
    what: 'search for the most overdue delivery',
    send: ({ postgres }) => postgres.deliveries.overdueMs(0),
    atMostBlocks: 25_000,
    atMostRows: 26_000,
  },
  {
    what: 'deletion of 1,000 old deliveries',
    send: ({ postgres }) =>
      postgres.deliveries.purge({ after: '', finishedBefore: new Date(), limit: 1_000 }),
    atMostBlocks: 25_000,
    atMostRows: 26_000,
  },
  {
    what: 'deletion of old replays',
    send: ({ postgres }) => postgres.replays.purge(new Date(), 1_000),
    atMostBlocks: 6_000,
    atMostRows: 26_000,
  },
  {
    what: 'release of 128 deliveries',
    send: async (stage) => stage.postgres.deliveries.release(LEASE.leaseToken, await leased(stage)),
    atMostBlocks: 6_000,
    atMostRows: 26_000,
  },
  {
    what: 'recording of 400 results',
    send: async (stage) =>
      stage.postgres.deliveries.close(await failures(stage, 400), () => undefined),
    // About 12 of the row and its indexes, 12 of the log.
    atMostBlocks: 400 * 40,
    atMostRows: 400 * 20,
  },
  {
    what: 'recording of two events, for endpoints that are read first and are then known',
    send: async (stage) => {
      await record(stage);
      await record(stage);
    },
    atMostBlocks: 1_000,
    atMostRows: 26_000,
  },
  {
    what: 'recording of 20 events at once',
    send: (stage) => Promise.all(Array.from({ length: 20 }, () => record(stage))),
    atMostBlocks: 1_500,
    atMostRows: 26_000,
  },
  {
    what: 'steps that expunge an object, named events, and events of a time',
    send: async (stage) => {
      const rows = await stage.query<{ id: EventId }>(
        `SELECT id FROM paymount.events WHERE body IS NOT NULL AND object_id < 'ch_9'
         ORDER BY id DESC LIMIT 100`,
      );
      await expunge(stage, { objectId: 'ch_1' });
      await expunge(stage, { eventIds: rows.map(({ id }) => id) });
      await expunge(stage, { createdFilter: { gte: new Date(0) } });
    },
    // The first event has deliveries to up to 10,000 endpoints; an account has at most 50.
    atMostBlocks: 40_000,
    atMostRows: 40_000,
  },
];

/** One step of a request. */
async function expunge(
  { postgres, owner }: BacklogStage,
  selection: ExpungeRequest['selection'],
): Promise<void> {
  const request: ExpungeRequest = {
    ...{ ...owner, selection, id: newId('expr'), status: 'pending', reason: 'A test.' },
    ...{ counts: { events: 0, canceledDeliveries: 0, attempts: 0 }, created: new Date() },
  };
  await postgres.storage.transaction(({ expunges }) => expunges.insert(request));
  await postgres.expunges.open(100);
  await postgres.expunges.step(request.id, async (rows, { status: _, ...open }) => {
    const { eventIds } = await rows.choose();
    const now = new Date();
    await rows.expunge(eventIds, now);
    await rows.save({ ...open, status: 'succeeded', startedAt: now, finishedAt: now }, now);
  });
}

function record({ postgres, publisher }: BacklogStage): Promise<unknown> {
  const event = payout(publisher);
  return postgres.storage.changes.apply({
    ...{ ...publisher, at: event.created, writes: [], events: [event] },
  });
}

function payout(owner: Owner): Event {
  return buildEvent({
    ...{ owner, objectVersion: 1, type: 'payout.paid', at: new Date(), source: 'trigger' },
    object: { id: newId('po') },
  });
}

interface OpenRow {
  readonly id: DeliveryId;
  readonly event_id: EventId;
  readonly endpoint_id: EndpointId;
}

const MANY = { perEndpoint: 200, replays: 200 };
const LEASE = { shiftMs: 0, leaseToken: 'explained', leaseMs: 25_000 };
const CLAIM = {
  ...LEASE,
  ...{ limit: 128, cursor: '', excluded: [], excludedAccounts: [], graceMs: 0 },
};

async function waiting({ query }: BacklogStage, count: number): Promise<readonly OpenRow[]> {
  return await query<OpenRow>(
    `SELECT id, event_id, endpoint_id FROM paymount.deliveries
     WHERE state = 'pending' AND lease_token IS NULL ORDER BY id DESC LIMIT $1`,
    [count],
  );
}

async function leased({ query }: BacklogStage): Promise<readonly DeliveryId[]> {
  const rows = await query<OpenRow>(
    'SELECT id FROM paymount.deliveries WHERE lease_token = $1 LIMIT 128',
    [LEASE.leaseToken],
  );
  return rows.map(({ id }) => id);
}

/** Failed attempts of deliveries that wait, as a worker reports them. */
async function failures(stage: BacklogStage, count: number): Promise<readonly CloseAttempt[]> {
  const { owner } = stage;
  const rows = await waiting(stage, count);
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
