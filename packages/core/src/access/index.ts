// Access control: accounts, keys, the addresses that may use them, and leaked keys.
// It imports the kernel, changes and events. Start at `keys/key-service.ts`.

export type { AccessChange } from './access-change.ts';
export type { AccessChangeNotifier } from './access-change-notifier.ts';
export type { AccessRepositories, AccessStorage } from './access-storage.ts';
export type { Account } from './accounts/account.ts';
export {
  type AccountCreate,
  AccountCreateInput,
  type AccountUpdate,
  AccountUpdateInput,
} from './accounts/account-input.ts';
export type {
  AccountDirectory,
  AccountReader,
  AccountRepository,
} from './accounts/account-repository.ts';
export {
  type AccountJson,
  AccountResource,
  toAccountResource,
} from './accounts/account-resource.ts';
export {
  type AccountEdit,
  type AccountService,
  createAccountService,
} from './accounts/account-service.ts';
export { addressBlock, canonicalAddress, peerAddress } from './addresses/address.ts';
export { AddressList, isListed } from './addresses/address-list.ts';
export { rangesFromOption } from './addresses/canonical-ranges.ts';
export { isLoopback } from './addresses/loopback.ts';
export { suggestRanges } from './addresses/suggest-ranges.ts';
export { type Caller, hostActor } from './caller.ts';
export {
  type FoundCredential,
  findCredentials,
  LONGEST_CREDENTIAL,
  redactCredentials,
} from './credentials/find-credentials.ts';
export { assertNoForbiddenText } from './credentials/forbidden-text.ts';
export {
  containsCredential,
  hashCredential,
  KEY_TYPES,
  type KeyType,
  MAX_CREDENTIAL_LENGTH,
  mintKey,
  type OAuthCredential,
  oauthTypeOf,
  parseCredential,
  redact,
} from './credentials/key-format.ts';
export type { TokenCredential } from './credentials/token-credential.ts';
export { endingAccess } from './ending-access.ts';
export {
  type Credential,
  type CredentialKey,
  isExpired,
  type Key,
  REVOKED_REASONS,
} from './keys/key.ts';
export type { CreatedKey } from './keys/key-change.ts';
export type { KeyEdit } from './keys/key-edit.ts';
export {
  type KeyCreate,
  KeyCreateInput,
  type KeyRevoke,
  KeyRevokeInput,
  type KeyRotate,
  KeyRotateInput,
  type KeyUpdate,
  KeyUpdateInput,
  MAX_OVERLAP_SECONDS,
} from './keys/key-input.ts';
export type {
  AuthEpoch,
  AuthSync,
  CredentialLookup,
  CredentialReader,
  KeyDirectory,
  KeyRepository,
  KeyUsageReader,
  KeyUsageRepository,
  TokenLookup,
} from './keys/key-repository.ts';
export {
  type KeyJson,
  KeyResource,
  type NewKeyJson,
  toKeyResource,
  toNewKeyResource,
} from './keys/key-resource.ts';
export { createKeyService, type KeyService } from './keys/key-service.ts';
export type { KeyUsage, KeyUse, UseCounts, UsedId } from './keys/key-usage.ts';
export { type KeyViews, keyViews } from './keys/key-views.ts';
export type { NewKey } from './keys/new-key.ts';
export { OwnKeys } from './keys/own-keys.ts';
export type { Exposure, LeakVerdict } from './leaks/exposure.ts';
export type { LeakPolicy } from './leaks/handle-leak.ts';
export type { Leak } from './leaks/leak.ts';
export type { LeakDirectory, LeakRepository } from './leaks/leak-repository.ts';
export { LeakResource, toLeakResource } from './leaks/leak-resource.ts';
export {
  createLeakService,
  type LeakService,
  type LeakServicePorts,
  reportUrls,
  URL_SOURCE,
} from './leaks/leak-service.ts';
export {
  type LeakReport,
  type LeakSource,
  type ReportHeaders,
  sourcesByName,
} from './leaks/leak-source.ts';
export { UrlLeaks } from './leaks/url-leaks.ts';
