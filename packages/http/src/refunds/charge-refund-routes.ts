import { type Call, missing } from '@paymount/core/kernel';
import {
  ChargeResource,
  type Refund,
  RefundCreateInput,
  type Refunded,
  RefundResource,
  RefundUpdateInput,
  toChargeResource,
  toRefundResource,
} from '@paymount/core/payments';
import type { z } from 'zod';
import type { Expandables } from '../expandables.ts';
import { toListResource, toPageRequest } from '../lists.ts';
import { inList } from '../routing/expand.ts';
import type { PathValues } from '../routing/path-values.ts';
import { Nothing, type Route, routesUnder } from '../routing/route.ts';
import type { Services } from '../services.ts';
import { RefundList, RefundListQuery } from './refund-routes.ts';

const CreateInput = RefundCreateInput.omit({ charge: true }).meta({ id: 'ChargeRefundCreate' });
type Create = z.output<typeof CreateInput>;
const ListQuery = RefundListQuery.omit({ charge: true, test_clock: true });

/**
 * Refunds below their charge, where Stripe's older SDKs call them: create, retrieve, update, list.
 * A path with a charge other than the refund's is not found.
 */
export function chargeRefundRoutes(services: Services, expand: Expandables): readonly Route[] {
  const { charges, refunds } = services;
  const route = routesUnder('/v1/charges/:id');
  const facts = { response: RefundResource, expand: expand.refund } as const;
  const writes = { ...facts, scope: 'charges:write' } as const;
  const reads = { ...facts, scope: 'charges:read' } as const;

  route.post(
    '/refunds',
    {
      ...writes,
      operationId: 'createChargeRefund',
      summary: 'Refund this charge, all or part',
      body: CreateInput,
    },
    async ({ call, ...asked }) => toRefundResource((await refund(services, call, asked)).refund),
  );
  route.get(
    '/refunds',
    {
      ...reads,
      operationId: 'listChargeRefunds',
      summary: 'List the refunds of this charge, newest first',
      query: ListQuery,
      response: RefundList,
      expand: inList(expand.refund),
    },
    async ({ call, path, query: { created, ...page } }) => {
      const charge = await charges.retrieve(call, path.id);
      const filter = { charge: charge.id, ...(created && { created }) };
      const found = await refunds.list(call, filter, toPageRequest(page));
      return toListResource(`/v1/charges/${charge.id}/refunds`, found, toRefundResource);
    },
  );
  route.get(
    '/refunds/:refund',
    {
      ...reads,
      operationId: 'retrieveChargeRefund',
      summary: 'Retrieve a refund of this charge',
      query: Nothing,
    },
    async ({ call, path }) => toRefundResource(await requireRefund(services, call, path)),
  );
  route.post(
    '/refunds/:refund',
    {
      ...writes,
      operationId: 'updateChargeRefund',
      summary: 'Update a refund of this charge',
      body: RefundUpdateInput,
    },
    async ({ call, path, body }) => {
      const refund = await requireRefund(services, call, path);
      return toRefundResource(await refunds.update(call, refund.id, body));
    },
  );
  route.post(
    '/refund',
    {
      ...writes,
      operationId: 'refundCharge',
      summary: 'Refund this charge, and show the charge',
      body: CreateInput,
      response: ChargeResource,
      expand: expand.charge,
      instead: (call, made) => toCharge(services, call, made),
    },
    async ({ call, ...asked }) => toStored(call, await refund(services, call, asked)),
  );
  return route.routes;
}

/** @throws PaymountError 404 for an unknown charge, else as `RefundService.createOnCharge` */
async function refund(
  { charges, refunds }: Services,
  call: Call,
  { path: { id }, body }: { readonly path: PathValues; readonly body: Create },
): Promise<Refunded> {
  const charge = await charges.retrieve(call, id);
  return refunds.createOnCharge(call, { ...body, charge: charge.id });
}

/**
 * With a key the refund is stored, and its charge is read for the answer. Without one the answer is
 * the charge as the refund left it: nothing may fail after the money has moved.
 */
function toStored({ claim }: Call, { refund, charge }: Refunded): object {
  return claim ? toRefundResource(refund) : toChargeResource(charge);
}

/** @throws PaymountError `resource_missing` */
async function requireRefund(
  { refunds }: Services,
  call: Call,
  { id, refund }: PathValues,
): Promise<Refund> {
  const found = await refunds.retrieve(call, refund);
  if (found.chargeId !== id) throw missing('refund', refund);
  return found;
}

/** The charge of a new refund; a charge is returned unchanged. */
async function toCharge({ charges }: Services, call: Call, made: object): Promise<object> {
  const refund = RefundResource.safeParse(made);
  return refund.success ? toChargeResource(await charges.retrieve(call, refund.data.charge)) : made;
}
