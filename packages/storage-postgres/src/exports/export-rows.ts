import { type CrashPoint, newId } from '@paymount/core/kernel';
import type { Stores } from '@paymount/core/store';
import { statement } from '../connection/statement.ts';
import { exportAttempts } from '../deliveries/export-attempts.ts';
import { readOldDeliveries, removeDeliveries } from '../deliveries/purge-deliveries.ts';
import { readOldEvents, removeEvents } from '../events/purge-events.ts';
import { readOldReplays, removeReplays } from '../replays/purge-replays.ts';
import type { Session } from '../transaction/session.ts';
import type { ExportedBatch, ExportWalk, Give, SeenRow } from './exported.ts';

type EventWalk = Parameters<typeof readOldEvents>[1];

/** Longer than a host may take for a batch. */
const LEASE_SECONDS = 120;

const take = statement(
  'pm_purges_lease_v1',
  (s) => `INSERT INTO ${s}.purges AS p (table_name, lease_token, lease_until)
    VALUES ($1, $2, now() + interval '${LEASE_SECONDS} s')
    ON CONFLICT (table_name) DO UPDATE
    SET lease_token = excluded.lease_token, lease_until = excluded.lease_until
    WHERE p.lease_token = excluded.lease_token OR p.lease_until IS NULL OR p.lease_until < now()
    RETURNING 1`,
);
const release = statement(
  'pm_purges_release_v1',
  (s) => `UPDATE ${s}.purges SET lease_token = NULL, lease_until = NULL
    WHERE table_name = $1 AND lease_token = $2`,
);

/**
 * What is deleted after a time. The lease only saves work: without it a caller would still delete
 * nothing that it has not exported itself.
 */
export function exportQueue(session: Session, crashPoint: CrashPoint): Stores['exports'] {
  const token = newId('req');
  return {
    async step(walk, give) {
      const taken = await session.query(take, [walk.table, token]);
      if (taken.rows.length === 0) return { deleted: 0, hasMore: false };
      const batch = await exportNext({ session, crashPoint }, walk, async (rows) => {
        if (rows.length === 0) return;
        await give(rows);
        crashPoint('export.before_delete');
      });
      if (!batch.hasMore && batch.next === undefined) {
        await session.query(release, [walk.table, token]);
      }
      return batch;
    },
  };
}

function exportNext(
  ports: { readonly session: Session; readonly crashPoint: CrashPoint },
  walk: ExportWalk,
  give: Give,
): Promise<ExportedBatch> {
  const { session } = ports;
  switch (walk.table) {
    case 'delivery_attempts':
      return exportAttempts(ports, walk, give);
    case 'deliveries':
      return exportById(session, walk, { give, read: readOldDeliveries, remove: removeDeliveries });
    case 'replays':
      return exportById(session, walk, { give, read: readOldReplays, remove: removeReplays });
    case 'events':
      return exportEvents(session, walk, give);
  }
}

async function exportById(
  session: Session,
  walk: ExportWalk,
  {
    give,
    read,
    remove,
  }: {
    readonly give: Give;
    readonly read: (session: Session, walk: ExportWalk) => Promise<readonly SeenRow[]>;
    readonly remove: typeof removeDeliveries;
  },
): Promise<ExportedBatch> {
  const seen = await read(session, walk);
  const rows = seen.flatMap(({ shown }) => (shown === null ? [] : [shown]));
  await give(rows);
  const ids = rows.map(({ id }) => id);
  const deleted = ids.length === 0 ? 0 : await remove(session, ids, walk.before);
  const last = seen.length === walk.limit ? seen.at(-1) : undefined;
  return { deleted, ...(last && { next: last.id }), hasMore: last !== undefined };
}

async function exportEvents(
  session: Session,
  { before, after, limit }: ExportWalk,
  give: Give,
): Promise<ExportedBatch> {
  const position = after === undefined ? undefined : (JSON.parse(after) as EventWalk['after']);
  const { rows, next } = await readOldEvents(session, {
    ...(position && { after: position }),
    createdBefore: before,
    limit,
  });
  await give(rows);
  const deleted = rows.length === 0 ? 0 : await removeEvents(session, rows, before);
  return { deleted, ...(next && { next: JSON.stringify(next) }), hasMore: next !== undefined };
}
