import { isTableMissing } from '../connection/sql-errors.ts';
import type { ExportedBatch, ExportedRow, ExportWalk, Give } from '../exports/exported.ts';
import type { Session } from '../transaction/session.ts';
import { dropPartition, endedPartitions, type PartitionPorts } from './attempt-partitions.ts';

interface AttemptRow {
  readonly id: string;
  /** With all its digits, which a `Date` has not. */
  readonly started: string;
  readonly shown: ExportedRow;
}

/**
 * Exports the next attempts of the oldest day that has ended, and drops the day after its last ones. A
 * day gets no more rows: attempts are recorded within seconds of their start, or when the database can
 * be reached again. If somebody reads the log at that moment, the position stays at the end of the day.
 */
export async function exportAttempts(
  ports: PartitionPorts,
  { before, after = '', limit }: Omit<ExportWalk, 'table'>,
  give: Give,
): Promise<ExportedBatch> {
  const { session } = ports;
  const [day] = await endedPartitions(session, before);
  if (day === undefined) return { deleted: 0, hasMore: false };
  const [name, started = '', id = ''] = after.split('|');
  const rows = await readDay(session, day, name === day ? [started, id] : ['-infinity', ''], limit);
  // Another run gave the rest of the day to the host, and dropped it.
  if (rows === undefined) return { deleted: 0, hasMore: true };
  if (rows.length > 0) await give(rows.map(({ shown }) => shown));
  const last = rows.at(-1);
  const next =
    last === undefined && name === day
      ? after
      : `${day}|${last?.started ?? '-infinity'}|${last?.id ?? ''}`;
  if (rows.length === limit) return { deleted: 0, next, hasMore: true };
  if (await dropPartition(ports, day)) return { deleted: 0, next, hasMore: true };
  return { deleted: 0, next, hasMore: false };
}

/** The attempts of a day after a position; undefined if the day was dropped meanwhile. */
async function readDay(
  session: Session,
  day: string,
  after: readonly [started: string, id: string],
  limit: number,
): Promise<readonly AttemptRow[] | undefined> {
  const { schema, schemaName } = session.statements;
  try {
    const { rows } = await session.plain<AttemptRow>(
      `SELECT a.id, a.started_at::text AS started, to_jsonb(a) AS shown FROM ${schema}.${day} a
       WHERE (a.started_at, a.id) > ($1::timestamptz, $2::text)
       ORDER BY a.started_at, a.id LIMIT $3`,
      [...after, limit],
    );
    return rows;
  } catch (error) {
    if (isTableMissing(error, schemaName)) return undefined;
    throw error;
  }
}
