import type { PlatformRepository } from './platforms/platform-repository.ts';

/** What a change of access reads and writes for OAuth, bound to one transaction. Locks: platform. */
export interface OAuthRepositories {
  readonly platforms: PlatformRepository;
}
