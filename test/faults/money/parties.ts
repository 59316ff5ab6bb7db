import type { RingKey } from '@paymount/auth';
import type { Environment } from '@paymount/core/kernel';
import { type Acting, createPaymount } from 'paymount';
import { type ApiClient, apiClient } from '../api-client.ts';

/** A merchant in one environment: whom the host acts for, and a client that knows the key. */
export interface Party {
  readonly acting: Acting;
  /** Below the address of an API process: empty in test, `/live` in live. */
  readonly mount: string;
  readonly client: ApiClient;
}

/** Shorter than a process stands still, so that some requests are sent again while they run. */
const CLIENT_LIMIT_MS = 3_000;

/**
 * Opens merchants, in test and live in turn: the bank's two faces.
 * @param databaseUrl of a migrated database
 */
export async function openParties(
  databaseUrl: string,
  sealingKeys: readonly RingKey[],
  count: number,
): Promise<readonly Party[]> {
  const paymount = await createPaymount({ database: databaseUrl, sealingKeys });
  try {
    const parties: Party[] = [];
    for (let number = 0; number < count; number += 1) {
      const environment: Environment = number % 2 === 0 ? 'test' : 'live';
      const { id: account } = await paymount.accounts.create({
        name: `Merchant ${number}`,
        country: 'DE',
        default_currency: 'eur',
      });
      const { secret } = await paymount.keys.create({
        account,
        livemode: environment === 'live',
        type: 'secret',
        name: 'faults',
      });
      parties.push({
        acting: { account, environment },
        mount: environment === 'live' ? '/live' : '',
        client: apiClient(secret, { limitMs: CLIENT_LIMIT_MS, maxRetries: 0 }),
      });
    }
    return parties;
  } finally {
    await paymount.close();
  }
}
