import type { Storage } from '@paymount/core/store';
import type { IdempotencyPorts } from '@paymount/http';
import { bindServices, type ServicePorts } from '../parts/services.ts';
import type { WorkInFlight } from '../parts/work-in-flight.ts';
import { HostCalls } from './host-calls.ts';
import { chargesFor, type HostCharges } from './host-charges.ts';
import { customersFor, type HostCustomers } from './host-customers.ts';
import { disputesFor, type HostDisputes } from './host-disputes.ts';
import { type HostWebhookEndpoints, webhookEndpointsFor } from './host-endpoints.ts';
import {
  type HostInvoiceItems,
  type HostInvoices,
  invoiceItemsFor,
  invoicesFor,
} from './host-invoices.ts';
import { type HostPaymentMethods, paymentMethodsFor } from './host-payment-methods.ts';
import { type HostPayouts, payoutsFor } from './host-payouts.ts';
import { type HostPrices, type HostProducts, pricesFor, productsFor } from './host-prices.ts';
import { type HostRefunds, refundsFor } from './host-refunds.ts';
import {
  type HostSubscriptionItems,
  type HostSubscriptions,
  subscriptionItemsFor,
  subscriptionsFor,
} from './host-subscriptions.ts';

/**
 * The API for the host's own code, in the same process: the same names, inputs, answers and errors
 * as `/v1`. Under `using(trx)`, calls that need only the database finish in the host's transaction;
 * a charge, capture or refund commits its intent there and continues after the outermost commit.
 */
export interface HostServices {
  readonly charges: HostCharges;
  readonly refunds: HostRefunds;
  readonly customers: HostCustomers;
  readonly paymentMethods: HostPaymentMethods;
  readonly disputes: HostDisputes;
  readonly payouts: HostPayouts;
  readonly products: HostProducts;
  readonly prices: HostPrices;
  readonly subscriptions: HostSubscriptions;
  readonly subscriptionItems: HostSubscriptionItems;
  readonly invoices: HostInvoices;
  readonly invoiceItems: HostInvoiceItems;
  readonly webhookEndpoints: HostWebhookEndpoints;
}

/** The dependencies of the host's calls besides storage. */
export interface HostPorts {
  readonly servicePorts: ServicePorts;
  readonly fingerprintKey: IdempotencyPorts['fingerprintKey'];
  readonly resolver: NonNullable<IdempotencyPorts['resolver']>;
  readonly inFlight: WorkInFlight;
}

/** The services on one storage, the pool or a host's transaction, for the host's own code. */
export function hostServices(ports: HostPorts, storage: Storage): HostServices {
  const { servicePorts, fingerprintKey, resolver, inFlight } = ports;
  const joined = inFlight.joined(storage);
  const isPart = storage.host?.isHook === true;
  const services = bindServices(servicePorts, joined);
  const { processors } = servicePorts;
  const calls = new HostCalls({
    ...servicePorts,
    fingerprintKey,
    idempotency: joined.idempotency,
    ...(joined.host === undefined && { resolver }),
  });
  return {
    charges: inFlight.calls(chargesFor(services, calls, processors), isPart),
    refunds: inFlight.calls(refundsFor(services, calls), isPart),
    customers: inFlight.calls(customersFor(services, calls), isPart),
    paymentMethods: inFlight.calls(paymentMethodsFor(services, calls, processors), isPart),
    disputes: inFlight.calls(disputesFor(services, calls), isPart),
    payouts: inFlight.calls(payoutsFor(services, calls), isPart),
    products: inFlight.calls(productsFor(services, calls), isPart),
    prices: inFlight.calls(pricesFor(services, calls), isPart),
    subscriptions: inFlight.calls(subscriptionsFor(services, calls, processors), isPart),
    subscriptionItems: inFlight.calls(subscriptionItemsFor(services, calls, processors), isPart),
    invoices: inFlight.calls(invoicesFor(services, calls, processors), isPart),
    invoiceItems: inFlight.calls(invoiceItemsFor(services, calls), isPart),
    webhookEndpoints: inFlight.calls(webhookEndpointsFor(services, calls), isPart),
  };
}
