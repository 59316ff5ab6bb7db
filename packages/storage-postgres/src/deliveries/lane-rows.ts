import type { EndpointLane } from '@paymount/core/events';
import type { EndpointId } from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';
import { rerun } from '../transaction/transaction.ts';

/**
 * Locks the rows in the order of ids, as every statement does that changes several endpoints. A row that
 * somebody else has locked keeps its lane: the next attempts there record it. `was_quick` says which of
 * those that become slow have ever accepted an event.
 */
const change = statement(
  'pm_endpoints_change_lanes_v2',
  (s) => `WITH moved AS (
  SELECT e.id, n.lane FROM unnest($1::text[], $2::text[]) AS n (id, lane)
  JOIN ${s}.webhook_endpoints e ON e.id = ANY ($1::text[]) AND e.id = n.id AND e.lane <> n.lane
  ORDER BY e.id FOR NO KEY UPDATE OF e SKIP LOCKED)
UPDATE ${s}.webhook_endpoints e SET lane = moved.lane,
  was_quick = CASE moved.lane WHEN 'slow' THEN (
      SELECT true FROM ${s}.deliveries d WHERE d.endpoint_id = e.id AND d.state = 'succeeded'
      ORDER BY d.created, d.id LIMIT 1) IS NOT NULL
    ELSE e.was_quick END
FROM moved WHERE e.id = moved.id`,
);

/** See `DeliveryQueue.changeLanes`. */
export async function changeLanes(
  session: Session,
  lanes: ReadonlyMap<EndpointId, EndpointLane>,
): Promise<void> {
  if (lanes.size === 0) return;
  await rerun(() => session.query(change, [[...lanes.keys()], [...lanes.values()]]));
}
