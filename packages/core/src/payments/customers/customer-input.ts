import { z } from 'zod';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import { AddressInput, EmailInput, text } from '../../kernel/input/input.ts';
import { MetadataInput, mergeMetadata } from '../../kernel/input/metadata.ts';
import {
  merged,
  mergedLine,
  mergedText,
  ShippingInput,
  toAddress,
  toShipping,
  unsettable,
} from '../contacts/contact-input.ts';
import { TestClockParam } from '../test-clocks/test-clock-input.ts';
import type { CustomerEdit } from './customer.ts';

const MAX_BALANCE = 99_999_999;
const MAX_LOCALES = 10;
/** The part of RFC 5646 that browsers send: a language, and subtags of 2 to 8 characters. */
const LOCALE = /^[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{2,8}){0,3}$/;

const LocaleInput = withErrorHint(z.string().regex(LOCALE), 'a language tag such as de or pt-BR');

/** These may change after creation; an empty text removes the value. */
const writable = {
  email: unsettable(EmailInput),
  name: unsettable(text(200)),
  phone: unsettable(text(50)),
  description: unsettable(text(1000)),
  address: unsettable(AddressInput),
  shipping: unsettable(ShippingInput),
  balance: withErrorHint(
    z.int().min(-MAX_BALANCE).max(MAX_BALANCE),
    'an integer from -99,999,999 to 99,999,999',
  )
    .optional()
    .meta({
      description:
        'Minor units that the next invoice adds; negative: a credit. The difference becomes a balance ' +
        'transaction in the currency of the customer, or else the default currency of the account.',
    }),
  preferred_locales: unsettable(z.array(LocaleInput).max(MAX_LOCALES)),
  metadata: MetadataInput.optional(),
};

const DefaultMethodInput = unsettable(z.string().min(1).max(255)).meta({
  description: 'The payment method of charges that name only the customer; attached to it.',
});

const InvoiceSettingsInput = z
  .strictObject({ default_payment_method: DefaultMethodInput })
  .optional();

export const CustomerCreateInput = z
  .strictObject({
    ...writable,
    payment_method: z.string().min(1).max(255).optional().meta({
      description: 'A payment method or token that is attached to the new customer.',
    }),
    invoice_settings: InvoiceSettingsInput,
    test_clock: TestClockParam,
  })
  .meta({ id: 'CustomerCreate' });

export const CustomerUpdateInput = z
  .strictObject({ ...writable, invoice_settings: InvoiceSettingsInput })
  .meta({ id: 'CustomerUpdate' });

export type CustomerCreate = z.output<typeof CustomerCreateInput>;
export type CustomerUpdate = z.output<typeof CustomerUpdateInput>;

/**
 * Applies a caller's fields to the stored ones.
 * @throws PaymountError `metadata_limit_exceeded`
 */
export function mergeCustomer(
  stored: CustomerEdit,
  input: Omit<CustomerUpdate, 'balance' | 'invoice_settings'>,
): CustomerEdit {
  return {
    email: mergedText(stored.email, input.email),
    name: mergedLine(stored.name, input.name),
    phone: mergedLine(stored.phone, input.phone),
    description: mergedText(stored.description, input.description),
    address: merged(stored.address, input.address, toAddress),
    shipping: merged(stored.shipping, input.shipping, toShipping),
    preferredLocales:
      merged(stored.preferredLocales, input.preferred_locales, (locales) => locales) ?? [],
    metadata: mergeMetadata(stored.metadata, input.metadata),
  };
}
