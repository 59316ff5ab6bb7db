// OAuth for platforms: the platforms that merchants let act for them.
// It imports the kernel, changes and access. Start at `platforms/platform-service.ts`.

export type { OAuthRepositories } from './oauth-storage.ts';
export type { NewPlatform, PlatformEdit, PlatformSettings } from './platforms/new-platform.ts';
export {
  type ClientSecret,
  type ClientSecretId,
  PLATFORM_STATUSES,
  PLATFORM_TYPES,
  type Platform,
  type PlatformId,
  type PlatformType,
} from './platforms/platform.ts';
export {
  type ClientSecretRevoke,
  ClientSecretRevokeInput,
  type PlatformCreate,
  PlatformCreateInput,
  type PlatformUpdate,
  PlatformUpdateInput,
} from './platforms/platform-input.ts';
export type {
  PlatformDirectory,
  PlatformReader,
  PlatformRepository,
} from './platforms/platform-repository.ts';
export {
  type PlatformJson,
  PlatformResource,
  toPlatformResource,
} from './platforms/platform-resource.ts';
export {
  createPlatformService,
  type PlatformService,
  type PlatformWithSecret,
} from './platforms/platform-service.ts';
