import { timingSafeEqual } from 'node:crypto';
import type { TokenCredential } from '@paymount/core/access';
import type { Environment, Owner, Scope } from '@paymount/core/kernel';
import { sharedSet } from './known-key.ts';

/** The cached fields of an access token. All records have the same fields, as those of keys. */
export class KnownToken {
  readonly tokenId: TokenCredential['tokenId'];
  readonly grantId: TokenCredential['grantId'];
  readonly platformId: TokenCredential['platformId'];
  readonly accountId: Owner['accountId'];
  readonly environment: Environment;
  readonly scopes: ReadonlySet<Scope>;
  readonly expiresAt: Date;
  readonly isRevoked: boolean;
  readonly isSuspended: boolean;
  readonly grantVersion: number;
  readonly platformVersion: number;
  readonly accountVersion: number;
  /** Used since its last check for eviction. */
  wasUsed = false;

  constructor(credential: TokenCredential) {
    this.tokenId = credential.tokenId;
    this.grantId = credential.grantId;
    this.platformId = credential.platformId;
    this.accountId = credential.accountId;
    this.environment = credential.environment;
    this.scopes = sharedSet(credential.scopes);
    this.expiresAt = credential.expiresAt;
    this.isRevoked = credential.isRevoked;
    this.isSuspended = credential.accountStatus === 'suspended';
    this.grantVersion = credential.grantVersion;
    this.platformVersion = credential.platformVersion;
    this.accountVersion = credential.accountVersion;
  }
}

/**
 * The record of a look-up's result.
 * @param hash that was looked up, compared again in constant time
 * @returns undefined if no token has it
 */
export function knownToken(
  credential: TokenCredential | undefined,
  hash: Uint8Array,
): KnownToken | undefined {
  if (credential === undefined || !timingSafeEqual(credential.hash, hash)) return undefined;
  return new KnownToken(credential);
}
