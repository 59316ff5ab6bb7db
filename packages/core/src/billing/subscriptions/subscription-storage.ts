import type { AreaStorage } from '../../changes/area-storage.ts';
import type { Change, Write } from '../../changes/change.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import type { ChargeChange } from '../../payments/charges/charge-storage.ts';
import type { CustomerReader } from '../../payments/customers/customer-repository.ts';
import type { DisputeReader } from '../../payments/disputes/dispute-repository.ts';
import type { PaymentMethodReader } from '../../payments/payment-methods/payment-method-repository.ts';
import type { Clocked } from '../../payments/test-clocks/object-clock.ts';
import type { BillingSettingsReader } from '../billing-settings/billing-settings-repository.ts';
import type { InvoiceReaders, InvoiceRepositories } from '../invoices/invoice-storage.ts';
import type { PriceReader, ProductReader, ProductRepository } from '../prices/price-repository.ts';
import type { BillingPeriod, Subscription } from './subscription.ts';
import type { SubscriptionReader, SubscriptionRepository } from './subscription-repository.ts';

export type SubscriptionWrite = Write<'subscription', Subscription>;

/** The fields of a change that write periods of the subscription. */
export interface PeriodFacts {
  readonly newPeriods?: readonly BillingPeriod[];
  /** The last period before them gets this end. */
  readonly movedEnd?: Pick<BillingPeriod, 'subscriptionId' | 'index' | 'end'>;
}

/** The change that the services of subscriptions commit. */
export type SubscriptionChange = Change<Write<string, unknown>> &
  Clocked &
  PeriodFacts &
  Pick<ChargeChange, 'attached'>;

export interface SubscriptionReaders extends InvoiceReaders {
  readonly subscriptions: SubscriptionReader;
  readonly customers: CustomerReader;
  readonly paymentMethods: PaymentMethodReader;
  readonly prices: PriceReader;
  readonly products: ProductReader;
  readonly billingSettings: BillingSettingsReader;
}

/** Bound to one transaction. A subscription is locked before its invoices. */
export interface SubscriptionRepositories extends Omit<InvoiceRepositories, 'changes'> {
  readonly subscriptions: SubscriptionRepository;
  readonly products: ProductRepository;
  readonly billingSettings: BillingSettingsReader;
  readonly disputes: Pick<DisputeReader, 'findMany'>;
  readonly changes: ChangeRepository<SubscriptionChange>;
}

/** What the services of subscriptions need of storage. */
export type SubscriptionStorage = AreaStorage<SubscriptionReaders, SubscriptionRepositories>;
