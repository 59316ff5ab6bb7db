import type { Owner } from '../basics/environment.ts';
import type { Id, KeyId, RequestId } from '../basics/id.ts';
import type { AuditContext } from './audit-context.ts';
import type { Scope } from './scope.ts';

/**
 * The identity that a request acts as. Queries take account and environment from here, never from
 * input.
 */
export type Principal = Owner & { readonly scopes: ReadonlySet<Scope> | 'all' } & (
    | {
        readonly kind: 'key';
        readonly keyType: 'secret' | 'restricted' | 'publishable';
        readonly keyId: KeyId;
        /** The state of the key when it was accepted; see `CredentialSnapshot`. */
        readonly snapshot: CredentialSnapshot;
        /** Present if the key was replaced: its answers say since when, and until when it works. */
        readonly replaced?: { readonly at: Date; readonly worksUntil?: Date };
      }
    /** A platform with an access token of OAuth, for the account that approved it. */
    | {
        readonly kind: 'token';
        readonly platformId: Id<'ca'>;
        readonly grantId: Id<'grt'>;
        readonly snapshot: CredentialSnapshot;
      }
    /** An admin of the management API who acts for an account. */
    | { readonly kind: 'admin'; readonly adminId: string }
    /** The host's own code in the same process; never made from a request. */
    | { readonly kind: 'host' }
  );

/**
 * The versions of the rows that a decision about a credential is based on. As long as all rows have
 * these versions and the credential has not expired, the decision stays valid.
 */
export type CredentialSnapshot = KeySnapshot | TokenSnapshot;

interface KeySnapshot {
  readonly keyId: KeyId;
  readonly keyVersion: number;
  readonly accountVersion: number;
}

interface TokenSnapshot {
  readonly tokenId: Id<'atk'>;
  readonly grantId: Id<'grt'>;
  readonly grantVersion: number;
  readonly platformVersion: number;
  readonly accountVersion: number;
}

/** One call of a service: the principal, the request id, and the claim on an idempotency key. */
export interface Call {
  readonly principal: Principal;
  readonly requestId: RequestId;
  /** Present when the request carried an `Idempotency-Key`. */
  readonly claim?: IdempotencyClaim;
  /** The source of the request, for audit rows; absent for calls in the same process. */
  readonly origin?: Pick<AuditContext, 'ip' | 'userAgent'>;
  /** Present if the change must write an audit row: calls of admins. */
  readonly audit?: AuditContext;
  /** Why, as an admin said; the audit row has it. */
  readonly reason?: string;
}

/** The right to execute a request with one `Idempotency-Key`. */
export interface IdempotencyClaim extends Owner {
  /** 1-255 printable ASCII characters, possibly with a text that separates callers. */
  readonly key: string;
  /**
   * The credential of the request, as `credentialIdOf` returns it; only this credential may replay an
   * answer that contains a secret.
   */
  readonly credential: string;
  /** Keyed hash of method, path and canonical parameters, hexadecimal. */
  readonly fingerprint: string;
  readonly requestId: RequestId;
  /** Until then no other request may execute with this key. */
  readonly lockedUntil: Date;
  readonly created: Date;
}
