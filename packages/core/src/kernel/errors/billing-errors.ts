import { type ErrorCodeFacts, invalid } from './request-errors.ts';

/** Errors of products, prices and invoices. */
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
  price_inactive: invalid('The price is not active.', 'Activate the price, or use another one.'),
  price_not_one_time: invalid(
    'The price recurs, and an invoice item is charged once.',
    'Use a price without `recurring`, or send an amount.',
  ),
  invoice_not_draft: invalid(
    'The invoice is issued, so it cannot be changed any more.',
    'Void it and create another one; `metadata` can still be changed.',
  ),
  invoice_item_limit_reached: invalid(
    'The invoice, or what waits for the customer, has 250 invoice items.',
    'Finalize the invoice, or create one from what waits.',
  ),
  invoice_payment_in_progress: invalid(
    'A charge of the invoice is pending, or has paid it.',
    'Wait for the result of the charge, which the message names.',
    409,
  ),
  payment_method_missing: invalid(
    'Neither the request nor the invoice nor its customer names a payment method.',
    'Send `payment_method`, or set `invoice_settings[default_payment_method]` of the customer.',
  ),
} as const satisfies Readonly<Record<string, ErrorCodeFacts>>;
