import { z } from 'zod';
import { toOneLine } from '../../kernel/input/one-line.ts';
import type { Address, BillingDetails, Shipping } from './contact.ts';

export const AddressResource = z
  .strictObject({
    city: z.string().nullable(),
    country: z.string().nullable(),
    line1: z.string().nullable(),
    line2: z.string().nullable(),
    postal_code: z.string().nullable(),
    state: z.string().nullable(),
  })
  .meta({ id: 'Address' });

export const BillingDetailsResource = z
  .strictObject({
    name: z.string().nullable(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
    address: AddressResource.nullable(),
  })
  .meta({ id: 'BillingDetails' });

export const ShippingResource = z
  .strictObject({ name: z.string(), phone: z.string().nullable(), address: AddressResource })
  .meta({ id: 'Shipping' });

/** An earlier version stored texts of several lines, and those that turn their direction. */
export function toShownLine(stored: string | null): string | null {
  return stored && toOneLine(stored);
}

export function toAddressResource(address: Address): z.output<typeof AddressResource> {
  const { city, country, line1, line2, postalCode, state } = address;
  return {
    city: toShownLine(city),
    country,
    line1: toShownLine(line1),
    line2: toShownLine(line2),
    postal_code: toShownLine(postalCode),
    state: toShownLine(state),
  };
}

export function toBillingDetailsResource(
  details: BillingDetails,
): z.output<typeof BillingDetailsResource> {
  const { name, email, phone, address } = details;
  return {
    name: toShownLine(name),
    email,
    phone: toShownLine(phone),
    address: address && toAddressResource(address),
  };
}

export function toShippingResource(shipping: Shipping): z.output<typeof ShippingResource> {
  const { name, phone, address } = shipping;
  return {
    name: toOneLine(name),
    phone: toShownLine(phone),
    address: toAddressResource(address),
  };
}
