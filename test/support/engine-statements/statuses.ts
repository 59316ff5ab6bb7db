import type { Endpoint } from '@paymount/core/events';
import type { EndpointId } from '@paymount/core/kernel';
import type { BacklogSetup } from '../backlog-setup.ts';
import type { EngineStatement } from './statement.ts';

const LIMIT = 1_000;

/** What follows for deliveries from the status of their endpoint. */
export const STATUS_STATEMENTS: readonly EngineStatement[] = [
  {
    what: 'steps that park, resume and cancel the deliveries of two endpoints',
    send: async (setup) => {
      const { deliveries } = setup.postgres;
      const endpoints = await firstAndLast(setup);
      for (const status of ['disabled', 'enabled', 'deleted'] as const) {
        for (const id of endpoints) await turn(setup, id, status);
        await deliveries.applyStatuses(LIMIT);
      }
      await setup.query(
        `UPDATE paymount.webhook_endpoints SET status = 'enabled', status_changed = false
         WHERE status = 'deleted'`,
      );
    },
    atMostBlocks: LIMIT * 60,
    atMostRows: LIMIT * 20,
  },
  {
    what: 'search for endpoints whose deliveries do not fit their status',
    send: ({ postgres }) => postgres.deliveries.recheckStatuses(),
    // It looks at each endpoint.
    atMostBlocks: 150_000,
    atMostRows: 60_000,
  },
];

/** The endpoint with the backlog, and one with a delivery or none. */
async function firstAndLast({ query, owner }: BacklogSetup): Promise<readonly EndpointId[]> {
  const rows = await query<{ id: EndpointId }>(
    `SELECT unnest(ARRAY[min(id), max(id)]) AS id FROM paymount.webhook_endpoints
     WHERE account_id = $1`,
    [owner.accountId],
  );
  return rows.map(({ id }) => id);
}

async function turn(
  { postgres: { storage }, owner }: BacklogSetup,
  id: EndpointId,
  status: Endpoint['status'],
): Promise<void> {
  const found = await storage.read.endpoints.find(owner, id);
  if (found === undefined) throw new Error(`${id} is lost.`);
  const row = { ...found, version: found.version + 1, status };
  const writes = [{ mode: 'update', kind: 'endpoint', row }] as const;
  await storage.changes.apply({ ...owner, at: new Date(), writes });
}
