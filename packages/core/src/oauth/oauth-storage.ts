import type { AccountReader } from '../access/accounts/account-repository.ts';
import type { GrantRepository } from './grants/grant-repository.ts';
import type { InteractionRepository } from './interactions/interaction-repository.ts';
import type { PlatformRepository } from './platforms/platform-repository.ts';
import type { OAuthTokenRepository } from './tokens/token-repository.ts';

/**
 * What a change of access reads and writes for OAuth, bound to one transaction. Locks: platform,
 * interaction, code or refresh token, grants by id.
 */
export interface OAuthRepositories {
  readonly accounts: AccountReader;
  readonly platforms: PlatformRepository;
  readonly grants: GrantRepository;
  readonly interactions: InteractionRepository;
  readonly tokens: OAuthTokenRepository;
}
