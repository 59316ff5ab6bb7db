import type { AccountId, Scope } from '@paymount/core/kernel';
import type { Platform as StoredPlatform } from '@paymount/core/oauth';
import type { Paymount, Platform } from 'paymount';
import { partsOf } from '../../packages/paymount/src/paymount.ts';

/** What a merchant approves, and for whom. */
export interface Approved {
  readonly platform: Pick<Platform, 'id' | 'livemode'>;
  readonly account: string;
  /** @defaultValue charges:read, charges:write */
  readonly scopes?: readonly Scope[];
  readonly redirectUri?: string;
  readonly codeChallenge?: string;
}

/** A merchant approves, without the page for it. @returns the code */
export async function approve(
  paymount: Paymount,
  { platform, account, scopes, redirectUri, codeChallenge }: Approved,
): Promise<string> {
  const { grants, stores } = partsOf(paymount);
  const stored = await stores.directory.platforms.find(platform.id as StoredPlatform['id']);
  if (stored === undefined) throw new Error(`There is no platform ${platform.id}.`);
  return grants.approve({
    platform: stored,
    accountId: account as AccountId,
    environment: platform.livemode ? 'live' : 'test',
    scopes: scopes ?? ['charges:read', 'charges:write'],
    userId: 'user-1',
    ...(redirectUri === undefined ? {} : { redirectUri }),
    ...(codeChallenge === undefined ? {} : { codeChallenge }),
    by: { actor: { type: 'user', id: 'user-1' }, via: 'session' },
  });
}
