import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { Acting, Paymount } from 'paymount';
import { createPlatformApp } from '../../platform/platform-app.ts';
import { createMerchantUser } from '../merchants.ts';
import type { ShopOrigins } from './shop-origins.ts';

/** A platform of another company, and a user of the merchant who may connect it. */
export interface DemoPlatform {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  /** Its own server. */
  readonly platformUrl: string;
  /** Where a platform sends browsers. */
  readonly authorizeUrl: string;
  /** The user to log in as at the shop. */
  readonly loginAs: { readonly name: string; readonly password: string };
}

/** Registers the platform in test, and starts its server. */
export async function openPlatform(
  { paymount, database }: { readonly paymount: Paymount; readonly database: Knex },
  { account }: Acting,
  { test, platform }: Pick<ShopOrigins, 'test' | 'platform'>,
): Promise<DemoPlatform> {
  const redirectUri = `${platform.url}/callback`;
  const registered = await paymount.platforms.create({
    livemode: false,
    name: 'Example bookkeeping',
    redirect_uris: [redirectUri],
    scopes: ['charges:read', 'charges:write', 'payouts:read'],
    contact_email: 'ops@bookkeeping.example',
  });
  const clientId = registered.id;
  const clientSecret = registered.client_secret ?? '';
  const issuer = test.url;
  platform.serve(createPlatformApp({ issuer, clientId, clientSecret, redirectUri }));
  const loginAs = {
    name: `merchant-${randomBytes(4).toString('hex')}`,
    password: randomBytes(16).toString('hex'),
  };
  const accounts = [{ id: account, name: 'The tea shop', role: 'owner' as const }];
  await createMerchantUser(database, { ...loginAs, accounts });
  return {
    clientId,
    clientSecret,
    redirectUri,
    platformUrl: platform.url,
    authorizeUrl: `${issuer}/oauth/authorize`,
    loginAs,
  };
}
