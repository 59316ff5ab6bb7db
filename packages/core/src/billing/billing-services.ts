import { type InvoiceActionPorts, InvoiceActions } from './invoices/invoice-actions.ts';
import { type InvoiceItemPorts, InvoiceItemService } from './invoices/invoice-item-service.ts';
import { type InvoicePorts, InvoiceService } from './invoices/invoice-service.ts';
import { PriceService } from './prices/price-service.ts';
import { type ProductPorts, ProductService } from './prices/product-service.ts';

/** The use cases of billing. */
export interface BillingServices {
  readonly products: ProductService;
  readonly prices: PriceService;
  readonly invoices: InvoiceService;
  readonly invoiceActions: InvoiceActions;
  readonly invoiceItems: InvoiceItemService;
}

/** What each of the services needs. */
type SlicePorts = ProductPorts & InvoicePorts & InvoiceActionPorts & InvoiceItemPorts;

/** The use cases of billing, bound to one storage: the pool, or a host's transaction. */
export function billingServices(ports: SlicePorts): BillingServices {
  return {
    products: new ProductService(ports),
    prices: new PriceService(ports),
    invoices: new InvoiceService(ports),
    invoiceActions: new InvoiceActions(ports),
    invoiceItems: new InvoiceItemService(ports),
  };
}
