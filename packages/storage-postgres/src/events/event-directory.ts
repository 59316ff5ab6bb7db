import type { EventDirectory } from '@paymount/core/changes';
import {
  adminPage,
  compared,
  createdWithin,
  filtersWithin,
  findForAdmin,
} from '../shared/admin-rows.ts';
import type { Session } from '../transaction/session.ts';
import { EVENT_COLUMNS, type EventRow, toEvent } from './event-rows.ts';

const EVENTS = { name: 'events', columns: EVENT_COLUMNS } as const;

/** Lists of events, for admins. */
export function eventDirectory(session: Session): EventDirectory {
  return {
    async find(scope, id) {
      const row = await findForAdmin<EventRow>(session, EVENTS, filtersWithin(scope), id);
      return row && toEvent(row);
    },
    async list(scope, filter, page) {
      const { types, objectId, created } = filter;
      const conditions = [
        ...compared('object_id', '=', objectId, 'text'),
        ...createdWithin(created),
        ...compared('type', '= ANY', types, 'text[]'),
      ];
      const asked = filtersWithin(scope, filter);
      const found = await adminPage<EventRow>(session, EVENTS, asked, { conditions, page });
      return { ...found, data: found.data.map(toEvent) };
    },
  };
}
