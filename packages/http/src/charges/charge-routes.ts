import { type Call, missing, parseId } from '@paymount/core/kernel';
import {
  ChargeCaptureInput,
  ChargeCreateInput,
  type ChargeFilter,
  type ChargeJson,
  ChargeResource,
  ChargeUpdateInput,
  toChargeResource,
} from '@paymount/core/payments';
import type { z } from 'zod';
import {
  CreatedInput,
  clockFilter,
  idFilter,
  type ListJson,
  ListQuery,
  listSchema,
  toClockFilter,
  toListResource,
  toPageRequest,
} from '../lists.ts';
import { type Expandable, inList } from '../routing/expand.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';

const PATH = '/v1/charges';

/** What `GET /v1/charges` takes. */
export const ChargeListQuery = ListQuery.extend({
  created: CreatedInput,
  status: ChargeResource.shape.status.optional(),
  customer: idFilter('A `cus_` id.'),
  test_clock: clockFilter('what is on none, or of one customer all'),
});

/** Charges: create, retrieve, update, list, capture, cancel. */
export function chargeRoutes({ charges }: Services, expand: Expandable): readonly Route[] {
  const route = routesUnder(PATH);
  const writes = { scope: 'charges:write', response: ChargeResource, expand } as const;
  const reads = { scope: 'charges:read', response: ChargeResource, expand } as const;

  route.post(
    '',
    {
      ...writes,
      operationId: 'createCharge',
      errorStatuses: [402, 502],
      summary: 'Charge a card, or debit a bank account',
      body: ChargeCreateInput,
    },
    async ({ call, body }) => toChargeResource(await charges.create(call, body)),
  );
  route.get(
    '',
    {
      ...reads,
      operationId: 'listCharges',
      summary: 'List charges, newest first',
      query: ChargeListQuery,
      response: listSchema('ChargeList', ChargeResource),
      expand: inList(expand),
    },
    ({ call, query }) => listCharges(charges, call, query),
  );
  route.get(
    '/:id',
    { ...reads, operationId: 'retrieveCharge', summary: 'Retrieve a charge', query: Nothing },
    async ({ call, path }) => toChargeResource(await charges.retrieve(call, path.id)),
  );
  route.post(
    '/:id',
    { ...writes, operationId: 'updateCharge', summary: 'Update a charge', body: ChargeUpdateInput },
    async ({ call, path, body }) => toChargeResource(await charges.update(call, path.id, body)),
  );
  route.post(
    '/:id/capture',
    {
      ...writes,
      operationId: 'captureCharge',
      errorStatuses: [402, 502],
      summary: 'Capture an authorized charge',
      body: ChargeCaptureInput,
    },
    async ({ call, path, body }) => toChargeResource(await charges.capture(call, path.id, body)),
  );
  route.post(
    '/:id/cancel',
    {
      ...writes,
      operationId: 'cancelCharge',
      errorStatuses: [402, 502],
      summary: 'Release an authorized charge',
      body: Nothing,
    },
    async ({ call, path }) => toChargeResource(await charges.cancel(call, path.id)),
  );
  return route.routes;
}

/** A page of charges, newest first. @throws PaymountError `parameters_exclusive`, `invalid_cursor` */
export async function listCharges(
  charges: Services['charges'],
  call: Call,
  query: z.output<typeof ChargeListQuery>,
): Promise<ListJson<ChargeJson>> {
  return toListResource(
    PATH,
    await charges.list(call, toFilter(query), toPageRequest(query)),
    toChargeResource,
  );
}

/** @throws PaymountError `resource_missing` for what is not the id of a customer */
function toFilter(query: z.output<typeof ChargeListQuery>): ChargeFilter {
  const { created, status, customer } = query;
  const customerId = customer === undefined ? undefined : parseId('cus', customer);
  if (customer !== undefined && customerId === undefined) {
    throw missing('customer', customer, 'customer');
  }
  return {
    ...(created && { created }),
    ...(status && { status }),
    ...(customerId && { customerId }),
    ...toClockFilter(query),
  };
}
