import {
  AdminInvoiceActionInput,
  AdminInvoiceResource,
  AdminRetryWorkInput,
  type Invoice,
  InvoiceResource,
  toAdminInvoiceResource,
} from '@paymount/core/billing';
import { type Call, MomentInput, PaymountError } from '@paymount/core/kernel';
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
import type { ManagementServices } from '../services.ts';

const PATH = '/invoices';
const NAME = { noun: 'invoice', prefix: 'in' } as const;
/** Of an invoice, when it is shown alone. */
const MAX_ATTEMPTS = 100;

const InvoiceListQuery = AdminListQuery.extend({
  customer: idFilter('A `cus_` id.'),
  subscription: idFilter('A `sub_` id.'),
  status: InvoiceResource.shape.status.optional(),
  overdue: z.boolean().optional().meta({
    description: '`true`: only open ones whose due date has passed; `false`: only the others.',
  }),
  due_before: MomentInput.optional().meta({
    description: 'Only those whose due date is before this time.',
  }),
  failing: z.boolean().optional().meta({
    description:
      '`true`: only those of which a worker cannot do what is due; `false`: only the others.',
  }),
});

/** Invoices of merchants: list, retrieve with attempts, void, mark as uncollectible, charge again. */
export function invoiceRoutes(services: ManagementServices): readonly ManagementRoute[] {
  return [...readRoutes(services), ...writeRoutes(services)];
}

function find(
  { directory }: Pick<ManagementServices, 'directory'>,
  call: AdminCall,
  id: string,
): Promise<Invoice> {
  return target(call, NAME, id, (known) => directory.invoices.find(call.admin, known));
}

function readRoutes(services: ManagementServices): readonly ManagementRoute[] {
  const { directory, invoices, clock } = services;
  const route = routesUnder(PATH);
  const reads = { permission: 'billing.read', response: AdminInvoiceResource } as const;

  route.get(
    '',
    {
      ...reads,
      operationId: 'listInvoices',
      summary: 'List invoices, newest first',
      query: InvoiceListQuery,
      response: listSchema('AdminInvoiceList', AdminInvoiceResource),
    },
    async ({ call, query }) => {
      const { account, livemode, status, customer, subscription, overdue } = query;
      const at = clock.now();
      const filter = {
        ...(await toFilter(call, { account, livemode, status }, directory.accounts)),
        ...(customer && { customerId: idIn('cus', customer, 'customer') }),
        ...(subscription && { subscriptionId: idIn('sub', subscription, 'subscription') }),
        ...(query.due_before && { dueBefore: query.due_before }),
        ...(query.failing !== undefined && { isFailing: query.failing }),
        ...(overdue !== undefined && { overdue: { at, isOverdue: overdue } }),
      };
      const page = await directory.invoices.list(call.adminScope, filter, toPageRequest(query));
      return toListResource(PATH, page, (each) =>
        toAdminInvoiceResource(each, invoices.show(each), { at }),
      );
    },
  );
  route.get(
    '/:id',
    {
      ...reads,
      operationId: 'retrieveInvoice',
      summary: 'Retrieve an invoice with the attempts to charge it',
      query: Nothing,
    },
    async ({ call, path }) => {
      const found = await find(services, call, path.id);
      const of = { ...found, invoiceIds: [found.id] };
      const attempts = await directory.invoices.attemptsOf(of, MAX_ATTEMPTS);
      return toAdminInvoiceResource(found, invoices.show(found), { at: clock.now(), attempts });
    },
  );
  return route.routes;
}

function writeRoutes(services: ManagementServices): readonly ManagementRoute[] {
  const { directory, invoices, invoiceActions } = services;
  const route = routesUnder(PATH);
  const writes = {
    permission: 'billing.write',
    freshLogin: true,
    response: InvoiceResource,
    body: AdminInvoiceActionInput,
  } as const;
  /** The invoice, and the call that acts for its account. */
  const act = async (
    call: AdminCall,
    id: string,
    { reason }: z.output<typeof AdminInvoiceActionInput>,
  ): Promise<{ readonly invoice: Invoice; readonly asked: Call }> => {
    const invoice = await find(services, call, id);
    return { invoice, asked: { ...callFor(call, invoice), reason: reason.trim() } };
  };

  route.post(
    '/:id/void',
    {
      ...writes,
      operationId: 'voidInvoice',
      summary: 'Void an invoice: nobody has to pay it',
    },
    async ({ call, path, body }) => {
      const { invoice, asked } = await act(call, path.id, body);
      return invoices.show(await invoiceActions.void(asked, invoice.id));
    },
  );
  route.post(
    '/:id/mark_uncollectible',
    {
      ...writes,
      operationId: 'markInvoiceUncollectible',
      summary: 'Record that an invoice will probably not be paid',
    },
    async ({ call, path, body }) => {
      const { invoice, asked } = await act(call, path.id, body);
      return invoices.show(await invoiceActions.markUncollectible(asked, invoice.id));
    },
  );
  route.post(
    '/:id/retry',
    {
      ...writes,
      operationId: 'retryInvoice',
      summary: 'Charge an issued invoice again; the answer names the charge, whose outcome follows',
    },
    async ({ call, path, body }) => {
      const { invoice, asked } = await act(call, path.id, body);
      assertIssued(invoice);
      await assertActive(directory, invoice);
      return invoices.show(await invoiceActions.pay(asked, invoice.id, {}));
    },
  );
  route.post(
    '/:id/retry_work',
    {
      ...writes,
      operationId: 'retryInvoiceWork',
      summary: 'Have a worker try at once what is due of an invoice and failed',
      body: AdminRetryWorkInput,
    },
    async ({ call, path, body }) => {
      const { invoice, asked } = await act(call, path.id, body);
      return invoices.show(await invoiceActions.retryWork(asked, invoice.id));
    },
  );
  return route.routes;
}

/** As for its keys and for workers: nothing is charged for an account that is suspended. */
async function assertActive(
  { accounts }: Pick<ManagementServices['directory'], 'accounts'>,
  { accountId }: Invoice,
): Promise<void> {
  const account = await accounts.find(accountId);
  if (account?.status === 'suspended') throw new PaymountError('account_disabled');
}

/** The merchant may still be changing a draft, which a payment would issue. */
function assertIssued({ id, status }: Invoice): void {
  if (status !== 'draft') return;
  const message = `Invoice ${id} is a draft; only an invoice that is open or uncollectible is charged again.`;
  throw new PaymountError('status_transition_invalid', message);
}
