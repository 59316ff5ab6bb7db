import { applyIn } from '../../changes/commit.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { CustomerId } from '../../kernel/basics/id.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import { makerOf } from '../../kernel/callers/maker.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow } from '../../kernel/errors/missing.ts';
import { mergeMetadata } from '../../kernel/input/metadata.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import { mergedText } from '../../payments/contacts/contact-input.ts';
import type {
  BalanceTransactionEdit,
  CustomerBalanceTransaction,
} from '../../payments/customers/customer-balance.ts';
import type { CustomerBalanceFilter } from '../../payments/customers/customer-repository.ts';
import { findLiveCustomer } from '../../payments/customers/live-customer.ts';
import { assertSteady } from '../../payments/test-clocks/object-clock.ts';
import type { BalanceTransactionCreate, BalanceTransactionUpdate } from './balance-input.ts';
import { toCustomerBalanceTransactionResource } from './balance-resource.ts';
import type { BalanceChange, BalanceStorage } from './balance-storage.ts';
import { moveHeldBalance } from './move-held-balance.ts';

const NAME = { noun: 'customer balance transaction', prefix: 'cbtxn' } as const;
const BLANK: BalanceTransactionEdit = { description: null, metadata: {} };

export interface BalancePorts {
  readonly storage: BalanceStorage;
  readonly clock: Clock;
}

/** What customers owe before an invoice says so, and the credit that they have. */
export class CustomerBalanceService {
  readonly #ports: BalancePorts;

  constructor(ports: BalancePorts) {
    this.#ports = ports;
  }

  /**
   * Adjusts the balance of a customer. Of adjustments at once, each takes its turn.
   * @param id the customer
   * @throws PaymountError `resource_missing`, also for a deleted customer, `metadata_limit_exceeded`,
   *   `customer_balance_limit_exceeded`, `test_clock_advancing`; `invalid_currency` if it is not in force
   *   and the customer has no balance in it
   */
  async create(
    call: Call,
    id: string,
    { amount, currency, ...input }: BalanceTransactionCreate,
  ): Promise<CustomerBalanceTransaction> {
    const at = this.#ports.clock.now();
    const edit = mergeEdit(BLANK, input);
    return this.#ports.storage.transaction(async (rows) => {
      const find = rows.customers.findForUpdate.bind(rows.customers);
      const customer = await findLiveCustomer({ customers: { find } }, ownerOf(call), id);
      assertSteady(customer);
      const createdBy = makerOf(call);
      const move = { ...edit, amount, currency, type: 'adjustment', createdBy } as const;
      const { transaction, writes } = await moveHeldBalance(rows, customer, move, at);
      await applyIn(rows, this.#change(call, transaction, writes));
      return transaction;
    });
  }

  /**
   * Of a deleted customer too: the amounts stay.
   * @param customer the id of the customer, as it was sent
   * @throws PaymountError `resource_missing`, also if it is of another customer
   */
  async retrieve(call: Call, customer: string, id: string): Promise<CustomerBalanceTransaction> {
    const { customerBalances } = this.#ports.storage.read;
    const owner = ownerOf(call);
    const customerId = await this.#findAny(call, customer);
    return findOrThrow(NAME, id, (known) => customerBalances.find(owner, customerId, known));
  }

  /**
   * Newest first; of a deleted customer too.
   * @param customer the id of the customer, as it was sent
   * @throws PaymountError `resource_missing`, `invalid_cursor`
   */
  async list(
    call: Call,
    customer: string,
    filter: CustomerBalanceFilter,
    page: PageRequest,
  ): Promise<Page<CustomerBalanceTransaction>> {
    const customerId = await this.#findAny(call, customer);
    return this.#ports.storage.read.customerBalances.list(ownerOf(call), customerId, filter, page);
  }

  /**
   * Changes the description and the metadata; amounts never change. Of a deleted customer too, so that
   * what they say about a person can be removed.
   * @param customer the id of the customer, as it was sent
   * @throws PaymountError `resource_missing`, `metadata_limit_exceeded`
   */
  async update(
    call: Call,
    customer: string,
    id: string,
    input: BalanceTransactionUpdate,
  ): Promise<CustomerBalanceTransaction> {
    const owner = ownerOf(call);
    const customerId = await this.#findAny(call, customer);
    return this.#ports.storage.transaction(async (rows) => {
      const found = await findOrThrow(NAME, id, (known) =>
        rows.customerBalances.findForUpdate(owner, customerId, known),
      );
      const row = { ...found, ...mergeEdit(found, input), version: found.version + 1 };
      const write = { kind: 'customer_balance_transaction', mode: 'update', row } as const;
      await applyIn(rows, this.#change(call, row, [write]));
      return row;
    });
  }

  async #findAny(call: Call, name: string): Promise<CustomerId> {
    const { customers } = this.#ports.storage.read;
    const asked = { noun: 'customer', prefix: 'cus' } as const;
    return (await findOrThrow(asked, name, (id) => customers.find(ownerOf(call), id))).id;
  }

  #change(
    call: Call,
    transaction: CustomerBalanceTransaction,
    writes: BalanceChange['writes'],
  ): BalanceChange {
    return {
      ...ownerOf(call),
      at: this.#ports.clock.now(),
      writes,
      ...resourceFields(call, toCustomerBalanceTransactionResource(transaction)),
    };
  }
}

function mergeEdit(
  stored: BalanceTransactionEdit,
  input: BalanceTransactionUpdate,
): BalanceTransactionEdit {
  return {
    description: mergedText(stored.description, input.description),
    metadata: mergeMetadata(stored.metadata, input.metadata),
  };
}
