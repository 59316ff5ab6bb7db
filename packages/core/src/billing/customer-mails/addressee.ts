import type { CustomerId } from '../../kernel/basics/id.ts';
import { findLanguage, type Language } from '../../kernel/texts/languages.ts';
import type { Customer } from '../../payments/customers/customer.ts';
import type { CustomerReader } from '../../payments/customers/customer-repository.ts';
import type { PayoutAccount } from '../../payments/payouts/payout-account.ts';
import type { PayoutAccountReader } from '../../payments/payouts/payout-repository.ts';
import { describeDay } from '../customer-texts/describe.ts';
import type { InvoiceTexts } from '../customer-texts/invoice-texts.ts';
import { sellerFacts } from '../customer-texts/seller.ts';
import type { CustomerMailSettings } from './customer-mail-settings.ts';

/** What the addressee of a mail is made of. */
export interface AddresseeFacts {
  readonly customer: Customer | undefined;
  readonly account: PayoutAccount | undefined;
  /** Of dates. @defaultValue that of the settings */
  readonly zone?: string | undefined;
}

/** What is read for a mail. */
export interface AddresseeRows {
  readonly customers: Pick<CustomerReader, 'find'>;
  /** They have the names of accounts. */
  readonly payoutAccounts: PayoutAccountReader;
}

/** To whom and in which words a mail is written. */
export interface Addressee {
  readonly to: string;
  readonly customerId: CustomerId;
  /** The name of the seller. */
  readonly seller: string;
  readonly language: Language<InvoiceTexts>;
  /** A day as the customer reads it. */
  readonly day: (time: Date) => string;
}

/**
 * The addressee of a mail: the address and the languages that the customer has now.
 * @returns undefined for a customer without an address, also a deleted one
 * @throws whatever the host's function `invoices.seller` throws
 */
export function addresseeOf(
  { customer, account, zone }: AddresseeFacts,
  settings: CustomerMailSettings,
): Addressee | undefined {
  if (customer?.email == null || customer.deletedAt !== undefined) return undefined;
  if (account === undefined) return undefined;
  const language = findLanguage(settings.looks.languages, customer.preferredLocales);
  return {
    to: customer.email,
    customerId: customer.id,
    seller: sellerFacts(account, settings.sellerOf).name,
    language,
    day: (time) => describeDay(time, language.language, zone ?? settings.timeZone),
  };
}
