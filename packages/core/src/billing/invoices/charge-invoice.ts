import type { Environment, Owner } from '../../kernel/basics/environment.ts';
import { newId, type PaymentMethodId, parseId } from '../../kernel/basics/id.ts';
import type { Maker } from '../../kernel/callers/maker.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Charge } from '../../payments/charges/charge.ts';
import {
  assertDebitable,
  assertSupported,
  newCharge,
} from '../../payments/charges/charge-creation.ts';
import type { Operation } from '../../payments/operations/operation.ts';
import { newOperation } from '../../payments/operations/operation-states.ts';
import {
  type MethodDetails,
  type PaymentMethod,
  unusable,
} from '../../payments/payment-methods/payment-method.ts';
import type { PaymentMethodReader } from '../../payments/payment-methods/payment-method-repository.ts';
import type { Processor } from '../../payments/processor/processor.ts';
import { clockField } from '../../payments/test-clocks/object-clock.ts';
import type { Invoice, PayableInvoice } from './invoice.ts';
import { invoiceNumberText } from './invoice-resource.ts';
import type { InvoiceChange, InvoiceRepositories } from './invoice-storage.ts';

/** One attempt to charge an invoice. */
export interface Attempt {
  readonly call: Pick<Call, 'requestId' | 'claim'>;
  readonly createdBy: Maker;
  readonly at: Date;
  readonly processors: Readonly<Record<Environment, Processor>>;
  /** As it was sent. @defaultValue that of the invoice, of its owner, or of its customer */
  readonly paymentMethod?: string | undefined;
  /** What pays, as it was read in this transaction. @defaultValue it is read */
  readonly method?: PaymentMethod | undefined;
  /** What pays the invoices of its owner. @defaultValue the default of the customer */
  readonly ownerMethodId?: PaymentMethodId | null | undefined;
  /** Cards, as `cardKey` names them, that are not tried. @defaultValue none */
  readonly forbidden?: readonly string[] | undefined;
  readonly offSession: boolean;
  /** Sent after a host's commit instead of immediately. */
  readonly deferred: boolean;
  /** What the answer of the request shows. @defaultValue the invoice */
  readonly answers?: AnswerOf;
}

/** `subscription_or_error`: an error if the charge fails. */
export type AnswerOf =
  | 'subscription'
  | 'subscription_or_error'
  | 'last_item'
  | `item ${string}`
  | `deleted_item ${string}`;

/** The intent of an attempt: what is committed before anything is sent. */
export interface AttemptIntent extends Pick<InvoiceChange, 'attached' | 'clock'> {
  readonly charge: Charge;
  readonly operation: Operation;
}

type Rows = Pick<InvoiceRepositories, 'customers' | 'paymentMethods'>;

/**
 * Prepares the charge of an invoice, whose row is locked.
 * @throws PaymountError `payment_method_missing`, `resource_missing`, `payment_method_unattached`,
 *   `payment_method_unusable`, `operation_not_supported`, `invalid_currency`, `mandate_required`
 */
export async function prepareAttempt(
  rows: Rows,
  invoice: PayableInvoice,
  attempt: Attempt,
): Promise<AttemptIntent> {
  const { accountId, environment, currency, customerId } = invoice;
  const { call, at, offSession } = attempt;
  const owner = { accountId, environment };
  const processor = attempt.processors[environment];
  const method = await findInvoiceMethod(rows, invoice, attempt);
  const input = {
    amount: invoice.issue.amountDue,
    currency,
    capture: true,
    payment_method: method.id,
    off_session: offSession,
    description: `Invoice ${invoiceNumberText(invoice.issue.number)}`,
  };
  assertSupported(processor, input, at);
  assertDebitable(processor, input, method);
  const id = newId('ch');
  const attached = { methodId: method.id, customerId };
  const charge = newCharge(input, {
    owner,
    id,
    at,
    funding: { method, customerId, writes: [], attached, ...clockField(invoice) },
    processor,
    createdBy: attempt.createdBy,
    invoiceId: invoice.id,
  });
  const operation = newOperation({
    on: charge,
    owner,
    kind: 'authorize',
    subjectId: id,
    rootId: id,
    amount: input.amount,
    currency,
    processor: processor.name,
    call,
    at,
    deferred: attempt.deferred,
    ...(attempt.answers !== undefined && { answers: attempt.answers }),
  });
  return { charge, operation, attached, ...clockField(charge) };
}

/**
 * What pays an invoice: the payment method that was named, else the first that is attached of that of the
 * invoice, of its owner, and of the default of its customer. It must be attached to the customer.
 */
async function findInvoiceMethod(
  rows: Rows,
  invoice: Invoice,
  {
    paymentMethod: named,
    method,
    ownerMethodId,
    forbidden,
  }: Pick<Attempt, 'paymentMethod' | 'method' | 'ownerMethodId' | 'forbidden'>,
): Promise<PaymentMethod> {
  if (method !== undefined) return method;
  if (named !== undefined) {
    return findAttached(rows, invoice, { name: named, param: 'payment_method' });
  }
  const customer = await rows.customers.find(invoice, invoice.customerId);
  const own = invoice.defaultPaymentMethodId;
  const ids = [own, ownerMethodId, customer?.defaultPaymentMethodId].flatMap((id) => id ?? []);
  const [first] = ids;
  if (first === undefined) throw new PaymountError('payment_method_missing');
  const attached = await firstAttached(rows, invoice, ids, forbidden);
  if (attached !== undefined) return attached;
  const refused = await findAttached(rows, invoice, { name: first });
  if (isForbidden(refused, forbidden)) throw new PaymountError('payment_method_missing');
  return refused;
}

/**
 * The first of some payment methods that is attached to a customer; undefined: none is.
 * @param ids in the order in which they are tried; null: there is none at that place
 * @param forbidden cards that do not count
 */
export async function firstAttached(
  { paymentMethods }: { readonly paymentMethods: Pick<PaymentMethodReader, 'find'> },
  { accountId, environment, customerId }: Owner & Pick<Invoice, 'customerId'>,
  ids: readonly (PaymentMethodId | null | undefined)[],
  forbidden?: readonly string[],
): Promise<PaymentMethod | undefined> {
  for (const id of ids) {
    const method = id && (await paymentMethods.find({ accountId, environment }, id));
    if (method && isAttachedTo(method, customerId) && !isForbidden(method, forbidden))
      return method;
  }
  return undefined;
}

/**
 * Names a card: another number or another expiry date is another card, also of the same payment method.
 * @returns null for a method that is not a card
 */
export function cardKey(method: MethodDetails): string | null {
  if (method.type !== 'card') return null;
  const { fingerprint, last4, expYear, expMonth } = method.card;
  return `${fingerprint} ${last4} ${expYear}-${expMonth}`;
}

function isForbidden(method: MethodDetails, forbidden: readonly string[] = []): boolean {
  const key = cardKey(method);
  return key !== null && forbidden.includes(key);
}

function isAttachedTo({ use }: PaymentMethod, customerId: Invoice['customerId']): boolean {
  return use.state === 'attached' && use.customerId === customerId;
}

/**
 * A payment method that is attached to the customer of an invoice.
 * @param named `param`: the parameter that named it
 * @throws PaymountError `resource_missing`, `payment_method_unattached`, `payment_method_unusable`
 */
export async function findAttached(
  { paymentMethods }: Pick<InvoiceRepositories, 'paymentMethods'>,
  { accountId, environment, customerId }: Owner & Pick<Invoice, 'customerId'>,
  { name, param }: { readonly name: string; readonly param?: string },
): Promise<PaymentMethod> {
  const id = parseId('pm', name);
  const method = id && (await paymentMethods.find({ accountId, environment }, id));
  if (method === undefined) throw missing('payment method', name, param);
  if (isAttachedTo(method, customerId)) return method;
  const { use } = method;
  if (use.state !== 'attached' && use.state !== 'unattached')
    throw unusable({ ...method, use }, param);
  const message = `Payment method ${method.id} is not attached to customer ${customerId}.`;
  throw new PaymountError(
    'payment_method_unattached',
    message,
    param === undefined ? {} : { param },
  );
}
