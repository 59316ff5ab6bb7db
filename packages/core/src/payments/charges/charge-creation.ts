import type { Owner } from '../../kernel/basics/environment.ts';
import type { ChargeId, InvoiceId } from '../../kernel/basics/id.ts';
import type { Maker } from '../../kernel/callers/maker.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { assertInForce } from '../../kernel/input/currency.ts';
import { mergeMetadata } from '../../kernel/input/metadata.ts';
import { merged, mergedText, toShipping } from '../contacts/contact-input.ts';
import {
  assertNotBlocked,
  type MethodDetails,
  type PaymentMethod,
} from '../payment-methods/payment-method.ts';
import { assertCan, assertTakes } from '../processor/assert-can.ts';
import type { Processor } from '../processor/processor.ts';
import { timeOf } from '../test-clocks/object-clock.ts';
import type { Charge } from './charge.ts';
import { type ChargeEdit, edited } from './charge.ts';
import type { ChargeCreate, ChargeUpdate } from './charge-input.ts';
import type { Funding } from './funding.ts';

/**
 * Refuses a bank debit that no bank would execute: in another currency than dollars, captured later,
 * without a mandate, or of a blocked bank account.
 * @throws PaymountError `operation_not_supported`, `invalid_currency`, `mandate_required`,
 *   `payment_method_unusable`
 */
export function assertDebitable(
  processor: Processor,
  input: ChargeCreate,
  method: PaymentMethod,
): void {
  if (method.type === 'card') return;
  const param = toMethodParam(input);
  assertTakes(processor, method.type, param);
  if (input.currency !== 'usd') {
    const message = `A bank account in the US is debited in usd; not in ${input.currency}.`;
    throw new PaymountError('invalid_currency', message, { param: 'currency' });
  }
  if (!input.capture) {
    const message = 'A bank debit cannot be authorized first and captured later.';
    throw new PaymountError('operation_not_supported', message, { param: 'capture' });
  }
  assertNotBlocked(method, param);
  if (method.mandate === undefined) {
    const message = `Payment method ${method.id} has no mandate. Create one with mandate_data.`;
    throw new PaymountError('mandate_required', message, { param });
  }
}

function toMethodParam(input: Pick<ChargeCreate, 'payment_method' | 'source'>): string {
  if (input.payment_method !== undefined) return 'payment_method';
  return input.source === undefined ? 'customer' : 'source';
}

function toDetails(method: PaymentMethod): MethodDetails {
  return method.type === 'card'
    ? { type: method.type, card: method.card }
    : { type: method.type, usBankAccount: method.usBankAccount };
}

/**
 * Checks whether the processor can execute a new charge, and whether its currency is in force.
 * @throws PaymountError `operation_not_supported`, `invalid_currency`
 */
export function assertSupported(processor: Processor, input: ChargeCreate, at: Date): void {
  assertInForce(input.currency, at, 'currency');
  const { currencies } = processor.capabilities;
  if (!input.capture) assertCan(processor, 'authorize', 'capture');
  if (currencies !== undefined && !currencies.includes(input.currency)) {
    throw new PaymountError(
      'invalid_currency',
      `The processor takes ${currencies.join(', ')}; not ${input.currency}.`,
      { param: 'currency' },
    );
  }
}

/**
 * Refuses an action that the charge's processor does not support, and every action on a charge
 * whose processor is no longer configured.
 * @throws PaymountError `operation_not_supported`
 */
export function assertCanAct(
  processor: Processor,
  charge: Charge,
  use: 'capture' | 'capturePart' | 'cancel' | 'refund',
): void {
  if (processor.name !== charge.processorName) {
    throw new PaymountError(
      'operation_not_supported',
      `Charge ${charge.id} was made by the processor ${charge.processorName}, which is not configured.`,
    );
  }
  assertCan(processor, use, use === 'capturePart' ? 'amount' : undefined);
}

/** The charge of an intent: `pending`, version 1. */
export function newCharge(
  input: ChargeCreate,
  intent: {
    readonly owner: Owner;
    readonly id: ChargeId;
    readonly at: Date;
    readonly funding: Funding;
    readonly processor: Processor;
    readonly createdBy: Maker;
    /** What it pays. @defaultValue nothing that was invoiced */
    readonly invoiceId?: InvoiceId;
  },
): Charge {
  const { method, customerId, clock } = intent.funding;
  const { invoiceId } = intent;
  return {
    ...intent.owner,
    id: intent.id,
    version: 1,
    status: 'pending',
    amount: input.amount,
    currency: input.currency,
    captureMethod: input.capture ? 'automatic' : 'manual',
    offSession: input.off_session ?? false,
    amountRefunded: 0,
    customerId,
    paymentMethodId: method.id,
    method: toDetails(method),
    processorToken: method.processorToken,
    billingDetails: method.billingDetails,
    processorName: intent.processor.name,
    ...toChargeEdit(input, BLANK),
    created: timeOf(intent.funding, intent.at),
    createdBy: intent.createdBy,
    ...(clock === undefined ? {} : { clock }),
    ...(invoiceId === undefined ? {} : { invoiceId }),
  };
}

/** Applies the fields that a caller may change; an empty text removes the value. */
export function edit(charge: Charge, input: ChargeUpdate): Charge {
  return edited(charge, toChargeEdit(input, charge));
}

const BLANK: ChargeEdit = {
  description: null,
  statementDescriptor: null,
  receiptEmail: null,
  shipping: null,
  metadata: {},
};

function toChargeEdit(input: ChargeUpdate, stored: ChargeEdit): ChargeEdit {
  return {
    description: mergedText(stored.description, input.description),
    statementDescriptor: mergedText(stored.statementDescriptor, input.statement_descriptor),
    receiptEmail: mergedText(stored.receiptEmail, input.receipt_email),
    shipping: merged(stored.shipping, input.shipping, toShipping),
    metadata: mergeMetadata(stored.metadata, input.metadata),
  };
}
