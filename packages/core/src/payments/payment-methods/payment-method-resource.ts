import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { MetadataResource, TimestampResource } from '../../kernel/basics/resource.ts';
import { BillingDetailsResource, toBillingDetailsResource } from '../contacts/contact-resource.ts';
import { CardResource, TokenCardResource, toCardResource } from './card-resource.ts';
import type { PaymentMethod, Token } from './payment-method.ts';
import {
  DebitedBankAccountResource,
  TokenBankAccountResource,
  toDebitedBankAccountResource,
  toTokenBankAccountResource,
} from './us-bank-account-resource.ts';

const MandateResource = z
  .strictObject({
    id: z.string(),
    accepted_at: TimestampResource,
    type: z.enum(['online', 'offline']),
  })
  .meta({ id: 'Mandate' });

export const PaymentMethodResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('payment_method'),
    livemode: z.boolean(),
    created: TimestampResource,
    metadata: MetadataResource,
    type: z.enum(['card', 'us_bank_account']),
    card: CardResource.exactOptional(),
    us_bank_account: DebitedBankAccountResource.exactOptional(),
    billing_details: BillingDetailsResource,
    customer: z.string().nullable().meta({ description: 'Expandable.', expandsTo: 'Customer' }),
    mandate: MandateResource.nullable().meta({
      description: 'The consent of the holder of a bank account, without which it is not debited.',
    }),
  })
  .meta({ id: 'PaymentMethod' });

export const TokenResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('token'),
    livemode: z.boolean(),
    created: TimestampResource,
    type: z.enum(['card', 'bank_account']),
    card: TokenCardResource.exactOptional(),
    bank_account: TokenBankAccountResource.exactOptional(),
    used: z.boolean(),
  })
  .meta({ id: 'Token' });

export type PaymentMethodJson = z.output<typeof PaymentMethodResource>;

/** The processor's token and the number of a bank account are never part of it. */
export function toPaymentMethodResource(method: PaymentMethod): PaymentMethodJson {
  const { mandate } = method;
  return {
    id: method.id,
    object: 'payment_method',
    livemode: livemode(method.environment),
    created: method.created.toISOString(),
    metadata: method.metadata,
    type: method.type,
    ...(method.type === 'card'
      ? { card: toCardResource(method.card) }
      : { us_bank_account: toDebitedBankAccountResource(method.usBankAccount, method.blocked) }),
    billing_details: toBillingDetailsResource(method.billingDetails),
    customer: method.use.state === 'attached' ? method.use.customerId : null,
    mandate:
      mandate === undefined
        ? null
        : {
            id: mandate.id,
            accepted_at: mandate.acceptedAt.toISOString(),
            type: mandate.type,
          },
  };
}

export function toTokenResource(token: Token): z.output<typeof TokenResource> {
  return {
    id: token.id,
    object: 'token',
    livemode: livemode(token.environment),
    created: token.created.toISOString(),
    ...(token.type === 'card'
      ? { type: 'card', card: { object: 'card', ...toCardResource(token.card) } }
      : {
          type: 'bank_account',
          bank_account: toTokenBankAccountResource(token.usBankAccount),
        }),
    used: token.used,
  };
}
