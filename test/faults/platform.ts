import { createPaymount, type Paymount, type Platform } from 'paymount';
import { approve } from '../support/approve.ts';
import { type ApiAnswer, type ApiClient, apiClient } from './api-client.ts';
import type { Setting } from './setting.ts';

/** A platform in the database of a setting, and the merchant who approves it. */
export interface ConnectingPlatform {
  /** The merchant of the setting approves. @returns the code */
  approve(): Promise<string>;
  /** Asks an endpoint below `/oauth` of a host, as the platform. */
  ask(hostUrl: string, endpoint: string, parameters: object): Promise<ApiAnswer>;
  /** Whether an access token works at a host. */
  mayRead(hostUrl: string, accessToken: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Registers a platform. */
export async function openPlatform({
  databaseUrl,
  merchant,
}: Setting): Promise<ConnectingPlatform> {
  const { sealingKeys, account } = merchant;
  const paymount = await createPaymount({ database: databaseUrl, sealingKeys, mailer: false });
  const platform = await paymount.platforms.create({
    livemode: false,
    name: 'Ledger app',
    redirect_uris: ['https://ledger.example.com/callback'],
    scopes: ['charges:read', 'charges:write'],
    contact_email: 'ops@ledger.example.com',
  });
  return connecting(paymount, { platform, account });
}

function connecting(
  paymount: Paymount,
  { platform, account }: { readonly platform: Platform; readonly account: string },
): ConnectingPlatform {
  const client = apiClient('');
  const credentials = { client_id: platform.id, client_secret: platform.client_secret };
  const bearers = new Map<string, ApiClient>();
  return {
    approve: () => approve(paymount, { platform, account }),
    ask: (hostUrl, endpoint, parameters) =>
      client.post(`${hostUrl}/oauth/${endpoint}`, { ...credentials, ...parameters }),
    async mayRead(hostUrl, accessToken) {
      const bearer = bearers.get(accessToken) ?? apiClient(accessToken);
      bearers.set(accessToken, bearer);
      return (await bearer.get(`${hostUrl}/v1/charges?limit=1`)).status === 200;
    },
    async close() {
      await Promise.all([client, ...bearers.values()].map((each) => each.close()));
      await paymount.close();
    },
  };
}
