import { query } from '../support/database.ts';
import type { Setting } from './setting.ts';

/** @returns a sentence if it is not so */
export function expectEqual(what: string, found: unknown, expected: unknown): readonly string[] {
  return found === expected ? [] : [`${what}: expected ${expected}, found ${found}.`];
}

/** How often the processor has carried out what was asked about an object. */
export async function executionsOf({ databaseUrl }: Setting, subject: string): Promise<number> {
  const rows = await query(
    databaseUrl,
    `SELECT FROM paymount.operations o
      JOIN paymount.sandbox_operations s ON s.operation_id = o.id WHERE o.subject_id = $1`,
    [subject],
  );
  return rows.length;
}

/** The types of all events about an object, in order of the alphabet. */
export async function eventsOf({ databaseUrl }: Setting, object: string): Promise<string> {
  const rows = await query<{ type: string }>(
    databaseUrl,
    'SELECT type FROM paymount.events WHERE object_id = $1 ORDER BY type',
    [object],
  );
  return rows.map(({ type }) => type).join(' ');
}
