import { type ErrorCodeFacts, invalid } from './request-errors.ts';

/** Errors of products, prices, balances, invoices and subscriptions. */
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
  invoice_item_credited: invalid(
    'A later item gives back time that this one bills.',
    'Delete the item that the message names first, or change the subscription instead.',
  ),
  invoice_customer_deleted: invalid(
    'The customer of the draft was deleted, so it cannot be finalized.',
    'Delete the draft, and create one for another customer.',
  ),
  invoice_charged_automatically: invalid(
    'The invoice is charged automatically, and only one that the customer pays by hand is sent.',
    'Create it with `collection_method=send_invoice`, or give the customer its `hosted_invoice_url`.',
  ),
  invoice_pages_missing: invalid(
    'This service has no pages of invoices, so an e-mail could not link to one.',
    'Ask the operator to set `invoices.urls` and to mount `invoiceRouter()`.',
  ),
  customer_email_missing: invalid(
    'The customer has no e-mail address.',
    'Set `email` of the customer, and send the invoice again.',
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
  invoice_upcoming_none: invalid(
    'Nothing would be invoiced.',
    'No action is needed: the subscription ends, waits for a payment, or is paused.',
    404,
  ),
  payment_method_missing: invalid(
    'Neither the request nor the invoice nor its customer names a payment method.',
    'Send `payment_method`, or set `invoice_settings[default_payment_method]` of the customer.',
  ),
  price_not_recurring: invalid(
    'The price is charged once, so it cannot be an item of a subscription.',
    'Use a price with `recurring`, or charge it once in an invoice item.',
  ),
  price_interval_mismatch: invalid(
    'The items of a subscription would be charged at different intervals.',
    'Use prices with the same interval and interval count, or create another subscription.',
  ),
  subscription_currency_mismatch: invalid(
    'The items of a subscription would have different currencies, or another one than before.',
    'Use prices in one currency, or create another subscription.',
  ),
  subscription_item_limit_reached: invalid(
    'The subscription would have more than 20 items.',
    'Remove items, or create another subscription.',
  ),
  subscription_item_exists: invalid(
    'Another item of the subscription has this price.',
    'Send the id of that item with the new quantity.',
  ),
  subscription_item_required: invalid(
    'The subscription would have no items.',
    'Keep one item, or cancel the subscription.',
  ),
  subscription_limit_reached: invalid(
    'The customer has 500 subscriptions that are not over.',
    'Cancel one of them first.',
  ),
  subscription_canceled: invalid(
    'The subscription is over, so it cannot be changed.',
    'Create another subscription.',
  ),
  subscription_unpaid: invalid(
    'An invoice of the current period is not paid, or its money was taken back, so unused time has no value.',
    'Pay the invoice, void it, or send `proration_behavior=none`. While a bank debit of it is on its way, wait until it has cleared.',
  ),
  subscription_paused: invalid(
    'The subscription is paused, so no period is billed.',
    'Resume it first.',
  ),
  subscription_not_paused: invalid(
    'The subscription is not paused, so it cannot be resumed.',
    'No action is needed. To collect money again, send an empty `pause_collection`.',
  ),
  subscription_update_pending: invalid(
    'Another change waits for the end of the current period.',
    'Send an empty `pending_update` to drop it, in the same request or before.',
  ),
  subscription_renewal_due: invalid(
    'The current period has ended, and the next one is not billed yet.',
    'Try again in a few seconds.',
    409,
  ),
  subscription_customer_mismatch: invalid(
    'The subscription belongs to another customer.',
    'Send the customer of the subscription, or leave `customer` out.',
  ),
  trial_end_in_past: invalid(
    'A trial cannot end in the past.',
    'Send a time in the future, or `now`.',
  ),
  cancel_at_in_past: invalid(
    'A cancellation cannot be scheduled in the past.',
    'Send a time in the future, or cancel the subscription now.',
  ),
  proration_date_outside_period: invalid(
    'The time for prorations is not in the current period, or is before the last change in it.',
    'Send a time as the message describes, or leave `proration_date` out.',
  ),
  customer_balance_limit_exceeded: invalid(
    'The balance of the customer would be more than 1,000,000,000,000 minor units above or below zero.',
    'Send an amount that keeps the balance within the limit.',
  ),
} as const satisfies Readonly<Record<string, ErrorCodeFacts>>;
