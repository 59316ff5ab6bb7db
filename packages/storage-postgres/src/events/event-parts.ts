import type { Event } from '@paymount/core';
import { OWNER, type Part } from '../changes/part.ts';

const WIDTH = 9;

/** Records events; the unique (object, type, version) refuses the same one twice. */
export function eventsPart(events: readonly Event[]): Part {
  return {
    code: `e${events.length}`,
    values: events.flatMap((event) => [
      event.id,
      event.type,
      event.apiVersion,
      event.created,
      event.objectId,
      event.objectVersion,
      event.body,
      event.source,
      event.requestId ?? null,
    ]),
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  INSERT INTO ${schema}.events (account_id, livemode, id, type, api_version, created, object_id,
    object_version, body, source, request_id)
  ${events.map((_, index) => selectSql((value) => at(index * WIDTH + value), when)).join('\n  UNION ALL ')})`,
  };
}

function selectSql(at: (value: number) => string, when: string): string {
  return `SELECT ${OWNER}, ${at(0)}::text, ${at(1)}::text, ${at(2)}::text, ${at(3)}::timestamptz,
    ${at(4)}::text, ${at(5)}::bigint, ${at(6)}::text, ${at(7)}::text, ${at(8)}::text
  WHERE ${when}`;
}
