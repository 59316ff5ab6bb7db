import { buildEvent, type Event } from '@paymount/core/changes';
import type { ExpungeRequest } from '@paymount/core/expunging';
import {
  type CredentialSnapshot,
  type EventId,
  type KeyId,
  newId,
  type Owner,
} from '@paymount/core/kernel';
import type { BacklogSetup } from '../backlog-setup.ts';
import type { EngineStatement } from './statement.ts';

/** One of the publisher's. */
const CREDENTIAL: CredentialSnapshot = {
  keyId: `key_${'7'.padStart(26, '0')}` as KeyId,
  keyVersion: 1,
  accountVersion: 1,
};

async function give(): Promise<void> {}

/** Recording, reading and expunging of events. */
export const EVENT_STATEMENTS: readonly EngineStatement[] = [
  {
    what: 'recording of two events, for endpoints that are read first and are then known',
    send: async (setup) => {
      await record(setup);
      await record(setup);
    },
    atMostBlocks: 1_000,
    atMostRows: 26_000,
  },
  {
    what: 'recording of 20 events at once',
    send: (setup) => Promise.all(Array.from({ length: 20 }, () => record(setup))),
    atMostBlocks: 1_500,
    atMostRows: 26_000,
  },
  {
    what: 'recording of events whose key is judged: of 20 at once, and of one in a transaction',
    send: async (setup) => {
      await Promise.all(Array.from({ length: 20 }, () => record(setup, CREDENTIAL)));
      await setup.postgres.storage.transaction(({ changes }) =>
        changes.apply({ ...recordingOf(setup), credential: CREDENTIAL }),
      );
    },
    atMostBlocks: 1_500,
    atMostRows: 26_000,
  },
  {
    what: 'purge of old events: one step that deletes, and one that is exported first',
    send: async ({ postgres }) => {
      const walk = { createdBefore: new Date(), limit: 100 };
      await postgres.events.purge(walk);
      await postgres.exports.step(
        { table: 'events', before: walk.createdBefore, limit: 100 },
        give,
      );
    },
    atMostBlocks: 3_000,
    atMostRows: 26_000,
  },
  {
    what: 'steps that expunge an object, named events, and events of a time',
    send: async (setup) => {
      const rows = await setup.query<{ id: EventId }>(
        `SELECT id FROM paymount.events WHERE body IS NOT NULL AND object_id < 'ch_9'
         ORDER BY id DESC LIMIT 100`,
      );
      const sent = await setup.query<{ id: EventId }>(
        `SELECT DISTINCT v.id FROM paymount.delivery_attempts a
         JOIN paymount.events v ON v.id = a.event_id WHERE v.body IS NOT NULL LIMIT 10`,
      );
      await expunge(setup, { eventIds: sent.map(({ id }) => id) });
      await expunge(setup, { objectId: 'ch_1' });
      await expunge(setup, { eventIds: rows.map(({ id }) => id) });
      await expunge(setup, { createdFilter: { gte: new Date(0) } });
    },
    // Two days of attempts are asked about each delivery of an event. The first one has deliveries
    // to up to 10,000 endpoints here; an account has at most 50.
    atMostBlocks: 45_000,
    atMostRows: 45_000,
  },
  {
    what: 'end of a request to expunge that cannot be done',
    send: async (setup) => {
      const id = await request(setup, { objectId: 'ch_2' });
      await setup.postgres.expunges.postpone(id, new Date());
      await setup.postgres.expunges.fail(id, new Date(), 'A test.');
    },
    atMostBlocks: 200,
    atMostRows: 200,
  },
];

/** Makes a request. */
async function request(
  { postgres, owner }: BacklogSetup,
  selection: ExpungeRequest['selection'],
): Promise<ExpungeRequest['id']> {
  const made: ExpungeRequest = {
    ...owner,
    selection,
    id: newId('expr'),
    status: 'pending',
    reason: 'A test.',
    counts: { events: 0, canceledDeliveries: 0, attempts: 0 },
    created: new Date(),
  };
  const { eventIds = [], objectId } = selection;
  await postgres.storage.transaction(async ({ expunges }) => {
    await expunges.missingEvent(owner, eventIds);
    if (objectId !== undefined) await expunges.hasEventsOf(owner, objectId);
    await expunges.insert(made);
  });
  return made.id;
}

/** One step of a request. */
async function expunge(setup: BacklogSetup, selection: ExpungeRequest['selection']): Promise<void> {
  const { postgres } = setup;
  const id = await request(setup, selection);
  await postgres.expunges.open(100);
  await postgres.expunges.step(id, async (rows, { status: _, ...open }) => {
    const { eventIds } = await rows.choose();
    const now = new Date();
    await rows.expunge(eventIds, now);
    await rows.save({ ...open, status: 'succeeded', startedAt: now, finishedAt: now }, now);
  });
}

function record(setup: BacklogSetup, credential?: CredentialSnapshot): Promise<unknown> {
  const { changes } = setup.postgres.storage;
  return changes.apply({ ...recordingOf(setup), ...(credential && { credential }) });
}

function recordingOf({ publisher }: BacklogSetup) {
  const event = payout(publisher);
  return { ...publisher, at: event.created, writes: [], events: [event] };
}

function payout(owner: Owner): Event {
  return buildEvent({
    owner,
    objectVersion: 1,
    type: 'payout.paid',
    at: new Date(),
    source: 'trigger',
    object: { id: newId('po') },
  });
}
