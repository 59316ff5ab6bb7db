import {
  type DeletedInvoiceItemJson,
  type DeletedInvoiceJson,
  InvoiceCreateInput,
  InvoiceFinalizeInput,
  InvoiceItemCreateInput,
  type InvoiceItemJson,
  InvoiceItemUpdateInput,
  type InvoiceJson,
  type InvoiceLineJson,
  InvoicePayInput,
  InvoiceUpdateInput,
  toDeletedInvoiceItemResource,
  toDeletedInvoiceResource,
  toInvoiceItemResource,
} from '@paymount/core/billing';
import {
  InvoiceItemListQuery,
  InvoiceListQuery,
  type ListJson,
  ListQuery,
  listInvoiceItems,
  listInvoiceLines,
  listInvoices,
  Nothing,
} from '@paymount/http';
import { requireProcessor } from '../parts/missing-processor.ts';
import type { ServicePorts, Services } from '../parts/services.ts';
import { type Acting, toCall } from './acting.ts';
import { type HostCalls, reading } from './host-calls.ts';
import type {
  InvoiceCreateParams,
  InvoiceFinalizeParams,
  InvoiceItemCreateParams,
  InvoiceItemListParams,
  InvoiceItemUpdateParams,
  InvoiceListParams,
  InvoicePayParams,
  InvoiceUpdateParams,
  ListParams,
} from './params.ts';

const INVOICES = '/v1/invoices';
const ITEMS = '/v1/invoiceitems';

/** The host's calls on invoices. */
export interface HostInvoices {
  /** A draft. */
  create(acting: Acting, input: InvoiceCreateParams): Promise<InvoiceJson>;
  retrieve(acting: Acting, id: string): Promise<InvoiceJson>;
  /** Newest first, without deleted drafts. */
  list(acting: Acting, query?: InvoiceListParams): Promise<ListJson<InvoiceJson>>;
  /** Of an issued invoice, only the metadata. */
  update(acting: Acting, id: string, input: InvoiceUpdateParams): Promise<InvoiceJson>;
  /** Only a draft. */
  delete(acting: Acting, id: string): Promise<DeletedInvoiceJson>;
  /** In their order. */
  listLines(acting: Acting, id: string, query?: ListParams): Promise<ListJson<InvoiceLineJson>>;
  finalize(acting: Acting, id: string, input?: InvoiceFinalizeParams): Promise<InvoiceJson>;
  pay(acting: Acting, id: string, input?: InvoicePayParams): Promise<InvoiceJson>;
  /** An e-mail to the customer. */
  send(acting: Acting, id: string): Promise<InvoiceJson>;
  void(acting: Acting, id: string): Promise<InvoiceJson>;
  markUncollectible(acting: Acting, id: string): Promise<InvoiceJson>;
}

/** The host's calls on invoice items. */
export interface HostInvoiceItems {
  create(acting: Acting, input: InvoiceItemCreateParams): Promise<InvoiceItemJson>;
  retrieve(acting: Acting, id: string): Promise<InvoiceItemJson>;
  /** Newest first, without deleted ones. */
  list(acting: Acting, query?: InvoiceItemListParams): Promise<ListJson<InvoiceItemJson>>;
  update(acting: Acting, id: string, input: InvoiceItemUpdateParams): Promise<InvoiceItemJson>;
  delete(acting: Acting, id: string): Promise<DeletedInvoiceItemJson>;
}

/** Invoices for the host's own code. */
export function invoicesFor(
  { invoices, invoiceActions: actions }: Services,
  calls: HostCalls,
  processors: ServicePorts['processors'],
): HostInvoices {
  const pathOf = (id: string, action?: string) =>
    action === undefined ? `${INVOICES}/${id}` : `${INVOICES}/${id}/${action}`;
  return {
    create: (acting, input) =>
      calls.change(
        acting,
        { path: INVOICES, read: reading(InvoiceCreateInput, input) },
        async (call, parameters) => invoices.show(await invoices.create(call, parameters)),
      ),
    retrieve: async (acting, id) => invoices.show(await invoices.retrieve(toCall(acting), id)),
    list: (acting, query = {}) =>
      calls.read(acting, reading(InvoiceListQuery, query), (call, parameters) =>
        listInvoices(invoices, call, parameters),
      ),
    update: (acting, id, input) =>
      calls.change(
        acting,
        { path: pathOf(id), read: reading(InvoiceUpdateInput, input) },
        async (call, parameters) => invoices.show(await invoices.update(call, id, parameters)),
      ),
    delete: (acting, id) => {
      const request = { method: 'DELETE', path: pathOf(id), read: reading(Nothing, {}) } as const;
      return calls.change(acting, request, async (call) =>
        toDeletedInvoiceResource(await invoices.delete(call, id)),
      );
    },
    listLines: (acting, id, query = {}) =>
      calls.read(acting, reading(ListQuery, query), (call, parameters) =>
        listInvoiceLines(invoices, call, id, parameters),
      ),
    finalize: (acting, id, input = {}) =>
      calls.change(
        acting,
        { path: pathOf(id, 'finalize'), read: reading(InvoiceFinalizeInput, input) },
        async (call, parameters) => invoices.show(await actions.finalize(call, id, parameters)),
      ),
    pay: (acting, id, input = {}) => {
      const read = reading(InvoicePayInput, input, (environment) =>
        requireProcessor(processors[environment]),
      );
      return calls.change(acting, { path: pathOf(id, 'pay'), read }, async (call, parameters) =>
        invoices.show(await actions.pay(call, id, parameters)),
      );
    },
    send: (acting, id) =>
      calls.change(acting, { path: pathOf(id, 'send'), read: reading(Nothing, {}) }, async (call) =>
        invoices.show(await actions.send(call, id)),
      ),
    void: (acting, id) =>
      calls.change(acting, { path: pathOf(id, 'void'), read: reading(Nothing, {}) }, async (call) =>
        invoices.show(await actions.void(call, id)),
      ),
    markUncollectible: (acting, id) =>
      calls.change(
        acting,
        { path: pathOf(id, 'mark_uncollectible'), read: reading(Nothing, {}) },
        async (call) => invoices.show(await actions.markUncollectible(call, id)),
      ),
  };
}

/** Invoice items for the host's own code. */
export function invoiceItemsFor({ invoiceItems }: Services, calls: HostCalls): HostInvoiceItems {
  return {
    create: (acting, input) =>
      calls.change(
        acting,
        { path: ITEMS, read: reading(InvoiceItemCreateInput, input) },
        async (call, parameters) =>
          toInvoiceItemResource(await invoiceItems.create(call, parameters)),
      ),
    retrieve: async (acting, id) =>
      toInvoiceItemResource(await invoiceItems.retrieve(toCall(acting), id)),
    list: (acting, query = {}) =>
      calls.read(acting, reading(InvoiceItemListQuery, query), (call, parameters) =>
        listInvoiceItems(invoiceItems, call, parameters),
      ),
    update: (acting, id, input) =>
      calls.change(
        acting,
        { path: `${ITEMS}/${id}`, read: reading(InvoiceItemUpdateInput, input) },
        async (call, parameters) =>
          toInvoiceItemResource(await invoiceItems.update(call, id, parameters)),
      ),
    delete: (acting, id) => {
      const path = `${ITEMS}/${id}`;
      const request = { method: 'DELETE', path, read: reading(Nothing, {}) } as const;
      return calls.change(acting, request, async (call) =>
        toDeletedInvoiceItemResource(await invoiceItems.delete(call, id)),
      );
    },
  };
}
