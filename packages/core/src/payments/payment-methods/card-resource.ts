import { z } from 'zod';
import type { Address, BillingDetails, CardFacts } from './payment-method.ts';

const Check = z
  .enum(['pass', 'fail', 'unavailable', 'unchecked'])
  .meta({ id: 'CardCheck' })
  .nullable();

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

export const CardResource = z
  .strictObject({
    brand: z.string(),
    last4: z.string(),
    exp_month: z.int(),
    exp_year: z.int(),
    fingerprint: z.string(),
    funding: z.enum(['credit', 'debit', 'prepaid', 'unknown']).meta({ id: 'CardFunding' }),
    country: z.string(),
    checks: z
      .strictObject({ cvc_check: Check, address_postal_code_check: Check })
      .meta({ id: 'CardChecks' }),
  })
  .meta({ id: 'Card' });

/** A card of its own, as a token shows it. */
export const TokenCardResource = CardResource.extend({ object: z.literal('card') }).meta({
  id: 'TokenCard',
});

export function toAddressResource(address: Address): z.output<typeof AddressResource> {
  const { city, country, line1, line2, postalCode, state } = address;
  return { city, country, line1, line2, postal_code: postalCode, state };
}

export function toBillingDetailsResource(
  details: BillingDetails,
): z.output<typeof BillingDetailsResource> {
  const { name, email, phone, address } = details;
  return { name, email, phone, address: address && toAddressResource(address) };
}

/** The fields of a card that may be shown; the input has no number. */
export function toCardResource(card: CardFacts): z.output<typeof CardResource> {
  return {
    brand: card.brand,
    last4: card.last4,
    exp_month: card.expMonth,
    exp_year: card.expYear,
    fingerprint: card.fingerprint,
    funding: card.funding,
    country: card.country,
    checks: {
      cvc_check: card.checks.cvcCheck,
      address_postal_code_check: card.checks.addressPostalCodeCheck,
    },
  };
}
