import type { AccountReader } from '../access/accounts/account-repository.ts';
import type { BillingReaders, BillingRepositories } from '../billing/billing-storage.ts';
import type { InvoiceWrite } from '../billing/invoices/invoice-storage.ts';
import type { PriceWrite } from '../billing/prices/price-storage.ts';
import type {
  PeriodFacts,
  SubscriptionWrite,
} from '../billing/subscriptions/subscription-storage.ts';
import type { AreaStorage } from '../changes/area-storage.ts';
import type { Change } from '../changes/change.ts';
import type { ChangeRepository } from '../changes/change-repository.ts';
import type { WebhookFacts, WebhookWrite } from '../events/webhook-change.ts';
import type { WebhookReaders, WebhookRepositories } from '../events/webhook-storage.ts';
import type { ExpungeRepository } from '../expunging/expunge-repository.ts';
import type { PaymentFacts, PaymentWrite } from '../payments/wiring/payment-change.ts';
import type {
  PaymentReaders,
  PaymentRepositories,
  PaymentStorage,
} from '../payments/wiring/payment-storage.ts';

/** Every row that a change may insert or update. */
export type StoredWrite =
  | PaymentWrite
  | PriceWrite
  | InvoiceWrite
  | SubscriptionWrite
  | WebhookWrite;

/** All fields that one commit can have. Every area's own change is one of these. */
export type StoredChange = Change<StoredWrite> & PaymentFacts & PeriodFacts & WebhookFacts;

export interface Readers extends PaymentReaders, BillingReaders, WebhookReaders {
  readonly accounts: AccountReader;
}

/** Bound to one transaction. Locks are taken in one order: account, resource, ledger. */
export interface Repositories
  extends Omit<PaymentRepositories, 'changes'>,
    BillingRepositories,
    Omit<WebhookRepositories, 'changes'> {
  readonly expunges: ExpungeRepository;
  readonly changes: ChangeRepository<StoredChange>;
}

/** Where services commit changes: the storage of all areas in one interface. */
export interface Storage
  extends AreaStorage<Readers, Repositories>,
    Pick<PaymentStorage, 'operations'> {}
