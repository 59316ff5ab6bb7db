import type { Event } from '@paymount/core/changes';
import { OWNER_COLUMNS } from '../changes/owner-columns.ts';
import type { Part } from '../changes/part.ts';
import { partCode } from '../changes/part-codes.ts';
import { rowSource, type ToRows } from '../changes/row-source.ts';
import { type Column, fixed } from '../shared/columns.ts';

const COLUMNS: readonly Column<Event>[] = [
  ...OWNER_COLUMNS,
  fixed('id', 'text', (event) => event.id),
  fixed('type', 'text', (event) => event.type),
  fixed('api_version', 'text', (event) => event.apiVersion),
  fixed('created', 'timestamptz', (event) => event.created),
  fixed('object_id', 'text', (event) => event.objectId),
  fixed('object_version', 'bigint', (event) => event.objectVersion),
  fixed('body', 'text', (event) => event.body),
  fixed('source', 'text', (event) => event.source),
  fixed('request_id', 'text', (event) => event.requestId ?? null),
  fixed('test_clock_id', 'text', (event) => event.testClockId ?? null),
];

/**
 * Records events; the unique (object, type, version) prevents a second event for the same change.
 */
export function eventsPart(events: readonly Event[], toRows: ToRows = rowSource): Part {
  const rows = toRows(COLUMNS, events);
  return {
    code: partCode('events', rows.code),
    values: rows.values,
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  INSERT INTO ${schema}.events (${COLUMNS.map(({ name }) => name).join(', ')})
  SELECT n.* FROM ${rows.sql(at)} WHERE ${when})`,
  };
}
