import type { Grant, Platform as StoredPlatform } from '@paymount/core/oauth';
import type { Paymount } from 'paymount';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import { approve } from './approve.ts';

/** A new platform that an account connected. */
export interface Connected {
  readonly platform: string;
  /** The id of its secret. */
  readonly clientSecret: string;
  readonly grant: Grant['id'];
  readonly accessToken: string;
}

/** Two platforms that an account connected. */
export async function connectTwo(
  paymount: Paymount,
  account: string,
  environment: 'live' | 'test' = 'test',
): Promise<readonly [string, string]> {
  const first = await connectPlatform(paymount, account, environment);
  const second = await connectPlatform(paymount, account, environment);
  return [first.platform, second.platform];
}

/** Registers a platform, which an account approves and which collects its tokens. */
export async function connectPlatform(
  paymount: Paymount,
  account: string,
  environment: 'live' | 'test' = 'test',
  name = 'An app',
): Promise<Connected> {
  const platform = await paymount.platforms.create({
    livemode: environment === 'live',
    name,
    contact_email: 'app@example.com',
    scopes: ['charges:read'] as const,
    redirect_uris: ['https://app.example.com/callback'],
  });
  const { stores, tokens } = partsOf(paymount);
  const stored = await stores.directory.platforms.find(platform.id as StoredPlatform['id']);
  if (stored === undefined) throw new Error(`There is no platform ${platform.id}.`);
  const code = await approve(paymount, { platform, account, scopes: ['charges:read'] });
  const { grant, pair } = await tokens.exchange(stored, { code });
  const clientSecret = platform.client_secrets[0]?.id ?? '';
  return { platform: platform.id, clientSecret, grant: grant.id, accessToken: pair.accessToken };
}
