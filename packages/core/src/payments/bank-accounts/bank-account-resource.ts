import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { MetadataResource, TimestampResource } from '../../kernel/basics/resource.ts';
import type { BankAccount, LiveBankAccount } from './bank-account.ts';

const LiveBankAccountResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('bank_account'),
    livemode: z.boolean(),
    created: TimestampResource,
    metadata: MetadataResource,
    account: z.string(),
    bank_name: z.string().nullable(),
    last4: z.string(),
    routing_number: z.string().nullable(),
    fingerprint: z.string().meta({ description: 'The same for the same account number.' }),
    country: z.string(),
    currency: z.string(),
    account_holder_name: z.string().nullable(),
    account_holder_type: z.enum(['individual', 'company']).nullable(),
    default_for_currency: z.boolean(),
    payouts_held_until: TimestampResource.nullable().meta({
      description:
        'In live, no payout goes there before: it is new, or has become the default. A user of the ' +
        'dashboard, or the operator, can confirm it.',
    }),
    status: z.enum(['new', 'errored']).meta({
      description:
        '`errored`: a payout there failed. Payouts and the schedule of its currency stop until ' +
        'another bank account is the default.',
    }),
    failure_code: z.string().nullable(),
    failure_message: z.string().nullable(),
  })
  .meta({ id: 'BankAccount' });

export const DeletedBankAccountResource = z
  .strictObject({ id: z.string(), object: z.literal('bank_account'), deleted: z.literal(true) })
  .meta({ id: 'DeletedBankAccount' });

/** A bank account, or what is left of a deleted one. */
export const BankAccountResource = z.union([LiveBankAccountResource, DeletedBankAccountResource]);

/** What creating, changing and listing answers. */
export { LiveBankAccountResource };

export type BankAccountJson = z.output<typeof LiveBankAccountResource>;
export type DeletedBankAccountJson = z.output<typeof DeletedBankAccountResource>;

/** Renders a bank account that is not deleted. */
export function toBankAccountResource(account: LiveBankAccount): BankAccountJson {
  const isErrored = account.status === 'errored';
  return {
    id: account.id,
    object: 'bank_account',
    livemode: livemode(account.environment),
    created: account.created.toISOString(),
    metadata: account.metadata,
    account: account.accountId,
    bank_name: account.bankName,
    last4: account.last4,
    routing_number: account.routingNumber,
    fingerprint: account.fingerprint,
    country: account.country,
    currency: account.currency,
    account_holder_name: account.accountHolderName,
    account_holder_type: account.accountHolderType,
    default_for_currency: account.isDefault,
    payouts_held_until: account.heldUntil?.toISOString() ?? null,
    status: account.status,
    failure_code: isErrored ? account.failureCode : null,
    failure_message: isErrored ? account.failureMessage : null,
  };
}

/** What is left of a deleted bank account. */
export function toDeletedBankAccountResource({
  id,
}: Pick<BankAccount, 'id'>): DeletedBankAccountJson {
  return { id, object: 'bank_account', deleted: true };
}

/** Renders any bank account; payouts may refer to a deleted one. */
export function toAnyBankAccountResource(
  account: BankAccount,
): BankAccountJson | DeletedBankAccountJson {
  return account.status === 'deleted'
    ? toDeletedBankAccountResource(account)
    : toBankAccountResource(account);
}
