import type { RingKey } from '@paymount/auth';
import type { Environment } from '@paymount/core/kernel';
import { type Acting, createPaymount } from 'paymount';
import { query } from '../../support/database.ts';
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

const IBAN = 'DE89370400440532013000';

/**
 * Gives each merchant a bank account, to which payouts may go at once.
 * @param api address of an API process
 */
export async function addBankAccounts(
  databaseUrl: string,
  api: string,
  parties: readonly Party[],
): Promise<void> {
  for (const { acting, mount, client } of parties) {
    const url = `${api}${mount}/v1/accounts/${acting.account}/external_accounts`;
    const made = { object: 'bank_account', country: 'DE', currency: 'eur', account_number: IBAN };
    const answer = await client.post(url, { external_account: made });
    if (answer.status !== 200) throw new Error(`No bank account could be added: ${answer.text}`);
  }
  // In live they would wait for a day, which no run has.
  await query(databaseUrl, 'UPDATE paymount.bank_accounts SET held_until = NULL');
}

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
