import { type ErrorCodeFacts, invalid } from './request-errors.ts';

/** Errors of products, prices and the balances of customers. */
export const BILLING_ERRORS = {
  resource_already_exists: invalid(
    'Another object of the account has what the request asks for, such as a lookup key.',
    'Use the object that the message names, or ask for something else.',
  ),
  product_inactive: invalid(
    'The product is not active.',
    'Activate the product, or use a price of another one.',
  ),
  product_has_prices: invalid(
    'A price was made for the product, so it cannot be deleted.',
    'Send `active=false` to sell it no longer.',
  ),
  price_limit_reached: invalid(
    'The product has 10,000 prices.',
    'Create another product for more prices.',
  ),
  customer_balance_limit_exceeded: invalid(
    'The balance of the customer would be more than 1,000,000,000,000 minor units above or below zero.',
    'Send an amount that keeps the balance within the limit.',
  ),
} as const satisfies Readonly<Record<string, ErrorCodeFacts>>;
