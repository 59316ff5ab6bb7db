import { createPaymount } from 'paymount';
import { type ApiClient, apiClient } from '../faults/api-client.ts';
import type { Host } from '../faults/host.ts';
import type { Setting } from '../faults/setting.ts';
import { query } from '../support/database.ts';

/** An account that sells one plan. */
export interface Seller {
  readonly client: ApiClient;
  readonly customer: string;
  /** Copies its subscription, so that it has `count` of them; none of the copies is due. */
  multiply(count: number): Promise<void>;
}

/** Opens accounts with one customer and one monthly subscription each. */
export async function openSellers(
  { databaseUrl, merchant }: Setting,
  host: Host,
  count: number,
): Promise<readonly Seller[]> {
  const paymount = await createPaymount({
    database: databaseUrl,
    sealingKeys: merchant.sealingKeys,
    mailer: false,
  });
  const sellers: Seller[] = [];
  for (let made = 0; made < count; made += 1) {
    const account = await paymount.accounts.create({
      name: `Seller ${made}`,
      country: 'DE',
      default_currency: 'eur',
    });
    const key = { account: account.id, livemode: false, type: 'secret', name: 'scale' } as const;
    const client = apiClient((await paymount.keys.create(key)).secret);
    sellers.push(await openSeller(databaseUrl, host, { client, place: made }));
  }
  await paymount.close();
  return sellers;
}

async function openSeller(
  databaseUrl: string,
  host: Host,
  { client, place }: { readonly client: ApiClient; readonly place: number },
): Promise<Seller> {
  const make = async (path: string, body: object): Promise<string> => {
    const { status, json, text } = await client.post(`${host.url}/v1/${path}`, body);
    if (status !== 200) throw new Error(`POST ${path} was answered ${text}`);
    return String(json['id']);
  };
  const customer = await make('customers', {
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  });
  const price = await make('prices', {
    product_data: { name: 'Basic' },
    currency: 'eur',
    unit_amount: 1_000,
    recurring: { interval: 'month' },
  });
  const subscription = await make('subscriptions', { customer, items: [{ price }] });
  return {
    client,
    customer,
    multiply: (count) => multiply(databaseUrl, subscription, { first: place * count, count }),
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
