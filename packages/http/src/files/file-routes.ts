import {
  FILE_PURPOSES,
  FileCreateInput,
  FileResource,
  toFileResource,
} from '@paymount/core/payments';
import { z } from 'zod';
import { CreatedInput, ListQuery, listSchema, toListResource, toPageRequest } from '../lists.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

const PATH = '/v1/files';

const FileListQuery = ListQuery.extend({
  created: CreatedInput,
  purpose: z.enum(FILE_PURPOSES).optional().meta({ description: 'Only files for this purpose.' }),
});

/** Files: upload, retrieve, list. */
export function fileRoutes({ files }: Services): readonly Route[] {
  const route = routesUnder(PATH);
  const needs = { scope: 'disputes:write' } as const;

  route.post(
    '',
    {
      ...needs,
      operationId: 'createFile',
      summary: 'Upload a file, as multipart/form-data',
      takesFile: true,
      body: FileCreateInput,
      response: FileResource,
    },
    async ({ call, body }) => toFileResource(await files.create(call, body)),
  );
  route.get(
    '',
    {
      ...needs,
      operationId: 'listFiles',
      summary: 'List files, newest first',
      query: FileListQuery,
      response: listSchema('FileList', FileResource),
    },
    async ({ call, query: { created, purpose, ...page } }) => {
      const filter = { ...(created && { created }), ...(purpose && { purpose }) };
      const found = await files.list(call, filter, toPageRequest(page));
      return toListResource(PATH, found, toFileResource);
    },
  );
  route.get(
    '/:id',
    {
      ...needs,
      operationId: 'retrieveFile',
      summary: 'Retrieve a file, without its content',
      query: Nothing,
      response: FileResource,
    },
    async ({ call, path }) => toFileResource(await files.retrieve(call, path.id)),
  );
  return route.routes;
}
