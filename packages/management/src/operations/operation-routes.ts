import {
  OPERATION_KINDS,
  OPERATION_STATES,
  type Operation,
  OperationDismissInput,
  OperationResource,
  OperationSettleInput,
  toOperationResource,
} from '@paymount/core/payments';
import { CreatedInput, listSchema, Nothing, toListResource, toPageRequest } from '@paymount/http';
import { z } from 'zod';
import {
  type AdminCall,
  callFor,
  type ManagementRoute,
  routesUnder,
  target,
} from '../admin-call.ts';
import { AdminListQuery, toFilter } from '../admin-list-query.ts';
import type { AdminDirectories, ManagementServices } from '../services.ts';

const PATH = '/operations';
const NAME = { noun: 'operation', prefix: 'op' } as const;

const OperationListQuery = AdminListQuery.extend({
  state: z
    .enum(['review', ...OPERATION_STATES, 'any'])
    .optional()
    .meta({
      description:
        '`review`, the default: operations that a person must look at, in any state. ' +
        '`any`: all operations.',
    }),
  kind: z.enum(OPERATION_KINDS).optional(),
  processor: z.string().max(255).optional().meta({ description: 'Name of the adapter.' }),
  subject: z.string().max(255).optional().meta({ description: 'Id of the charge or refund.' }),
  created: CreatedInput,
});

/** Requests to processors, and those of unknown outcome: list, retrieve, settle, dismiss. */
export function operationRoutes(services: ManagementServices): readonly ManagementRoute[] {
  return [...readRoutes(services.directory), ...writeRoutes(services)];
}

function find({ operations }: AdminDirectories, call: AdminCall, id: string): Promise<Operation> {
  return target(call, NAME, id, (known) => operations.find(call.admin, known));
}

function readRoutes(directory: AdminDirectories): readonly ManagementRoute[] {
  const route = routesUnder(PATH);
  const reads = { permission: 'operations.read', response: OperationResource } as const;

  route.get(
    '',
    {
      ...reads,
      operationId: 'listOperations',
      summary: 'List operations that a person must look at, newest first',
      query: OperationListQuery,
      response: listSchema('OperationList', OperationResource),
    },
    async ({ call, query }) => {
      const { state, kind, processor, subject, created } = query;
      const filter = {
        ...(await toFilter(
          call,
          { account: query.account, livemode: query.livemode },
          directory.accounts,
        )),
        ...(state && { state }),
        ...(kind && { kind }),
        ...(processor && { processor }),
        ...(subject && { subject }),
        ...(created && { created }),
      };
      const page = await directory.operations.list(call.adminScope, filter, toPageRequest(query));
      return toListResource(PATH, page, (operation) => toOperationResource(operation));
    },
  );
  route.get(
    '/:id',
    {
      ...reads,
      operationId: 'retrieveOperation',
      summary: 'Retrieve an operation with its answers',
      query: Nothing,
    },
    async ({ call, path }) => {
      const operation = await find(directory, call, path.id);
      return toOperationResource(operation, await directory.operations.answers(operation));
    },
  );
  return route.routes;
}

function writeRoutes({ operations, directory }: ManagementServices): readonly ManagementRoute[] {
  const route = routesUnder(PATH);
  const writes = {
    permission: 'operations.settle',
    response: OperationResource,
    freshLogin: true,
  } as const;

  route.post(
    '/:id/settle',
    {
      ...writes,
      operationId: 'settleOperation',
      summary: 'Settle an operation: record its outcome',
      body: OperationSettleInput,
    },
    async ({ call, path, body }) => {
      const operation = await find(directory, call, path.id);
      return toOperationResource(
        await operations.settle(callFor(call, operation), operation.id, body),
      );
    },
  );
  route.post(
    '/:id/dismiss',
    {
      ...writes,
      operationId: 'dismissOperation',
      summary: 'Dismiss a late answer that was dealt with',
      body: OperationDismissInput,
    },
    async ({ call, path, body }) => {
      const operation = await find(directory, call, path.id);
      return toOperationResource(
        await operations.dismiss(callFor(call, operation), operation.id, body),
      );
    },
  );
  return route.routes;
}
