import type { Acting, Paymount } from 'paymount';

/** A new account for this run, so that its balances are easy to follow. */
export async function openMerchant(paymount: Paymount): Promise<Acting> {
  const account = await paymount.accounts.create({
    name: 'The tea shop',
    email: 'owner@tea-shop.example',
    country: 'DE',
    default_currency: 'eur',
  });
  return { account: account.id, environment: 'test' };
}
