import type { EventDirectory } from '@paymount/core/changes';
import type { Session } from '../session.ts';
import {
  askedWithin,
  compared,
  createdWithin,
  findReached,
  reachedPage,
} from '../shared/reached-rows.ts';
import { EVENT_COLUMNS, type EventRow, toEvent } from './event-rows.ts';

const EVENTS = { name: 'events', columns: EVENT_COLUMNS } as const;

/** Events, as admins look through them. */
export function eventDirectory(session: Session): EventDirectory {
  return {
    async find(reach, id) {
      const row = await findReached<EventRow>(session, EVENTS, askedWithin(reach), id);
      return row && toEvent(row);
    },
    async list(reach, filter, page) {
      const { types, objectId, created } = filter;
      const conditions = [
        ...compared('object_id', '=', objectId, 'text'),
        ...createdWithin(created),
        ...compared('type', '= ANY', types, 'text[]'),
      ];
      const asked = askedWithin(reach, filter);
      const found = await reachedPage<EventRow>(session, EVENTS, asked, { conditions, page });
      return { ...found, data: found.data.map(toEvent) };
    },
  };
}
