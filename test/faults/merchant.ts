import type { RingKey } from '@paymount/auth';
import type { AccountId } from '@paymount/core/kernel';
import { createPaymount } from 'paymount';
import { makeSealingKeys } from '../support/make.ts';
import { type ApiClient, apiClient } from './api-client.ts';

/** An account with a secret key for the test environment, and what host processes need. */
export interface Merchant {
  readonly account: AccountId;
  readonly secretKey: string;
  readonly sealingKeys: readonly RingKey[];
  readonly client: ApiClient;
  close(): Promise<void>;
}

/** Opens an account in a migrated database. */
export async function openMerchant(databaseUrl: string): Promise<Merchant> {
  const sealingKeys = makeSealingKeys();
  const paymount = await createPaymount({ database: databaseUrl, sealingKeys });
  const { id: account } = await paymount.accounts.create({
    name: 'Fault shop',
    email: 'owner@shop.example',
    country: 'DE',
    default_currency: 'eur',
  });
  const { secret: secretKey } = await paymount.keys.create({
    account,
    livemode: false,
    type: 'secret',
    name: 'faults',
  });
  await paymount.close();
  const client = apiClient(secretKey);
  return {
    account: account as AccountId,
    secretKey,
    sealingKeys,
    client,
    close: () => client.close(),
  };
}
