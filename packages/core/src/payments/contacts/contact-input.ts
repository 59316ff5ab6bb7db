import { z } from 'zod';
import { AddressInput, EmailInput, text } from '../../kernel/input/input.ts';
import { toOneLine } from '../../kernel/input/one-line.ts';
import type { Address, BillingDetails, Shipping } from './contact.ts';

const UNSET = z.literal('');

/** A field that an empty text removes. */
export function unsettable<Schema extends z.ZodType>(schema: Schema) {
  return z.union([UNSET, schema]).optional();
}

export const ShippingInput = z
  .strictObject({
    name: text(200),
    phone: text(50).optional(),
    address: AddressInput,
  })
  .meta({ id: 'ShippingInput' });

export const BillingDetailsInput = z
  .strictObject({
    name: unsettable(text(200)),
    email: unsettable(EmailInput),
    phone: unsettable(text(50)),
    address: unsettable(AddressInput),
  })
  .meta({ id: 'BillingDetailsInput' });

/** The next value of a field that an empty text removes. */
export function merged<Value, Input = Value>(
  stored: Value | null,
  input: Input | '' | undefined,
  toValue: (input: Input) => Value,
): Value | null {
  if (input === undefined) return stored;
  return input === '' ? null : toValue(input);
}

/** As `merged`, for a text. */
export function mergedText(stored: string | null, input: string | undefined): string | null {
  return merged(stored, input, (text) => text);
}

/**
 * As `mergedText`, for what people read beside other text: it is put on one line. That is not done
 * by the schema, because an idempotency key is compared with what was sent.
 */
export function mergedLine(stored: string | null, input: string | undefined): string | null {
  return merged(stored, input, toOneLine);
}

/** Each part is on one line, and null if a caller left it out. */
export function toAddress(input: z.output<typeof AddressInput>): Address {
  return {
    city: toLine(input.city),
    country: input.country ?? null,
    line1: toLine(input.line1),
    line2: toLine(input.line2),
    postalCode: toLine(input.postal_code),
    state: toLine(input.state),
  };
}

export function toShipping(input: z.output<typeof ShippingInput>): Shipping {
  return {
    name: toOneLine(input.name),
    phone: toLine(input.phone),
    address: toAddress(input.address),
  };
}

function toLine(input: string | undefined): string | null {
  return input === undefined ? null : toOneLine(input);
}

/** Applies a caller's billing details to the stored ones; an empty text removes a field. */
export function mergeBillingDetails(
  stored: BillingDetails,
  input: z.output<typeof BillingDetailsInput> | undefined,
): BillingDetails {
  if (input === undefined) return stored;
  return {
    name: mergedLine(stored.name, input.name),
    email: mergedText(stored.email, input.email),
    phone: mergedLine(stored.phone, input.phone),
    address: merged(stored.address, input.address, toAddress),
  };
}
