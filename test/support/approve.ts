import { hashCredential } from '@paymount/core/access';
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

const USER = { userId: 'user-1', sessionHash: hashCredential('session-1') };

/** A merchant approves, without the page for it. @returns the code */
export async function approve(
  paymount: Paymount,
  { platform, account, scopes = ['charges:read', 'charges:write'], ...asked }: Approved,
): Promise<string> {
  const { interactions, stores } = partsOf(paymount);
  const stored = await stores.directory.platforms.find(platform.id as StoredPlatform['id']);
  if (stored === undefined) throw new Error(`There is no platform ${platform.id}.`);
  const { redirectUri, codeChallenge } = asked;
  const interaction = await interactions.begin({
    platform: stored,
    request: { scopes, ...(codeChallenge === undefined ? {} : { codeChallenge }) },
    redirectUri: redirectUri ?? stored.redirectUris[0] ?? '',
    namesRedirectUri: redirectUri !== undefined,
    browserSecret: 'secret',
  });
  await interactions.bind(interaction, USER);
  const code = await interactions.approve(interaction, {
    ...USER,
    accountId: account as AccountId,
    scopes,
    by: { actor: { type: 'user', id: USER.userId }, via: 'session' },
  });
  if (code === undefined) throw new Error('The interaction ended before it was approved.');
  return code;
}
