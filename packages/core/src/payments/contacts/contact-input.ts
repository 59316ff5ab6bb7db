import { z } from 'zod';
import { AddressInput, EmailInput, line } from '../../kernel/input/input.ts';
import type { Address, BillingDetails, Shipping } from './contact.ts';

const UNSET = z.literal('');

/** A field that an empty text removes. */
export function unsettable<Schema extends z.ZodType>(schema: Schema) {
  return z.union([UNSET, schema]).optional();
}

export const ShippingInput = z
  .strictObject({
    name: line(200),
    phone: line(50).optional(),
    address: AddressInput,
  })
  .meta({ id: 'ShippingInput' });

export const BillingDetailsInput = z
  .strictObject({
    name: unsettable(line(200)),
    email: unsettable(EmailInput),
    phone: unsettable(line(50)),
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

/** Adds null for the parts of an address that a caller left out. */
export function toAddress(input: z.output<typeof AddressInput>): Address {
  return {
    city: input.city ?? null,
    country: input.country ?? null,
    line1: input.line1 ?? null,
    line2: input.line2 ?? null,
    postalCode: input.postal_code ?? null,
    state: input.state ?? null,
  };
}

export function toShipping(input: z.output<typeof ShippingInput>): Shipping {
  return { name: input.name, phone: input.phone ?? null, address: toAddress(input.address) };
}

/** Applies a caller's billing details to the stored ones; an empty text removes a field. */
export function mergeBillingDetails(
  stored: BillingDetails,
  input: z.output<typeof BillingDetailsInput> | undefined,
): BillingDetails {
  if (input === undefined) return stored;
  return {
    name: mergedText(stored.name, input.name),
    email: mergedText(stored.email, input.email),
    phone: mergedText(stored.phone, input.phone),
    address: merged(stored.address, input.address, toAddress),
  };
}
