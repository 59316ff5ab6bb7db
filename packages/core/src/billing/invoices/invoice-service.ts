import { applyIn } from '../../changes/commit.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import { newId, parseId } from '../../kernel/basics/id.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import { makerOf } from '../../kernel/callers/maker.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { idsAmong, missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { assertInForce } from '../../kernel/input/currency.ts';
import { mergeMetadata } from '../../kernel/input/metadata.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import { findLiveCustomer } from '../../payments/customers/live-customer.ts';
import { assertSteady, clockField, timeOf } from '../../payments/test-clocks/object-clock.ts';
import { findAttached } from './charge-invoice.ts';
import { findLiveInvoice, requireDraft } from './find-invoice.ts';
import {
  type DraftInvoice,
  deletedDraft,
  draftWithLines,
  type Invoice,
  type InvoiceEdit,
} from './invoice.ts';
import {
  BLANK_INVOICE,
  type InvoiceCreate,
  type InvoiceUpdate,
  mergeInvoice,
} from './invoice-input.ts';
import { assertBillable, type InvoiceLine, lineOf, MAX_ITEMS } from './invoice-lines.ts';
import type { InvoiceFilter } from './invoice-repository.ts';
import {
  type AddressOfInvoice,
  type InvoiceJson,
  toDeletedInvoiceResource,
  toInvoiceResource,
} from './invoice-resource.ts';
import { type InvoiceRepositories, type InvoiceStorage, invoiceUpdate } from './invoice-storage.ts';
import { pageOfLines } from './page-of-lines.ts';

/** After its creation, a draft with `auto_advance` can still be changed for so long. */
const DRAFT_MS = 60 * 60 * 1000;

export interface InvoicePorts {
  readonly storage: InvoiceStorage;
  readonly addressOfInvoice: AddressOfInvoice;
  readonly clock: Clock;
}

/** Of a list, as it was sent. */
export interface InvoiceListFilter extends Omit<InvoiceFilter, 'customerId' | 'subscriptionId'> {
  readonly customer?: string;
  readonly subscription?: string;
}

/** What customers owe an account. */
export class InvoiceService {
  readonly #ports: InvoicePorts;

  constructor(ports: InvoicePorts) {
    this.#ports = ports;
  }

  /**
   * Makes a draft, with what waits for the customer if the caller asks for it.
   * @throws PaymountError `resource_missing`, `parameter_missing`, `parameters_exclusive`,
   *   `parameter_invalid`, `invalid_currency`, `payment_method_unattached`, `amount_too_large`,
   *   `metadata_limit_exceeded`, `test_clock_advancing`
   */
  async create(call: Call, input: InvoiceCreate): Promise<Invoice> {
    const owner = ownerOf(call);
    const at = this.#ports.clock.now();
    const metadata = mergeMetadata({}, input.metadata);
    return this.#ports.storage.transaction(async (rows) => {
      const customer = await findLiveCustomer(rows, owner, input.customer, 'customer');
      assertSteady(customer);
      const created = timeOf(customer, at);
      const edit = mergeInvoice({ ...BLANK_INVOICE, metadata }, input, created);
      const of = { ...owner, customerId: customer.id };
      const takes = input.pending_invoice_items_behavior === 'include';
      const currency =
        input.currency ??
        (takes ? await rows.invoiceItems.oldestCurrency(owner, customer.id) : undefined);
      if (currency === undefined) {
        const message = 'Send currency, such as eur: no invoice item waits that would say it.';
        throw new PaymountError('parameter_missing', message, { param: 'currency' });
      }
      assertInForce(currency, at, 'currency');
      const blank: DraftInvoice = {
        ...owner,
        ...edit,
        defaultPaymentMethodId: await this.#method(rows, of, input, edit),
        id: newId('in'),
        version: 1,
        status: 'draft',
        customerId: customer.id,
        subscriptionId: null,
        periodIndex: null,
        billingReason: 'manual',
        currency,
        lines: [],
        total: 0,
        periodStart: created,
        periodEnd: created,
        attemptCount: 0,
        chargeId: null,
        isAbandoned: false,
        created,
        ...nextAction(edit, created),
        createdBy: makerOf(call),
        ...clockField(customer),
      };
      const waiting = { customerId: customer.id, currency };
      const items = takes ? await rows.invoiceItems.take(owner, waiting, blank.id, MAX_ITEMS) : [];
      const lines = items.map((item) => lineOf(item));
      assertBillable(lines, 'pending_invoice_items_behavior');
      const row = draftWithLines(blank, lines);
      await applyIn(rows, {
        ...owner,
        at,
        writes: [{ kind: 'invoice', mode: 'insert', row }],
        ...clockField(row),
        ...resourceFields(call, this.show(row)),
      });
      return row;
    });
  }

  /** An invoice as the API shows it. */
  show(invoice: Invoice): InvoiceJson {
    return toInvoiceResource(invoice, this.#ports.addressOfInvoice);
  }

  /** @throws PaymountError `resource_missing`, also for a deleted draft */
  async retrieve(call: Call, id: string): Promise<Invoice> {
    const { invoices } = this.#ports.storage.read;
    return findLiveInvoice((...of) => invoices.find(...of), ownerOf(call), id);
  }

  /** The invoices of `ids` that are not deleted, in no order; unknown ids are left out. One query. */
  async retrieveMany(call: Call, ids: readonly string[]): Promise<readonly Invoice[]> {
    const { invoices } = this.#ports.storage.read;
    const found = await invoices.findMany(ownerOf(call), idsAmong('in', ids));
    return found.filter(({ status }) => status !== 'deleted');
  }

  /** Newest first, without deleted drafts. @throws PaymountError `resource_missing`, `invalid_cursor` */
  async list(
    call: Call,
    { customer, subscription, ...rest }: InvoiceListFilter,
    page: PageRequest,
  ): Promise<Page<Invoice>> {
    const customerId = customer === undefined ? undefined : parseId('cus', customer);
    if (customer !== undefined && !customerId) throw missing('customer', customer, 'customer');
    const subscriptionId = subscription === undefined ? undefined : parseId('sub', subscription);
    if (subscription !== undefined && !subscriptionId) {
      throw missing('subscription', subscription, 'subscription');
    }
    const filter = {
      ...rest,
      ...(customerId && { customerId }),
      ...(subscriptionId && { subscriptionId }),
    };
    return this.#ports.storage.read.invoices.list(ownerOf(call), filter, page);
  }

  /** A page of the lines of an invoice, in their order. @throws PaymountError `resource_missing`, `invalid_cursor` */
  async listLines(
    call: Call,
    id: string,
    page: PageRequest,
  ): Promise<Page<InvoiceLine> & { readonly invoice: Invoice }> {
    const invoice = await this.retrieve(call, id);
    return { ...pageOfLines(invoice.lines, page), invoice };
  }

  /**
   * Changes a draft. Of an issued invoice only metadata change.
   * @throws PaymountError `resource_missing`, `invoice_not_draft`, `parameters_exclusive`,
   *   `parameter_missing`, `parameter_invalid`, `payment_method_unattached`, `metadata_limit_exceeded`
   */
  async update(call: Call, id: string, input: InvoiceUpdate): Promise<Invoice> {
    return this.#locked(call, id, async (rows, invoice, at) => {
      const { metadata: _, ...others } = input;
      if (Object.values(others).some((value) => value !== undefined)) requireDraft(invoice);
      const now = timeOf(invoice, at);
      const edit = mergeInvoice(invoice, input, now);
      if (invoice.status !== 'draft') return { ...invoice, metadata: edit.metadata };
      const defaultPaymentMethodId = await this.#method(rows, invoice, input, edit);
      const { nextActionAt: __, ...rest } = invoice;
      return { ...rest, ...edit, defaultPaymentMethodId, ...nextAction(edit, invoice.created) };
    });
  }

  /**
   * Deletes a draft. What waited for the customer waits again.
   * @throws PaymountError `resource_missing`, `invoice_not_draft`
   */
  async delete(call: Call, id: string): Promise<Invoice> {
    return this.#locked(call, id, async (rows, invoice, at) => {
      if (invoice.subscriptionId !== null) {
        const message = `Invoice ${invoice.id} is of a subscription; finalize it and void it instead.`;
        throw new PaymountError('status_transition_invalid', message);
      }
      const gone = deletedDraft(requireDraft(invoice), timeOf(invoice, at));
      await rows.invoiceItems.release(invoice, invoice.id);
      return gone;
    });
  }

  async #locked(
    call: Call,
    id: string,
    toNext: (rows: InvoiceRepositories, invoice: Invoice, at: Date) => Promise<Invoice>,
  ): Promise<Invoice> {
    const owner = ownerOf(call);
    const at = this.#ports.clock.now();
    return this.#ports.storage.transaction(async (rows) => {
      const find = rows.invoices.findForUpdate.bind(rows.invoices);
      const invoice = await findLiveInvoice(find, owner, id);
      assertSteady(invoice);
      const write = invoiceUpdate(invoice, await toNext(rows, invoice, at));
      const { row } = write;
      const answer = row.status === 'deleted' ? toDeletedInvoiceResource(row) : this.show(row);
      await applyIn(rows, {
        ...owner,
        at,
        writes: [write],
        ...clockField(row),
        ...resourceFields(call, answer),
      });
      return row;
    });
  }

  /** An empty text removes the payment method. */
  async #method(
    rows: InvoiceRepositories,
    of: Owner & Pick<Invoice, 'customerId'>,
    { default_payment_method: name }: InvoiceUpdate,
    { defaultPaymentMethodId: stored }: InvoiceEdit,
  ): Promise<InvoiceEdit['defaultPaymentMethodId']> {
    if (name === undefined) return stored;
    if (name === '') return null;
    return (await findAttached(rows, of, { name, param: 'default_payment_method' })).id;
  }
}

function nextAction(
  { autoAdvance }: Pick<InvoiceEdit, 'autoAdvance'>,
  created: Date,
): Pick<Invoice, 'nextActionAt'> {
  return autoAdvance ? { nextActionAt: new Date(created.getTime() + DRAFT_MS) } : {};
}
