import type { Owner } from '../../kernel/basics/environment.ts';
import { type ChargeId, type CustomerId, parseId } from '../../kernel/basics/id.ts';
import { missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { CustomerReader } from '../customers/customer-repository.ts';
import {
  findMethod,
  type MethodSources,
  type NamedMethod,
} from '../payment-methods/find-method.ts';
import { type PaymentMethod, unusable } from '../payment-methods/payment-method.ts';
import type { PaymentMethodWrite } from '../payment-methods/payment-method-storage.ts';
import { assertSteady, type ObjectClock } from '../test-clocks/object-clock.ts';
import type { ChargeCreate } from './charge-input.ts';
import type { ChargeChange, ChargeReaders } from './charge-storage.ts';

/** The payment method of a charge, whose customer pays, and what the change of its intent needs. */
export interface Funding {
  readonly method: PaymentMethod;
  readonly customerId: CustomerId | null;
  /** That of the customer, if it has one. */
  readonly clock?: ObjectClock;
  readonly writes: readonly PaymentMethodWrite[];
  /** Checked at the commit, because the payment method may be detached until then. */
  readonly attached?: NonNullable<ChargeChange['attached']>;
}

interface FundingSources extends MethodSources {
  readonly read: Omit<ChargeReaders, 'charges'>;
}

/**
 * Finds what pays a charge: the payment method or token that the caller named, or the default
 * payment method of the customer. An unattached payment method pays one charge; an attached one
 * pays those of its customer.
 * @throws PaymountError `parameters_exclusive`, `parameter_missing`, `resource_missing`,
 *   `payment_method_unattached`, `payment_method_unusable`, `token_already_used`,
 *   `test_clock_advancing`, `processor_error`
 */
export async function findFunding(
  sources: FundingSources,
  input: Pick<ChargeCreate, 'payment_method' | 'source' | 'customer'>,
  charge: { readonly owner: Owner; readonly id: ChargeId; readonly at: Date },
): Promise<Funding> {
  const named = toNamed(input);
  const customer = await findCustomer(sources.read, input.customer, charge.owner);
  const { method, writesFor } = await findMethod(
    sources,
    named ?? { name: requireDefault(customer), param: 'customer' },
    charge,
  );
  const { use } = method;
  switch (use.state) {
    case 'attached':
      if (customer && customer.id !== use.customerId) throw unattached(method, customer.id);
      assertSteady(method);
      return {
        method,
        customerId: use.customerId,
        ...(method.clock && { clock: method.clock }),
        writes: [],
        attached: { methodId: method.id, customerId: use.customerId },
      };
    case 'unattached':
      if (customer) throw unattached(method, customer.id);
      return { ...writesFor({ state: 'spent', chargeId: charge.id }), customerId: null };
    case 'spent':
    case 'detached':
    case 'erased':
      throw unusable({ ...method, use }, named?.param ?? 'customer');
  }
}

function toNamed({
  payment_method: method,
  source,
}: Pick<ChargeCreate, 'payment_method' | 'source'>): NamedMethod | undefined {
  if (method !== undefined && source !== undefined) {
    throw new PaymountError(
      'parameters_exclusive',
      'Send either payment_method or source, not both.',
      { param: 'source' },
    );
  }
  if (method !== undefined) return { name: method, param: 'payment_method' };
  return source === undefined ? undefined : { name: source, param: 'source' };
}

interface Payer {
  readonly id: CustomerId;
  readonly defaultPaymentMethodId: PaymentMethod['id'] | null;
}

async function findCustomer(
  { customers }: { readonly customers: CustomerReader },
  name: string | undefined,
  owner: Owner,
): Promise<Payer | undefined> {
  if (name === undefined) return undefined;
  const id = parseId('cus', name);
  const found = id && (await customers.find(owner, id));
  if (found === undefined || found.deletedAt !== undefined) {
    throw missing('customer', name, 'customer');
  }
  return found;
}

function requireDefault(customer: Payer | undefined): string {
  if (customer === undefined) {
    throw new PaymountError(
      'parameter_missing',
      'A charge needs payment_method (a pm_ id), source (a tok_ id), or a customer with a default payment method.',
      { param: 'payment_method' },
    );
  }
  if (customer.defaultPaymentMethodId !== null) return customer.defaultPaymentMethodId;
  throw new PaymountError(
    'parameter_missing',
    `Customer ${customer.id} has no default payment method. Send payment_method, or set invoice_settings[default_payment_method] of the customer.`,
    { param: 'payment_method' },
  );
}

function unattached({ id }: PaymentMethod, customerId: CustomerId): PaymountError {
  return new PaymountError(
    'payment_method_unattached',
    `Payment method ${id} is not attached to customer ${customerId}.`,
    { param: 'customer' },
  );
}
