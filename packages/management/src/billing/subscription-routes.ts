import {
  AdminRetryWorkInput,
  AdminSubscriptionCancelInput,
  AdminSubscriptionResource,
  DECLINE_CLASSES,
  type Subscription,
  SubscriptionResource,
  toAdminSubscriptionResource,
} from '@paymount/core/billing';
import { MomentInput } from '@paymount/core/kernel';
import { idFilter, idIn, listSchema, Nothing, toListResource, toPageRequest } from '@paymount/http';
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

const PATH = '/subscriptions';
const NAME = { noun: 'subscription', prefix: 'sub' } as const;
/** Of a subscription, when it is shown alone. */
const MAX_PERIODS = 100;
const MAX_ATTEMPTS = 100;

const SubscriptionListQuery = AdminListQuery.extend({
  customer: idFilter('A `cus_` id.'),
  status: SubscriptionResource.shape.status.optional(),
  decline_class: z.enum(DECLINE_CLASSES).optional().meta({
    description: 'Only those that are not paid, by why the last payment failed.',
  }),
  due_before: MomentInput.optional().meta({
    description: 'Only those that a worker must look at before this time.',
  }),
  failing: z.boolean().optional().meta({
    description:
      '`true`: only those of which a worker cannot do what is due; `false`: only the others.',
  }),
});

/** Subscriptions of merchants: list, retrieve with periods and attempts, cancel. */
export function subscriptionRoutes(services: ManagementServices): readonly ManagementRoute[] {
  return [...readRoutes(services), ...writeRoutes(services)];
}

function find(
  { directory }: Pick<ManagementServices, 'directory'>,
  call: AdminCall,
  id: string,
): Promise<Subscription> {
  return target(call, NAME, id, (known) => directory.subscriptions.find(call.admin, known));
}

function readRoutes(services: ManagementServices): readonly ManagementRoute[] {
  const { directory } = services;
  const route = routesUnder(PATH);
  const reads = { permission: 'billing.read', response: AdminSubscriptionResource } as const;

  route.get(
    '',
    {
      ...reads,
      operationId: 'listSubscriptions',
      summary: 'List subscriptions, newest first',
      query: SubscriptionListQuery,
      response: listSchema('AdminSubscriptionList', AdminSubscriptionResource),
    },
    async ({ call, query }) => {
      const { account, livemode, status, customer, decline_class: declineClass } = query;
      const filter = {
        ...(await toFilter(call, { account, livemode, status }, directory.accounts)),
        ...(customer && { customerId: idIn('cus', customer, 'customer') }),
        ...(declineClass && { declineClass }),
        ...(query.due_before && { dueBefore: query.due_before }),
        ...(query.failing !== undefined && { isFailing: query.failing }),
      };
      const page = await directory.subscriptions.list(
        call.adminScope,
        filter,
        toPageRequest(query),
      );
      const prices = await directory.subscriptions.pricesOf(page.data);
      return toListResource(PATH, page, (each) => toAdminSubscriptionResource(each, prices));
    },
  );
  route.get(
    '/:id',
    {
      ...reads,
      operationId: 'retrieveSubscription',
      summary: 'Retrieve a subscription with its periods, attempts, and what is due next',
      query: Nothing,
    },
    async ({ call, path }) => {
      const found = await find(services, call, path.id);
      const prices = await directory.subscriptions.pricesOf([found]);
      return toAdminSubscriptionResource(found, prices, await historyOf(directory, found));
    },
  );
  return route.routes;
}

function writeRoutes(services: ManagementServices): readonly ManagementRoute[] {
  const { subscriptions } = services;
  const route = routesUnder(PATH);
  const writes = {
    permission: 'billing.write',
    freshLogin: true,
    response: SubscriptionResource,
  } as const;

  route.post(
    '/:id/cancel',
    {
      ...writes,
      operationId: 'cancelSubscription',
      summary: 'End a subscription now or with its period, with a reason',
      body: AdminSubscriptionCancelInput,
    },
    async ({ call, path, body }) => {
      const { reason, at_period_end: isAtPeriodEnd, prorate, invoice_now: invoiceNow } = body;
      const found = await find(services, call, path.id);
      const asked = { ...callFor(call, found), reason: reason.trim() };
      if (isAtPeriodEnd) {
        return subscriptions.update(asked, found.id, { cancel_at_period_end: true });
      }
      return subscriptions.cancel(asked, found.id, { prorate, invoice_now: invoiceNow });
    },
  );
  route.post(
    '/:id/retry_work',
    {
      ...writes,
      operationId: 'retrySubscriptionWork',
      summary: 'Have a worker try at once what is due of a subscription and failed',
      body: AdminRetryWorkInput,
    },
    async ({ call, path, body }) => {
      const found = await find(services, call, path.id);
      const asked = { ...callFor(call, found), reason: body.reason.trim() };
      return subscriptions.retryWork(asked, found.id);
    },
  );
  return route.routes;
}

/** Its newest periods, and the charges of their invoices and of those that are collected now. */
async function historyOf(
  { subscriptions, invoices }: Pick<AdminDirectories, 'subscriptions' | 'invoices'>,
  subscription: Subscription,
) {
  const { accountId, environment, customerId, latestInvoiceId } = subscription;
  const periods = await subscriptions.periodsOf(subscription, MAX_PERIODS);
  const collected = 'dunning' in subscription ? subscription.dunning.invoiceId : null;
  const ids = [...periods.map(({ invoiceId }) => invoiceId), latestInvoiceId, collected];
  const invoiceIds = [...new Set(ids.flatMap((id) => id ?? []))];
  const of = { accountId, environment, customerId, invoiceIds };
  return { periods, attempts: await invoices.attemptsOf(of, MAX_ATTEMPTS) };
}
