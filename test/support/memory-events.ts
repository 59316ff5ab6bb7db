import type { Event, EventReader } from '@paymount/core/changes';
import type { AccountId, EventId, Page } from '@paymount/core/kernel';
import { newId } from '@paymount/core/kernel';
import { firstIdAt } from '../../packages/core/src/kernel/basics/id.ts';

export const OWNER = { accountId: newId('acct') as AccountId, environment: 'test' } as const;

/** The events of one account, in memory; it counts the ids that were asked for. */
export class MemoryEvents implements EventReader {
  /** Ids that were handed out so far. */
  idsRead = 0;
  /** Told before each read. */
  onRead: () => void = () => undefined;
  readonly #events = new Map<EventId, Event>();

  /** Commits an event now whose id was made then. */
  commit(madeAtMs: number): EventId {
    const id = `${firstIdAt('evt', madeAtMs).slice(0, 14)}${newId('evt').slice(14)}` as EventId;
    const facts = { type: 'charge.succeeded', apiVersion: '2026-11-01', source: 'api' } as const;
    const about = { objectId: newId('ch'), objectVersion: 1, created: new Date(madeAtMs) };
    this.#events.set(id, { ...OWNER, ...facts, ...about, id, body: JSON.stringify({ id }) });
    return id;
  }

  find(): Promise<undefined> {
    throw new Error('A feed asks for no single event.');
  }

  list(): Promise<Page<Event>> {
    throw new Error('A feed lists nothing.');
  }

  async idsAfter(_: object, after: EventId, limit: number): Promise<readonly EventId[]> {
    this.onRead();
    const ids = [...this.#events.keys()].filter((id) => id > after).sort();
    this.idsRead += Math.min(ids.length, limit);
    return ids.slice(0, limit);
  }

  async findAll(_: object, ids: readonly EventId[]): Promise<readonly Event[]> {
    const found = ids.map((id) => this.#events.get(id));
    return found.filter((event) => event !== undefined);
  }
}
