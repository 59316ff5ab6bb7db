import { z } from 'zod';
import type { CardFacts } from '../processor/tokenization.ts';

const Check = z
  .enum(['pass', 'fail', 'unavailable', 'unchecked'])
  .meta({ id: 'CardCheck' })
  .nullable();

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
