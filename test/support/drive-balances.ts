import { expect } from 'chai';
import type Stripe from 'stripe';

/** Drives every route of the balances of customers with the official SDK, and checks the answers. */
export async function driveBalances(stripe: Stripe): Promise<void> {
  const { id: customer } = await stripe.customers.create({ name: 'Ada', balance: -200 });
  const made = await stripe.customers.createBalanceTransaction(customer, {
    amount: -500,
    currency: 'eur',
    description: 'Broken cup',
    metadata: { order: '7' },
  });
  expect(made).to.deep.include({
    object: 'customer_balance_transaction',
    type: 'adjustment',
    amount: -500,
    ending_balance: -700,
    metadata: { order: '7' },
    invoice: null,
  });
  expect(made.created).to.be.closeTo(Date.now() / 1_000, 60);
  const renamed = await stripe.customers.updateBalanceTransaction(customer, made.id, {
    description: 'Broken cups',
  });
  expect(renamed.description).to.equal('Broken cups');
  const found = await stripe.customers.retrieveBalanceTransaction(customer, made.id, {
    expand: ['customer'],
  });
  expect(found.customer).to.include({ id: customer, balance: -700, currency: 'eur' });
  const amounts: number[] = [];
  const pages = stripe.customers.listBalanceTransactions(customer, { limit: 1 });
  for await (const { amount } of pages) amounts.push(amount);
  expect(amounts).to.deep.equal([-500, -200]);
  const shown = await stripe.customers.retrieve(customer, { expand: ['invoice_credit_balance'] });
  expect(shown).to.deep.include({ invoice_credit_balance: { eur: 700 } });
  const refused = await stripe.customers
    .createBalanceTransaction(customer, { amount: 0, currency: 'eur' })
    .catch((error: unknown) => error);
  expect(refused).to.include({ statusCode: 400, code: 'amount_too_small', param: 'amount' });
}
