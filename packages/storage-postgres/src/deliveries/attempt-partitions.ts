import type { CrashPoint } from '@paymount/core/kernel';
import { isLockedOut, isSqlError } from '../connection/sql-errors.ts';
import { describeDenied } from '../schema/describe-denied.ts';
import type { Session } from '../transaction/session.ts';
import { inTransaction } from '../transaction/transaction.ts';

const DAY_MS = 86_400_000;
const CHECK_VIOLATION = '23514';
const DROP_LOCK_LIMIT_MS = 100;

/** What creates and drops partitions. */
export interface PartitionPorts {
  readonly session: Session;
  readonly crashPoint: CrashPoint;
}

/** Whether an insert failed because its day has no partition. */
export function isMissingPartition(error: unknown): boolean {
  // A violated CHECK has the same SQLSTATE, but also the name of a constraint.
  return isSqlError(error) && error.code === CHECK_VIOLATION && error.constraint === undefined;
}

/**
 * Creates the missing partitions of `daysAhead` days from the UTC day of `from`.
 * @throws DatabaseError when the role lacks a right
 */
export async function createPartitions(
  ports: PartitionPorts,
  from: Date,
  daysAhead: number,
): Promise<void> {
  try {
    await createMissing(ports, from, daysAhead);
  } catch (error) {
    throw await describeDenied(ports.session, error, 'make_tables');
  }
}

/**
 * A new table is attached, rather than created as a partition: that waits for no reader of the log,
 * such as a backup of an hour, and blocks nobody.
 */
async function createMissing(ports: PartitionPorts, from: Date, daysAhead: number): Promise<void> {
  const firstDay = Math.floor(from.getTime() / DAY_MS);
  const days = Array.from({ length: daysAhead + 1 }, (_, index) => firstDay + index);
  for (const day of await missingDays(ports.session, days)) await createPartition(ports, day);
}

async function createPartition(
  { session, crashPoint }: PartitionPorts,
  day: number,
): Promise<void> {
  await inTransaction(session, async (inner) => {
    const { schema } = inner.statements;
    // Otherwise one of two processes that create the same partition would fail.
    await inner.plain('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `partitions ${schema}`,
    ]);
    if ((await missingDays(inner, [day])).length === 0) return;
    const partition = `${schema}.${partitionName(day)}`;
    await moveAside(inner, day);
    await inner.plain(`CREATE TABLE ${partition} (LIKE ${schema}.delivery_attempts INCLUDING ALL)`);
    crashPoint('partition.after_create');
    await inner.plain(
      `ALTER TABLE ${schema}.delivery_attempts ATTACH PARTITION ${partition}
       FOR VALUES FROM ('${dayStart(day)}') TO ('${dayStart(day + 1)}')`,
    );
  });
}

/** Renames a table of the partition's name, such as a day that somebody detached to keep it. */
async function moveAside(session: Session, day: number): Promise<void> {
  const { schema } = session.statements;
  const name = partitionName(day);
  const { rows } = await session.plain<{ free: string }>(
    `SELECT $2 || '_kept' || COALESCE(NULLIF(count(*), 0)::text, '') AS free FROM pg_class
     WHERE relnamespace = $3::regnamespace AND relname ~ ('^' || $2 || '_kept[0-9]*$')
     HAVING to_regclass($1) IS NOT NULL`,
    [`${schema}.${name}`, name, schema],
  );
  const [row] = rows;
  if (row) await session.plain(`ALTER TABLE ${schema}.${name} RENAME TO ${row.free}`);
}

/**
 * Drops the partitions of whole days that ended before. While a drop waits for its lock, inserts
 * wait behind it, so it gives up after a tenth of a second.
 * @returns how many
 */
export async function dropPartitions(ports: PartitionPorts, before: Date): Promise<number> {
  let dropped = 0;
  for (const name of await endedPartitions(ports.session, before)) {
    if (!(await dropPartition(ports, name))) break;
    dropped += 1;
  }
  return dropped;
}

/** The partitions of whole days that ended before, the oldest first. */
export async function endedPartitions(session: Session, before: Date): Promise<readonly string[]> {
  const { schema } = session.statements;
  const endedDay = Math.floor(before.getTime() / DAY_MS);
  const { rows } = await session.plain<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = '${schema}.delivery_attempts'::regclass AND c.relname < $1
     ORDER BY c.relname`,
    [partitionName(endedDay)],
  );
  return rows.map(({ name }) => name);
}

/** @returns whether nobody held it */
export async function dropPartition(
  { session, crashPoint }: PartitionPorts,
  name: string,
): Promise<boolean> {
  try {
    await inTransaction(session, async (inner) => {
      await inner.plain(`SET LOCAL lock_timeout = ${DROP_LOCK_LIMIT_MS}`);
      crashPoint('partition.before_drop');
      await inner.plain(`DROP TABLE IF EXISTS ${inner.statements.schema}.${name}`);
    });
    return true;
  } catch (error) {
    if (isLockedOut(error)) return false;
    throw await describeDenied(session, error, 'make_tables');
  }
}

async function missingDays(session: Session, days: readonly number[]): Promise<readonly number[]> {
  const names = days.map((day) => `${session.statements.schema}.${partitionName(day)}`);
  const { rows } = await session.plain<{ day: number }>(
    `SELECT n.day FROM unnest($1::integer[], $2::text[]) AS n (day, name)
     WHERE NOT EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = to_regclass(n.name))`,
    [days, names],
  );
  return rows.map(({ day }) => day);
}

function partitionName(day: number): string {
  return `delivery_attempts_${dayStart(day).slice(0, 10).replaceAll('-', '')}`;
}

function dayStart(day: number): string {
  return new Date(day * DAY_MS).toISOString();
}
