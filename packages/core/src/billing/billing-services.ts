import { type BalancePorts, CustomerBalanceService } from './balance/balance-service.ts';
import { PriceService } from './prices/price-service.ts';
import { type ProductPorts, ProductService } from './prices/product-service.ts';

/** The use cases of billing. */
export interface BillingServices {
  readonly products: ProductService;
  readonly prices: PriceService;
  readonly customerBalances: CustomerBalanceService;
}

/** The use cases of billing, bound to one storage: the pool, or a host's transaction. */
export function billingServices(ports: ProductPorts & BalancePorts): BillingServices {
  return {
    products: new ProductService(ports),
    prices: new PriceService(ports),
    customerBalances: new CustomerBalanceService(ports),
  };
}
