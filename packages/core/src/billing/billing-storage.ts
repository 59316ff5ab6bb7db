import type {
  BillingSettingsReader,
  BillingSettingsRepository,
} from './billing-settings/billing-settings-repository.ts';
import type {
  InvoiceHookRepository,
  InvoiceItemReader,
  InvoiceItemRepository,
  InvoiceReader,
  InvoiceRepository,
} from './invoices/invoice-repository.ts';
import type {
  PriceReader,
  PriceRepository,
  ProductReader,
  ProductRepository,
} from './prices/price-repository.ts';
import type { ReminderRepository } from './reminders/reminder-repository.ts';
import type {
  SubscriptionReader,
  SubscriptionRepository,
} from './subscriptions/subscription-repository.ts';

export interface BillingReaders {
  readonly products: ProductReader;
  readonly prices: PriceReader;
  readonly invoices: InvoiceReader;
  readonly invoiceItems: InvoiceItemReader;
  readonly subscriptions: SubscriptionReader;
  readonly billingSettings: BillingSettingsReader;
}

/**
 * Bound to one transaction. A product is locked before its prices, and a lookup key after them; a charge
 * before its invoice, and an invoice before its items.
 */
export interface BillingRepositories {
  readonly products: ProductRepository;
  readonly prices: PriceRepository;
  readonly invoices: InvoiceRepository;
  readonly invoiceItems: InvoiceItemRepository;
  readonly subscriptions: SubscriptionRepository;
  readonly reminders: ReminderRepository;
  readonly billingSettings: BillingSettingsRepository;
  readonly hookOfInvoices: InvoiceHookRepository;
}
