/** What an account sells, as an admin sees it. */
export interface BilledObjects {
  readonly subscriber: string;
  /** Active. */
  readonly subscription: string;
  /** Open; its customer has a card. */
  readonly payable: string;
  /** Open. */
  readonly issued: string;
  /** Open. */
  readonly doubtful: string;
}

/**
 * Sells a subscription to a customer, who gets three invoices besides.
 * @param post sends a form to `/v1` with a key of the account, and returns the id of what was made
 */
export async function billedObjects(
  post: (path: string, form: string) => Promise<string>,
): Promise<BilledObjects> {
  const subscriber = await post('/customers', 'name=Ada');
  const method = await post('/payment_methods', 'type=card&card[token]=tok_visa');
  await post(`/payment_methods/${method}/attach`, `customer=${subscriber}`);
  const setting = `invoice_settings[default_payment_method]=${method}`;
  await post(`/customers/${subscriber}`, setting);
  const monthly = 'currency=eur&unit_amount=1000&recurring[interval]=month';
  const price = await post('/prices', `product_data[name]=Basic&${monthly}`);
  const subscription = await post(
    '/subscriptions',
    `customer=${subscriber}&items[0][price]=${price}`,
  );
  const newInvoice = async (): Promise<string> => {
    const invoice = await post('/invoices', `customer=${subscriber}&currency=eur`);
    const item = `customer=${subscriber}&invoice=${invoice}&amount=100&currency=eur`;
    await post('/invoiceitems', item);
    return post(`/invoices/${invoice}/finalize`, '');
  };
  return {
    subscriber,
    subscription,
    payable: await newInvoice(),
    issued: await newInvoice(),
    doubtful: await newInvoice(),
  };
}
