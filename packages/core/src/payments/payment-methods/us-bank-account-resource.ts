import { z } from 'zod';
import type { MethodBlock, UsBankAccountFacts } from './payment-method.ts';

/** A bank account in the US as charges keep it. */
export const UsBankAccountResource = z
  .strictObject({
    bank_name: z.string().nullable(),
    last4: z.string(),
    routing_number: z.string(),
    account_type: z.enum(['checking', 'savings']).meta({ id: 'BankAccountType' }),
    account_holder_type: z.enum(['individual', 'company']).meta({ id: 'AccountHolderType' }),
    fingerprint: z.string().meta({ description: 'The same for the same account number.' }),
  })
  .meta({ id: 'UsBankAccount' });

/** A bank account as a payment method shows it. */
export const DebitedBankAccountResource = UsBankAccountResource.extend({
  status_details: z.strictObject({
    blocked: z
      .strictObject({ reason: z.string(), network_code: z.string() })
      .nullable()
      .meta({ description: 'Set once its bank refused debits; it is then unusable.' }),
  }),
}).meta({ id: 'DebitedBankAccount' });

/** A bank account of its own, as a token shows it. */
export const TokenBankAccountResource = UsBankAccountResource.extend({
  object: z.literal('bank_account'),
  account_holder_name: z.string().nullable(),
}).meta({ id: 'TokenBankAccount' });

/** The fields of a bank account that may be shown; the input has no number. */
export function toUsBankAccountResource(
  facts: UsBankAccountFacts,
): z.output<typeof UsBankAccountResource> {
  return {
    bank_name: facts.bankName,
    last4: facts.last4,
    routing_number: facts.routingNumber,
    account_type: facts.accountType,
    account_holder_type: facts.accountHolderType,
    fingerprint: facts.fingerprint,
  };
}

/** A bank account as a token shows it. */
export function toTokenBankAccountResource(
  facts: UsBankAccountFacts,
): z.output<typeof TokenBankAccountResource> {
  return {
    object: 'bank_account',
    ...toUsBankAccountResource(facts),
    account_holder_name: facts.accountHolderName,
  };
}

/** A bank account with the reason why it is not debited any more, if there is one. */
export function toDebitedBankAccountResource(
  facts: UsBankAccountFacts,
  blocked: MethodBlock | undefined,
): z.output<typeof DebitedBankAccountResource> {
  const why = blocked && { reason: blocked.reason, network_code: blocked.networkCode };
  return { ...toUsBankAccountResource(facts), status_details: { blocked: why ?? null } };
}
