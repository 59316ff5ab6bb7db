import { commit } from '../../changes/commit.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import { type CustomerId, parseId } from '../../kernel/basics/id.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow, missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import { findMethod } from '../payment-methods/find-method.ts';
import {
  assertNotBlocked,
  detached,
  type PaymentMethod,
  unusable,
} from '../payment-methods/payment-method.ts';
import type { PaymentMethodFilter } from '../payment-methods/payment-method-repository.ts';
import { toPaymentMethodResource } from '../payment-methods/payment-method-resource.ts';
import type { TokenizePorts } from '../payment-methods/tokenize-method.ts';
import { assertSteady } from '../test-clocks/object-clock.ts';
import { type Customer, touched } from './customer.ts';
import type { CustomerChange, CustomerStorage, CustomerWrite } from './customer-storage.ts';
import { findLiveCustomer } from './live-customer.ts';

/** So that a customer can always be deleted in one statement, with all payment methods. */
const MAX_ATTACHED = 100;

const NAME = { noun: 'payment method', prefix: 'pm' } as const;

export interface AttachmentPorts extends TokenizePorts {
  readonly storage: CustomerStorage;
  readonly clock: Clock;
}

/**
 * The payment methods of customers. Every change also gives the customer a new version, so that of
 * an attachment, a detachment, a new default and a deletion at once each sees the others.
 */
export class AttachmentService {
  readonly #ports: AttachmentPorts;

  constructor(ports: AttachmentPorts) {
    this.#ports = ports;
  }

  /**
   * Attaches a payment method to a customer; in test mode also a name that the processor knows,
   * such as `pm_card_visa`. If it is attached to this customer already, nothing changes.
   * @throws PaymountError `resource_missing`, `payment_method_unusable`,
   *   `payment_method_limit_reached`, `test_clock_advancing`, `processor_error`
   */
  async attach(
    call: Call,
    id: string,
    { customer: name }: { readonly customer: string },
  ): Promise<PaymentMethod> {
    const { storage, clock } = this.#ports;
    const owner = ownerOf(call);
    return commit(storage.changes, async () => {
      const at = clock.now();
      // What the path names is looked up before what the parameters name.
      const methodId = parseId('pm', id);
      if (methodId && !(await storage.read.paymentMethods.find(owner, methodId))) {
        throw missing('payment method', id);
      }
      const customer = await findLiveCustomer(storage.read, owner, name, 'customer');
      const sources = { ...this.#ports, read: storage.read, host: storage.host };
      const found = await findMethod(sources, { name: id }, { owner, at }, customer);
      assertSteady(customer);
      const { use } = found.method;
      if (use.state === 'attached' && use.customerId === customer.id) {
        return this.#change(call, found.method, []);
      }
      if (use.state !== 'unattached') throw unusable({ ...found.method, use });
      assertNotBlocked(found.method);
      const count = await storage.read.paymentMethods.countAttached(owner, customer.id);
      if (count >= MAX_ATTACHED) throw new PaymountError('payment_method_limit_reached');
      const next = found.writesFor({ state: 'attached', customerId: customer.id });
      return this.#change(call, next.method, [updated(touched(customer)), ...next.writes]);
    });
  }

  /**
   * Detaches a payment method, for good, and removes what it says about a person. If it was the default
   * of its customer, the customer has none then.
   * @throws PaymountError `resource_missing`, `payment_method_unattached`
   */
  async detach(call: Call, id: string): Promise<PaymentMethod> {
    const { storage, clock } = this.#ports;
    const owner = ownerOf(call);
    return commit(storage.changes, async () => {
      const method = await findOrThrow(NAME, id, (methodId) =>
        storage.read.paymentMethods.find(owner, methodId),
      );
      if (method.use.state !== 'attached') {
        const message = `Payment method ${method.id} is not attached to a customer.`;
        throw new PaymountError('payment_method_unattached', message);
      }
      const { customerId } = method.use;
      const customer = await storage.read.customers.find(owner, customerId);
      if (customer === undefined) throw new Error(`Customer ${customerId} does not exist.`);
      const isDefault = customer.defaultPaymentMethodId === method.id;
      const row = detached(method, clock.now());
      return this.#change(call, row, [
        updated(touched(customer, isDefault ? { defaultPaymentMethodId: null } : {})),
        { kind: 'payment_method', mode: 'update', row },
      ]);
    });
  }

  /**
   * The payment methods that are attached to a customer, newest first.
   * @param param the parameter that named the customer; absent: the id in the path
   * @throws PaymountError `resource_missing`, `invalid_cursor`
   */
  async list(
    call: Call,
    { customer: name, param }: { readonly customer: string; readonly param?: string },
    filter: PaymentMethodFilter,
    page: PageRequest,
  ): Promise<Page<PaymentMethod>> {
    const { read } = this.#ports.storage;
    const { id } = await findLiveCustomer(read, ownerOf(call), name, param);
    return read.paymentMethods.listAttached(ownerOf(call), id, filter, page);
  }

  /** @throws PaymountError `resource_missing`, also if it is not attached to this customer */
  async retrieve(call: Call, customerName: string, id: string): Promise<PaymentMethod> {
    const { read } = this.#ports.storage;
    const customer = await findLiveCustomer(read, ownerOf(call), customerName);
    const method = await findOrThrow(NAME, id, (methodId) =>
      read.paymentMethods.find(ownerOf(call), methodId),
    );
    if (!isAttachedTo(method, customer.id)) throw missing(NAME.noun, id);
    return method;
  }

  #change(call: Call, method: PaymentMethod, writes: CustomerChange['writes']) {
    const change: CustomerChange = {
      ...ownerOf(call),
      at: this.#ports.clock.now(),
      writes,
      ...resourceFields(call, toPaymentMethodResource(method)),
    };
    return { change, result: method };
  }
}

/** Whether a customer's charges may use a payment method. */
export function isAttachedTo({ use }: PaymentMethod, customerId: CustomerId): boolean {
  return use.state === 'attached' && use.customerId === customerId;
}

function updated(row: Customer): CustomerWrite {
  return { kind: 'customer', mode: 'update', row };
}
