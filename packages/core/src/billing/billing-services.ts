import { type BalancePorts, CustomerBalanceService } from './balance/balance-service.ts';
import {
  type BillingSettingsPorts,
  BillingSettingsService,
} from './billing-settings/billing-settings-service.ts';
import { type InvoiceActionPorts, InvoiceActions } from './invoices/invoice-actions.ts';
import { type InvoiceItemPorts, InvoiceItemService } from './invoices/invoice-item-service.ts';
import { type InvoicePorts, InvoiceService } from './invoices/invoice-service.ts';
import { PriceService } from './prices/price-service.ts';
import { type ProductPorts, ProductService } from './prices/product-service.ts';
import { SubscriptionItemService } from './subscriptions/subscription-item-service.ts';
import { SUBSCRIPTION_OWNERS } from './subscriptions/subscription-owner.ts';
import {
  type SubscriptionPorts,
  SubscriptionService,
} from './subscriptions/subscription-service.ts';
import type { SubscriptionRepositories } from './subscriptions/subscription-storage.ts';

/** The use cases of billing. */
export interface BillingServices {
  readonly products: ProductService;
  readonly prices: PriceService;
  readonly customerBalances: CustomerBalanceService;
  readonly invoices: InvoiceService;
  readonly invoiceActions: InvoiceActions<SubscriptionRepositories>;
  readonly invoiceItems: InvoiceItemService<SubscriptionRepositories>;
  readonly subscriptions: SubscriptionService;
  readonly subscriptionItems: SubscriptionItemService;
  readonly billingSettings: BillingSettingsService;
}

/** What each of the services needs. */
type SlicePorts = ProductPorts &
  BalancePorts &
  InvoicePorts &
  Omit<InvoiceActionPorts<SubscriptionRepositories>, 'invoiceOwners'> &
  Omit<InvoiceItemPorts<SubscriptionRepositories>, 'invoiceOwners'> &
  BillingSettingsPorts &
  SubscriptionPorts;

/** The use cases of billing, bound to one storage: the pool, or a host's transaction. */
export function billingServices(ports: SlicePorts): BillingServices {
  const subscriptions = new SubscriptionService(ports);
  return {
    products: new ProductService(ports),
    prices: new PriceService(ports),
    customerBalances: new CustomerBalanceService(ports),
    invoices: new InvoiceService(ports),
    invoiceActions: new InvoiceActions<SubscriptionRepositories>({
      ...ports,
      invoiceOwners: SUBSCRIPTION_OWNERS,
    }),
    invoiceItems: new InvoiceItemService<SubscriptionRepositories>({
      ...ports,
      invoiceOwners: SUBSCRIPTION_OWNERS,
    }),
    subscriptions,
    subscriptionItems: new SubscriptionItemService({ ...ports, subscriptions }),
    billingSettings: new BillingSettingsService(ports),
  };
}
