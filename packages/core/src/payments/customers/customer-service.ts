import { commit } from '../../changes/commit.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import { newId } from '../../kernel/basics/id.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow, idsAmong } from '../../kernel/errors/missing.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import type { PaymentWrite } from '../payment-change.ts';
import type { PaymentStorage } from '../payment-storage.ts';
import { BLANK_CUSTOMER, type Customer, deleted } from './customer.ts';
import { type CustomerCreate, type CustomerUpdate, mergeCustomer } from './customer-input.ts';
import type { CustomerFilter } from './customer-repository.ts';
import { toCustomerResource, toDeletedCustomerResource } from './customer-resource.ts';

const NAME = { noun: 'customer', prefix: 'cus' } as const;

export interface CustomerPorts {
  readonly storage: PaymentStorage;
  readonly clock: Clock;
}

/** The people whom an account charges. */
export class CustomerService {
  readonly #ports: CustomerPorts;

  constructor(ports: CustomerPorts) {
    this.#ports = ports;
  }

  /** @throws PaymountError `metadata_limit_exceeded` */
  async create(call: Call, input: CustomerCreate): Promise<Customer> {
    return commit(this.#ports.storage.changes, async () => {
      const row: Customer = {
        ...ownerOf(call),
        ...mergeCustomer(BLANK_CUSTOMER, input),
        id: newId('cus'),
        version: 1,
        defaultPaymentMethodId: null,
        created: this.#ports.clock.now(),
      };
      return this.#change(call, { kind: 'customer', mode: 'insert', row });
    });
  }

  /** A deleted one too: its `deletedAt` is set. @throws PaymountError `resource_missing` */
  async retrieve(call: Call, id: string): Promise<Customer> {
    const { customers } = this.#ports.storage.read;
    return findOrThrow(NAME, id, (customerId) => customers.find(ownerOf(call), customerId));
  }

  /** The customers of `ids`, deleted ones too, in no order; unknown ids are left out. One query. */
  async retrieveMany(call: Call, ids: readonly string[]): Promise<readonly Customer[]> {
    return this.#ports.storage.read.customers.findMany(ownerOf(call), idsAmong('cus', ids));
  }

  /** Newest first, without deleted ones. @throws PaymountError `invalid_cursor` */
  async list(call: Call, filter: CustomerFilter, page: PageRequest): Promise<Page<Customer>> {
    return this.#ports.storage.read.customers.list(ownerOf(call), filter, page);
  }

  /** @throws PaymountError `resource_missing`, also for a deleted one, `metadata_limit_exceeded` */
  async update(call: Call, id: string, input: CustomerUpdate): Promise<Customer> {
    return commit(this.#ports.storage.changes, async () => {
      const customer = await this.#findLive(call, id);
      const edit = mergeCustomer(customer, input);
      const row = { ...customer, ...edit, version: customer.version + 1 };
      return this.#change(call, { kind: 'customer', mode: 'update', row });
    });
  }

  /**
   * Removes the facts about a person, for good; the id stays, because charges refer to it.
   * @throws PaymountError `resource_missing`, also for a deleted one
   */
  async delete(call: Call, id: string): Promise<Customer> {
    return commit(this.#ports.storage.changes, async () => {
      const row = deleted(await this.#findLive(call, id), this.#ports.clock.now());
      return this.#change(call, { kind: 'customer', mode: 'update', row });
    });
  }

  async #findLive(call: Call, id: string): Promise<Customer> {
    const { customers } = this.#ports.storage.read;
    return findOrThrow(NAME, id, async (customerId) => {
      const found = await customers.find(ownerOf(call), customerId);
      return found?.deletedAt === undefined ? found : undefined;
    });
  }

  #change(call: Call, write: Extract<PaymentWrite, { kind: 'customer' }>) {
    const { row } = write;
    const answer =
      row.deletedAt === undefined ? toCustomerResource(row) : toDeletedCustomerResource(row);
    const change = {
      ...ownerOf(call),
      at: this.#ports.clock.now(),
      writes: [write],
      ...resourceFields(call, answer),
    };
    return { change, result: row };
  }
}
