import type { Environment } from '../../kernel/basics/environment.ts';
import type { Id } from '../../kernel/basics/id.ts';
import type { Scope } from '../../kernel/callers/scope.ts';

export type PlatformId = Id<'ca'>;
export type ClientSecretId = Id<'csec'>;

/**
 * `confidential`: its server keeps a secret. `public`: an app on a device or in a browser, which
 * cannot keep one (RFC 6749, section 2.1).
 */
export const PLATFORM_TYPES = ['confidential', 'public'] as const;
export type PlatformType = (typeof PLATFORM_TYPES)[number];

export const PLATFORM_STATUSES = ['active', 'disabled'] as const;
export type PlatformStatus = (typeof PLATFORM_STATUSES)[number];

/** An OAuth client: merchants let it act for them. It belongs to the installation, not to an account. */
export interface Platform {
  readonly id: PlatformId;
  /** Increments with every change of the row. */
  readonly version: number;
  readonly environment: Environment;
  readonly type: PlatformType;
  /** 1-100 characters, shown to merchants. */
  readonly name: string;
  /** 1-10 addresses to which merchants return; a request must name one of them byte for byte. */
  readonly redirectUris: readonly string[];
  /** At most 5 other origins to which the redirect URIs forward the browser. */
  readonly callbackOrigins: readonly string[];
  /** The scopes that it may ask for; its tokens have no others. */
  readonly scopes: readonly Scope[];
  /** Whether authorization requests must use PKCE; always true for a public platform. */
  readonly requirePkce: boolean;
  /** The address for notices. */
  readonly contactEmail: string;
  /** All tokens of a disabled platform are refused. */
  readonly status: PlatformStatus;
  readonly disabledAt?: Date;
  readonly created: Date;
  readonly createdBy: string;
  /** Those that work, newest first. */
  readonly secrets: readonly ClientSecret[];
}

/** A secret with which a confidential platform authenticates; without the secret itself. */
export interface ClientSecret {
  readonly id: ClientSecretId;
  /** Prefix, tag and last four: `ocs_pm...a1B2`. */
  readonly redacted: string;
  readonly created: Date;
  readonly createdBy: string;
}

export const SECRET_REVOKED_REASONS = ['rotation', 'leak', 'admin'] as const;
export type SecretRevokedReason = (typeof SECRET_REVOKED_REASONS)[number];
