// The main entry: `createPaymount(options)` returns the routers, the services and `using`. Workers
// come from paymount/worker, receivers use paymount/receiver. Start at `paymount.ts`, then
// `parts/container.ts`, which creates every part.
export {
  type Admin,
  type AdminFacts,
  type Authenticator,
  allOf,
  anyOf,
  CredentialMissing,
  type HostSession,
  type HostSessionOptions,
  type HostUser,
  hostSessionAdmin,
  type Identity,
  type JwtAdminOptions,
  jwtAdmin,
  type KeyProvider,
  type LoginHint,
  type MtlsAdminOptions,
  mtlsAdmin,
  type Rate,
  type RateLimitOptions,
  type TlsServerOptions,
  tlsServerOptions,
} from '@paymount/auth';
export type {
  AccountJson as Account,
  Exposure,
  KeyJson as ApiKey,
  LeakPolicy,
  LeakReport,
  LeakService,
  LeakSource,
  LeakVerdict,
  NewKeyJson as NewApiKey,
  ReportHeaders,
} from '@paymount/core/access';
export type { CustomerEmails, InvoiceSeller, InvoiceTexts } from '@paymount/core/billing';
export type { EventPattern, EventType, Mail, Mailer } from '@paymount/core/changes';
export type { EndpointJson as WebhookEndpoint } from '@paymount/core/events';
export type {
  AccountId,
  AuditContext,
  Environment,
  ErrorCode,
  ErrorType,
  Logger,
} from '@paymount/core/kernel';
export { PaymountError } from '@paymount/core/kernel';
export type { PlatformJson as Platform } from '@paymount/core/oauth';
export type {
  ChargeJson as Charge,
  CustomerJson as Customer,
  DeletedCustomerJson as DeletedCustomer,
  DisputeJson as Dispute,
  FileStore,
  PaymentMethodJson as PaymentMethod,
  PayoutJson as Payout,
  RefundJson as Refund,
} from '@paymount/core/payments';
export type { DashboardLooks } from '@paymount/dashboard';
export type { InvoiceLooksOptions, PdfFonts } from '@paymount/documents';
export type { ListJson as List } from '@paymount/http';
export type {
  HealthJson as Health,
  IpSuggestionsJson as IpSuggestions,
  KeyUsageJson as ApiKeyUsage,
} from '@paymount/management';
export type { AppearanceOptions, PageTexts } from '@paymount/oauth';
export { type LogRedaction, logRedaction } from './adapters/log-redaction.ts';
export type { Metrics } from './adapters/process-telemetry.ts';
export type { Acting } from './host/acting.ts';
export type { HostAccess } from './host/host-access.ts';
export type { CallOptions } from './host/host-access-calls.ts';
export type { HostAccounts } from './host/host-accounts.ts';
export type { HostKeys } from './host/host-keys.ts';
export type { HostPlatforms } from './host/host-platforms.ts';
export type { HostServices } from './host/host-services.ts';
export type * from './host/params.ts';
export type { FeeSchedule, HookPayload, HostHook } from './options/host-hook.ts';
export type { InvoiceSettings } from './options/invoice-settings.ts';
export type {
  EgressSettings,
  ExportBatch,
  ExportHook,
  LeakSettings,
  MailSettings,
  PaymountOptions,
  PaymountStorageOptions,
  RetentionSettings,
} from './options/options.ts';
export type {
  HookTransaction,
  HostTransaction,
  KnexTransaction,
  PgTransaction,
  PortValue,
  TransactionPort,
} from './options/postgres-storage.ts';
export { createPaymount, type Paymount } from './paymount.ts';
