import { expect } from 'chai';
import type Stripe from 'stripe';

/** Drives every route of products and prices with the official SDK, and checks the answers. */
export async function drivePrices(stripe: Stripe): Promise<void> {
  const made = await stripe.products.create({ name: 'Tea', metadata: { kind: 'green' } });
  expect(made).to.include({ object: 'product', name: 'Tea', active: true });
  const product = await stripe.products.update(made.id, { description: 'Twelve kinds' });
  expect(await stripe.products.retrieve(made.id)).to.deep.include({ ...product });
  const listed = await stripe.products.list({ ids: [made.id], active: true });
  expect(listed.data.map(({ id }) => id)).to.deep.equal([made.id]);
  const price = await stripe.prices.create({
    product: made.id,
    currency: 'eur',
    unit_amount: 1_900,
    recurring: { interval: 'month', interval_count: 3 },
    lookup_key: 'sdk_quarterly',
  });
  expect(price).to.deep.include({ object: 'price', type: 'recurring', unit_amount: 1_900 });
  expect(price.recurring).to.deep.include({ interval: 'month', interval_count: 3 });
  expect(price.created).to.be.closeTo(Date.now() / 1_000, 60);
  const next = await stripe.prices.create({
    product_data: { name: 'Coffee' },
    currency: 'eur',
    unit_amount: 2_100,
    lookup_key: 'sdk_quarterly',
    transfer_lookup_key: true,
  });
  const found = await stripe.prices.list({ lookup_keys: ['sdk_quarterly'] });
  expect(found.data.map(({ id }) => id)).to.deep.equal([next.id]);
  expect((await stripe.prices.update(price.id, { active: false })).active).to.equal(false);
  const { product: expanded } = await stripe.prices.retrieve(price.id, { expand: ['product'] });
  expect(expanded).to.deep.include({ id: made.id, name: 'Tea' });
  const kept = await stripe.products.del(made.id).catch((error: unknown) => error);
  expect(kept).to.include({ statusCode: 400, code: 'product_has_prices' });
  const { id: spare } = await stripe.products.create({ name: 'Spare' });
  const gone = { id: spare, object: 'product', deleted: true };
  expect(await stripe.products.del(spare)).to.deep.include(gone);
}
