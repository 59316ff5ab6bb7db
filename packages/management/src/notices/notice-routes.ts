import { findOrThrow } from '@paymount/core/kernel';
import {
  NOTICE_STATES,
  NoticeDismissInput,
  NoticeResource,
  STORED_NOTICE_KINDS,
  type StoredNotice,
  toNoticeResource,
} from '@paymount/core/payments';
import { CreatedInput, listSchema, Nothing, toListResource, toPageRequest } from '@paymount/http';
import { z } from 'zod';
import { type AdminCall, type ManagementRoute, requireIn, routesUnder } from '../admin-call.ts';
import { AdminListQuery, toFilter } from '../admin-list-query.ts';
import type { AdminDirectories, ManagementServices } from '../services.ts';

const PATH = '/notices';
const NAME = { noun: 'notice', prefix: 'ntc' } as const;

const NoticeListQuery = AdminListQuery.extend({
  state: z
    .enum(['review', ...NOTICE_STATES, 'any'])
    .optional()
    .meta({
      description: '`review`, the default: notices that a person must look at. `any`: all notices.',
    }),
  kind: z.enum(STORED_NOTICE_KINDS).optional(),
  processor: z.string().max(255).optional().meta({ description: 'Name of the adapter.' }),
  created: CreatedInput,
});

/** What processors reported: list, retrieve, apply again, dismiss. */
export function noticeRoutes(services: ManagementServices): readonly ManagementRoute[] {
  return [...readRoutes(services.directory), ...writeRoutes(services)];
}

/** A notice may have no account; then only admins of all accounts see it. */
async function find(
  { notices }: AdminDirectories,
  call: AdminCall,
  id: string,
): Promise<StoredNotice> {
  const found = await findOrThrow(NAME, id, (known) => notices.find(call.admin, known));
  requireIn(call, found.environment);
  return found;
}

function readRoutes(directory: AdminDirectories): readonly ManagementRoute[] {
  const route = routesUnder(PATH);
  const reads = { permission: 'notices.read', response: NoticeResource } as const;

  route.get(
    '',
    {
      ...reads,
      operationId: 'listNotices',
      summary: 'List notices of processors that a person must look at, newest first',
      query: NoticeListQuery,
      response: listSchema('NoticeList', NoticeResource),
    },
    async ({ call, query }) => {
      const { account, livemode, state, kind, processor, created } = query;
      const filter = {
        ...(await toFilter(call, { account, livemode }, directory.accounts)),
        ...(state && { state }),
        ...(kind && { kind }),
        ...(processor && { processor }),
        ...(created && { created }),
      };
      const page = await directory.notices.list(call.adminScope, filter, toPageRequest(query));
      return toListResource(PATH, page, toNoticeResource);
    },
  );
  route.get(
    '/:id',
    {
      ...reads,
      operationId: 'retrieveNotice',
      summary: 'Retrieve a notice of a processor',
      query: Nothing,
    },
    async ({ call, path }) => toNoticeResource(await find(directory, call, path.id)),
  );
  return route.routes;
}

function writeRoutes({ notices, directory }: ManagementServices): readonly ManagementRoute[] {
  const route = routesUnder(PATH);
  const writes = {
    permission: 'notices.settle',
    response: NoticeResource,
    freshLogin: true,
  } as const;

  route.post(
    '/:id/retry',
    {
      ...writes,
      operationId: 'retryNotice',
      summary: 'Apply a notice again, now',
      body: Nothing,
    },
    async ({ call, path }) => {
      const { id } = await find(directory, call, path.id);
      return toNoticeResource(await notices.retry(call, id));
    },
  );
  route.post(
    '/:id/dismiss',
    {
      ...writes,
      operationId: 'dismissNotice',
      summary: 'Dismiss a notice that was dealt with: it changes nothing',
      body: NoticeDismissInput,
    },
    async ({ call, path, body }) => {
      const { id } = await find(directory, call, path.id);
      return toNoticeResource(await notices.dismiss(call, id, body));
    },
  );
  return route.routes;
}
