import { commit } from '../../changes/commit.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import { newId, parseId } from '../../kernel/basics/id.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import { makerOf } from '../../kernel/callers/maker.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow, idsAmong, missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import { findMethod } from '../payment-methods/find-method.ts';
import { assertNotBlocked, unusable } from '../payment-methods/payment-method.ts';
import { placeOn } from '../test-clocks/find-clock.ts';
import { clockField, timeOf } from '../test-clocks/object-clock.ts';
import { type AttachmentPorts, isAttachedTo } from './attachment-service.ts';
import { BLANK_CUSTOMER, type Customer, deleted, NO_BALANCE, touched } from './customer.ts';
import { type CustomerCreate, type CustomerUpdate, mergeCustomer } from './customer-input.ts';
import type { CustomerFilter } from './customer-repository.ts';
import { toCustomerResource, toDeletedCustomerResource } from './customer-resource.ts';
import type { CustomerChange, CustomerWrite } from './customer-storage.ts';
import { findLiveCustomer } from './live-customer.ts';
import { setBalance } from './set-balance.ts';

const DEFAULT_METHOD = 'invoice_settings[default_payment_method]';

/** The people whom an account charges. */
export class CustomerService {
  readonly #ports: AttachmentPorts;

  constructor(ports: AttachmentPorts) {
    this.#ports = ports;
  }

  /**
   * Creates a customer, with its first payment method if one is named.
   * @throws PaymountError `metadata_limit_exceeded`, `resource_missing`, `token_already_used`,
   *   `payment_method_unusable`, `payment_method_unattached`, `processor_error`,
   *   `test_clock_advancing`, `test_clock_full`, `invalid_currency` for a balance in one that is not
   *   in force
   */
  async create(call: Call, input: CustomerCreate): Promise<Customer> {
    const { storage, clock } = this.#ports;
    return commit(storage.changes, async () => {
      const at = clock.now();
      const on = await placeOn(storage.read, ownerOf(call), input.test_clock);
      const blank: Customer = {
        ...ownerOf(call),
        ...NO_BALANCE,
        ...mergeCustomer(BLANK_CUSTOMER, input),
        id: newId('cus'),
        version: 1,
        defaultPaymentMethodId: null,
        created: timeOf(on, at),
        ...clockField(on),
      };
      const first = await this.#firstMethod(blank, input.payment_method, at);
      const name = input.invoice_settings?.default_payment_method;
      const isFirst = name === input.payment_method || name === first?.id;
      if (name && !isFirst) await this.#nextDefault(blank, name);
      const payer = name && first ? { ...blank, defaultPaymentMethodId: first.id } : blank;
      const { row, writes } = await this.#withBalance(call, payer, input.balance);
      // The payment method and the balance refer to the customer.
      return this.#change(call, row, [
        ...on.writes,
        { kind: 'customer', mode: 'insert', row },
        ...(first?.writes ?? []),
        ...writes,
      ]);
    });
  }

  /** A deleted one too: its `deletedAt` is set. @throws PaymountError `resource_missing` */
  async retrieve(call: Call, id: string): Promise<Customer> {
    const { customers } = this.#ports.storage.read;
    return findOrThrow({ noun: 'customer', prefix: 'cus' }, id, (customerId) =>
      customers.find(ownerOf(call), customerId),
    );
  }

  /** The customers of `ids`, deleted ones too, in no order; unknown ids are left out. One query. */
  async retrieveMany(call: Call, ids: readonly string[]): Promise<readonly Customer[]> {
    return this.#ports.storage.read.customers.findMany(ownerOf(call), idsAmong('cus', ids));
  }

  /** Newest first, without deleted ones. @throws PaymountError `invalid_cursor` */
  async list(call: Call, filter: CustomerFilter, page: PageRequest): Promise<Page<Customer>> {
    return this.#ports.storage.read.customers.list(ownerOf(call), filter, page);
  }

  /**
   * @throws PaymountError `resource_missing`, also for a deleted one, `metadata_limit_exceeded`,
   *   `payment_method_unattached` for a default that is not attached to the customer;
   *   `invalid_currency`, `test_clock_advancing` for a new balance
   */
  async update(call: Call, id: string, input: CustomerUpdate): Promise<Customer> {
    const { storage } = this.#ports;
    return commit(storage.changes, async () => {
      const customer = await findLiveCustomer(storage.read, ownerOf(call), id);
      const name = input.invoice_settings?.default_payment_method;
      const edited = touched(customer, {
        ...mergeCustomer(customer, input),
        ...(name === undefined
          ? {}
          : { defaultPaymentMethodId: await this.#nextDefault(customer, name) }),
      });
      const { row, writes } = await this.#withBalance(call, edited, input.balance);
      return this.#change(call, row, [{ kind: 'customer', mode: 'update', row }, ...writes]);
    });
  }

  /**
   * Removes the facts about a person, for good, and detaches all payment methods. The id stays,
   * because charges refer to it.
   * @throws PaymountError `resource_missing`, also for a deleted one
   */
  async delete(call: Call, id: string): Promise<Customer> {
    const { storage, clock } = this.#ports;
    return commit(storage.changes, async () => {
      const customer = await findLiveCustomer(storage.read, ownerOf(call), id);
      const row = deleted(customer, clock.now());
      const writes = [{ kind: 'customer', mode: 'update', row }] as const;
      return this.#change(call, row, writes, { deletedCustomer: row.id });
    });
  }

  async #withBalance(
    call: Call,
    customer: Customer,
    balance: number | undefined,
  ): Promise<{ readonly row: Customer; readonly writes: readonly CustomerWrite[] }> {
    if (balance === undefined) return { row: customer, writes: [] };
    const { storage, clock } = this.#ports;
    return setBalance(storage.read, customer, balance, {
      at: clock.now(),
      createdBy: makerOf(call),
    });
  }

  async #firstMethod(customer: Customer, name: string | undefined, at: Date) {
    if (name === undefined) return undefined;
    const { storage } = this.#ports;
    const param = 'payment_method';
    const { accountId, environment } = customer;
    const found = await findMethod(
      { ...this.#ports, read: storage.read, host: storage.host },
      { name, param },
      { owner: { accountId, environment }, at },
      customer,
    );
    const { use } = found.method;
    if (use.state !== 'unattached') throw unusable({ ...found.method, use }, param);
    assertNotBlocked(found.method, param);
    const { method, writes } = found.writesFor({ state: 'attached', customerId: customer.id });
    return { id: method.id, writes };
  }

  /** An empty text removes the default. */
  async #nextDefault(
    customer: Customer,
    name: string,
  ): Promise<Customer['defaultPaymentMethodId']> {
    if (name === '') return null;
    const id = parseId('pm', name);
    const method = id && (await this.#ports.storage.read.paymentMethods.find(customer, id));
    if (method === undefined) throw missing('payment method', name, DEFAULT_METHOD);
    if (isAttachedTo(method, customer.id)) return method.id;
    throw new PaymountError(
      'payment_method_unattached',
      `Payment method ${method.id} is not attached to the customer; attach it first.`,
      { param: DEFAULT_METHOD },
    );
  }

  #change(
    call: Call,
    row: Customer,
    writes: CustomerChange['writes'],
    facts: Pick<CustomerChange, 'deletedCustomer'> = {},
  ) {
    const answer =
      row.deletedAt === undefined ? toCustomerResource(row) : toDeletedCustomerResource(row);
    const change: CustomerChange = {
      ...ownerOf(call),
      at: this.#ports.clock.now(),
      writes,
      ...facts,
      ...resourceFields(call, answer),
    };
    return { change, result: row };
  }
}
