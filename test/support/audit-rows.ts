import type pg from 'pg';
import { withClient } from './database.ts';

/** One row of the audit log, as it stands in the table. */
export type AuditRow = Readonly<Record<string, unknown>> & {
  readonly action: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
};

/** What the log says of one object, oldest first. */
export function toAuditEntry(url: string, target: string): Promise<readonly AuditRow[]> {
  return withClient(url, async (client) => {
    const text = 'SELECT * FROM paymount.audit_log WHERE target = $1 ORDER BY chain, seq';
    return (await client.query<AuditRow>(text, [target])).rows;
  });
}

/** Every row of every table as text: where nothing secret may be found. */
export function everyRow(url: string): Promise<string> {
  return withClient(url, async (client) => {
    const tables = await client.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'paymount' ORDER BY 1`,
    );
    return toRows(
      client,
      tables.rows.map(({ name }) => name),
    );
  });
}

/** What changes of access write, as text. */
export function accessRows(url: string): Promise<string> {
  return withClient(url, (client) =>
    toRows(client, ['accounts', 'api_keys', 'audit_log', 'audit_heads', 'auth_change']),
  );
}

async function toRows(client: pg.Client, tables: readonly string[]): Promise<string> {
  const texts: string[] = [];
  for (const table of tables) {
    const { rows } = await client.query<{ text: string }>(
      `SELECT t::text AS text FROM paymount.${client.escapeIdentifier(table)} t ORDER BY 1`,
    );
    texts.push(...rows.map(({ text }) => text));
  }
  return texts.join('\n');
}
