import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { MetadataResource, TimestampResource } from '../../kernel/basics/resource.ts';
import { BillingDetailsResource, toBillingDetailsResource } from '../contacts/contact-resource.ts';
import { CardResource, TokenCardResource, toCardResource } from './card-resource.ts';
import type { PaymentMethod, Token } from './payment-method.ts';

export const PaymentMethodResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('payment_method'),
    livemode: z.boolean(),
    created: TimestampResource,
    metadata: MetadataResource,
    type: z.literal('card'),
    card: CardResource,
    billing_details: BillingDetailsResource,
    customer: z.string().nullable().meta({ description: 'Expandable.', expandsTo: 'Customer' }),
  })
  .meta({ id: 'PaymentMethod' });

export const TokenResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('token'),
    livemode: z.boolean(),
    created: TimestampResource,
    type: z.literal('card'),
    card: TokenCardResource,
    used: z.boolean(),
  })
  .meta({ id: 'Token' });

export type PaymentMethodJson = z.output<typeof PaymentMethodResource>;

/** The processor's token is never part of it. */
export function toPaymentMethodResource(method: PaymentMethod): PaymentMethodJson {
  return {
    id: method.id,
    object: 'payment_method',
    livemode: livemode(method.environment),
    created: method.created.toISOString(),
    metadata: method.metadata,
    type: method.type,
    card: toCardResource(method.card),
    billing_details: toBillingDetailsResource(method.billingDetails),
    customer: method.use.state === 'attached' ? method.use.customerId : null,
  };
}

export function toTokenResource(token: Token): z.output<typeof TokenResource> {
  return {
    id: token.id,
    object: 'token',
    livemode: livemode(token.environment),
    created: token.created.toISOString(),
    type: token.type,
    card: { object: 'card', ...toCardResource(token.card) },
    used: token.used,
  };
}
