// What is sold, what it costs, and what customers owe: products, prices, balances, invoices and
// subscriptions. It imports the kernel, changes, the ledger and payments. Start at
// `subscriptions/subscription-service.ts`.

export {
  AdminInvoiceActionInput,
  AdminRetryWorkInput,
  AdminSubscriptionCancelInput,
} from './admin-input.ts';
export {
  CustomerBalanceTransactionCreateInput,
  CustomerBalanceTransactionUpdateInput,
} from './balance/balance-input.ts';
export {
  type CustomerBalanceTransactionJson,
  CustomerBalanceTransactionResource,
  toCustomerBalanceTransactionResource,
} from './balance/balance-resource.ts';
export { BillingScheduler, type DueWork } from './billing-scheduler.ts';
export type { BillingServices } from './billing-services.ts';
export { billingServices } from './billing-services.ts';
export type { BillingSettings } from './billing-settings/billing-settings.ts';
export {
  BillingSettingsInput,
  type BillingSettingsUpdate,
} from './billing-settings/billing-settings-input.ts';
export type * from './billing-settings/billing-settings-repository.ts';
export {
  type BillingSettingsJson,
  BillingSettingsResource,
  toBillingSettingsResource,
} from './billing-settings/billing-settings-resource.ts';
export type { BillingSettingsService } from './billing-settings/billing-settings-service.ts';
export { type BillingSubjects, billingSubjects } from './billing-subjects.ts';
export {
  type BillingQueues,
  type BillingWorks,
  billingClockWorks,
  billingWorks,
} from './billing-works.ts';
export type {
  CustomerEmails,
  CustomerMailSettings,
} from './customer-mails/customer-mail-settings.ts';
export { createCustomerLanguages } from './customer-texts/customer-languages.ts';
export {
  describeAddress,
  describeDay,
  describeMethod,
  describeSpan,
} from './customer-texts/describe.ts';
export type { InvoiceTexts } from './customer-texts/invoice-texts.ts';
export { type InvoiceSeller, type SellerOf, sellerFacts } from './customer-texts/seller.ts';
export type { Failing } from './failing.ts';
export {
  type AdminInvoiceJson,
  AdminInvoiceResource,
  toAdminInvoiceResource,
} from './invoices/admin-invoice-resource.ts';
export type { FinalizingAnswer, HookLine } from './invoices/hook-lines.ts';
export type * from './invoices/invoice.ts';
export type { InvoiceActions } from './invoices/invoice-actions.ts';
export {
  InvoiceCreateInput,
  InvoiceFinalizeInput,
  InvoicePayInput,
  InvoiceUpdateInput,
} from './invoices/invoice-input.ts';
export type { InvoiceItem } from './invoices/invoice-item.ts';
export { InvoiceItemCreateInput, InvoiceItemUpdateInput } from './invoices/invoice-item-input.ts';
export {
  type DeletedInvoiceItemJson,
  DeletedInvoiceItemResource,
  type InvoiceItemJson,
  InvoiceItemResource,
  toDeletedInvoiceItemResource,
  toInvoiceItemResource,
} from './invoices/invoice-item-resource.ts';
export type { InvoiceLine } from './invoices/invoice-lines.ts';
export type * from './invoices/invoice-repository.ts';
export {
  type AddressOfInvoice,
  type DeletedInvoiceJson,
  DeletedInvoiceResource,
  type InvoiceAddress,
  type InvoiceJson,
  type InvoiceLineJson,
  InvoiceLineResource,
  InvoiceResource,
  invoiceNumberText,
  toDeletedInvoiceResource,
  toInvoiceLineResource,
  toInvoiceResource,
} from './invoices/invoice-resource.ts';
export type { InvoiceService } from './invoices/invoice-service.ts';
export { invoiceUpdate } from './invoices/invoice-storage.ts';
export { type MailingHow, mailingChanges, plansReminders } from './mails-of-change.ts';
export type { Price } from './prices/price.ts';
export { PriceCreateInput, PriceUpdateInput } from './prices/price-input.ts';
export type * from './prices/price-repository.ts';
export { type PriceJson, PriceResource, toPriceResource } from './prices/price-resource.ts';
export type { Product } from './prices/product.ts';
export { ProductCreateInput, ProductUpdateInput } from './prices/product-input.ts';
export {
  type DeletedProductJson,
  DeletedProductResource,
  type ProductJson,
  ProductResource,
  toDeletedProductResource,
  toProductResource,
} from './prices/product-resource.ts';
export { type PlannedReminder, type Reminder, remindsCustomers } from './reminders/reminder.ts';
export type * from './reminders/reminder-repository.ts';
export {
  type ReminderPorts,
  reminderClockWork,
  reminderPasses,
} from './reminders/send-reminders.ts';
export {
  type AdminSubscriptionJson,
  AdminSubscriptionResource,
  toAdminSubscriptionResource,
} from './subscriptions/admin-subscription-resource.ts';
export { DECLINE_CLASSES } from './subscriptions/decline-class.ts';
export { endSubscriptionsOn } from './subscriptions/end-on-clock.ts';
export type * from './subscriptions/subscription.ts';
export { toFacts } from './subscriptions/subscription.ts';
export type { DeletedSubscriptionItemJson } from './subscriptions/subscription-answer.ts';
export {
  InvoicePreviewInput,
  SubscriptionCancelInput,
  SubscriptionCreateInput,
  SubscriptionResumeInput,
  SubscriptionUpdateInput,
} from './subscriptions/subscription-input.ts';
export {
  SubscriptionItemCreateInput,
  SubscriptionItemDeleteInput,
  SubscriptionItemUpdateInput,
} from './subscriptions/subscription-item-input.ts';
export type * from './subscriptions/subscription-repository.ts';
export {
  DeletedSubscriptionItemResource,
  type SubscriptionItemJson,
  SubscriptionItemResource,
  type SubscriptionJson,
  SubscriptionResource,
} from './subscriptions/subscription-resource.ts';
export type { SubscriptionEventType } from './subscriptions/subscription-result.ts';
export type { SubscriptionService } from './subscriptions/subscription-service.ts';
export type { PeriodFacts } from './subscriptions/subscription-storage.ts';
