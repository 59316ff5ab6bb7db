import { z } from 'zod';
import { TimestampResource, timestamp } from '../../kernel/basics/resource.ts';
import type { Account } from './account.ts';

export const AccountResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('account'),
    name: z.string(),
    email: z.string().nullable(),
    country: z.string(),
    default_currency: z.string(),
    status: z.enum(['active', 'suspended']),
    suspended_at: TimestampResource.nullable(),
    created: TimestampResource,
  })
  .meta({ id: 'Account' });

export type AccountJson = z.output<typeof AccountResource>;

/** The JSON of an account. */
export function toAccountResource(account: Account): AccountJson {
  return {
    id: account.id,
    object: 'account',
    name: account.name,
    email: account.email,
    country: account.country,
    default_currency: account.defaultCurrency,
    status: account.status,
    suspended_at: timestamp(account.suspendedAt),
    created: account.created.toISOString(),
  };
}
