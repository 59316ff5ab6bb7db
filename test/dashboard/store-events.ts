import type { EventType } from '@paymount/core/changes';
import { newId } from '@paymount/core/kernel';
import { query } from '../support/database.ts';
import type { DashboardSetup } from './dashboard-setup.ts';

/** Commits events of charges in one statement, past all services. @returns their ids, the newest first */
export async function storeShownEvents(
  { databaseUrl, account, clock }: DashboardSetup,
  count: number,
  type: EventType = 'charge.succeeded',
): Promise<readonly string[]> {
  const created = clock.now().toISOString();
  const events = Array.from({ length: count }, () => ({
    id: newId('evt'),
    object: 'event',
    type,
    api_version: '2026-11-01',
    created,
    livemode: false,
    account,
    data: { object: { id: newId('ch'), object: 'charge' } },
  }));
  await query(
    databaseUrl,
    `INSERT INTO paymount.events (id, account_id, livemode, type, api_version, created,
       object_id, object_version, body, source)
     SELECT event->>'id', $2, false, event->>'type', event->>'api_version',
       (event->>'created')::timestamptz, event#>>'{data,object,id}', 1, event::text, 'api'
     FROM jsonb_array_elements($1::jsonb) AS event`,
    [JSON.stringify(events), account],
  );
  return events
    .map(({ id }) => id)
    .sort()
    .reverse();
}
