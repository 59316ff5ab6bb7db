import type { EventType } from '@paymount/core/changes';
import { newId } from '@paymount/core/kernel';
import pg from 'pg';
import { firstIdAt } from '../../packages/core/src/kernel/basics/id.ts';

/** What is said of an event that is put into the table, past all services. */
export interface StoredEvent {
  readonly account: string;
  /** How long ago its id was made; it commits now. @defaultValue 0 */
  readonly ageMs?: number;
  /** @defaultValue charge.succeeded */
  readonly type?: EventType;
  readonly livemode?: boolean;
}

/** Commits events whose ids are older than their commit. @returns the ids */
export async function storeEvents(
  databaseUrl: string,
  ...events: readonly StoredEvent[]
): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    const ids: string[] = [];
    for (const { account, ageMs = 0, type = 'charge.succeeded', livemode = false } of events) {
      const id = firstIdAt('evt', Date.now() - ageMs).slice(0, 14) + newId('evt').slice(14);
      const body = JSON.stringify({ id, object: 'event', type, livemode });
      await client.query(
        `INSERT INTO paymount.events (id, account_id, livemode, type, api_version, created,
           object_id, object_version, body, source)
         VALUES ($1, $2, $3, $4, '2026-11-01', now(), $5, 1, $6, 'api')`,
        [id, account, livemode, type, newId('ch'), body],
      );
      ids.push(id);
    }
    await client.query('COMMIT');
    return ids;
  } finally {
    await client.end();
  }
}
