import type { TestApp } from '../support/app.ts';
import { ClockSetup } from '../support/clock-setup.ts';
import { query } from '../support/database.ts';

/** An account that sells one plan. */
export interface Seller {
  readonly shop: ClockSetup;
  readonly customer: string;
  /** Copies its subscription, so that it has `count` of them; none of the copies is due. */
  multiply(count: number): Promise<void>;
}

/** Opens accounts with one customer and one monthly subscription each. */
export async function openSellers(app: TestApp, count: number): Promise<readonly Seller[]> {
  const sellers: Seller[] = [];
  for (let made = 0; made < count; made += 1) {
    const account = await app.paymount.accounts.create({
      name: `Seller ${made}`,
      country: 'DE',
      default_currency: 'eur',
    });
    const key = { account: account.id, livemode: false, type: 'secret', name: 'scale' } as const;
    const { secret: secretKey } = await app.paymount.keys.create(key);
    sellers.push(await openSeller({ ...app, secretKey }, made));
  }
  return sellers;
}

async function openSeller(app: TestApp, place: number): Promise<Seller> {
  const shop = new ClockSetup(app);
  const customer = await shop.make('/v1/customers', {
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  });
  const price = await shop.make('/v1/prices', {
    product_data: { name: 'Basic' },
    currency: 'eur',
    unit_amount: 1_000,
    recurring: { interval: 'month' },
  });
  const sold = { customer: customer['id'], items: [{ price: price['id'] }] };
  const subscription = String((await shop.make('/v1/subscriptions', sold))['id']);
  return {
    shop,
    customer: String(customer['id']),
    multiply: (count) => multiply(app.databaseUrl, subscription, { first: place * count, count }),
  };
}

/** Copies a subscription with its first period, which has no invoice. */
async function multiply(
  databaseUrl: string,
  subscription: string,
  { first, count }: { readonly first: number; readonly count: number },
): Promise<void> {
  await query(
    databaseUrl,
    `WITH made AS (INSERT INTO paymount.subscriptions
         SELECT (jsonb_populate_record(u, jsonb_build_object(
           'id', 'sub_' || lpad(n::text, 26, '0'),
           'next_action_at', now() + interval '10 years',
           'items', jsonb_set(u.items, '{0,id}', to_jsonb('si_' || lpad(n::text, 26, '0')))))).*
         FROM paymount.subscriptions u, generate_series($2::integer, $3::integer) n
         WHERE u.id = $1 RETURNING account_id, livemode, id)
     INSERT INTO paymount.billing_periods
       SELECT m.account_id, m.livemode, m.id, p.index, p.starts_at, p.ends_at, NULL, false
       FROM made m JOIN paymount.billing_periods p
         ON (p.account_id, p.livemode, p.subscription_id) = (m.account_id, m.livemode, $1)`,
    [subscription, first + 1, first + count - 1],
  );
}
