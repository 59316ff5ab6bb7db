import type { Owner } from '../basics/environment.ts';
import type { KeyId, RequestId } from '../basics/id.ts';
import type { AuditContext } from './audit-context.ts';
import type { Scope } from './scope.ts';

/** Who a request acts as. Queries take account and environment from here, never from input. */
export type Principal = Owner & { readonly scopes: ReadonlySet<Scope> | 'all' } & (
    | {
        readonly kind: 'key';
        readonly keyType: 'secret' | 'restricted' | 'publishable';
        readonly keyId: KeyId;
        /** What was true of the key when it was let in; see `CredentialSnapshot`. */
        readonly snapshot: CredentialSnapshot;
        /** Present when the key was replaced: its answers say since when, and until when it works. */
        readonly replaced?: { readonly at: Date; readonly worksUntil?: Date };
      }
    /** An admin of the management API, for an account that the admin may see. */
    | { readonly kind: 'admin'; readonly adminId: string }
    /** The host's own code, in-process; never made from a request. */
    | { readonly kind: 'host' }
  );

/**
 * The versions of the rows that a decision about a credential rests on. While both rows have
 * them, and the key has not expired, the decision would be the same again.
 */
export interface CredentialSnapshot {
  readonly keyId: KeyId;
  readonly keyVersion: number;
  readonly accountVersion: number;
}

/** One call of a service: who asks, under which request id, under which claim on a key. */
export interface Call {
  readonly principal: Principal;
  readonly requestId: RequestId;
  /** Present when the request carried an `Idempotency-Key`. */
  readonly claim?: IdempotencyClaim;
  /** Where a request came from, for audit rows; absent in-process. */
  readonly origin?: Pick<AuditContext, 'ip' | 'userAgent'>;
  /** Present when the change must leave an audit row: calls of admins. */
  readonly audit?: AuditContext;
}

/** The right to execute under one `Idempotency-Key`. */
export interface IdempotencyClaim extends Owner {
  /** 1-255 printable ASCII characters. */
  readonly key: string;
  /** Who makes the request, as `credentialOf` says; an answer that shows a secret is theirs alone. */
  readonly credential: string;
  /** Keyed hash of method, path and canonical parameters, hexadecimal. */
  readonly fingerprint: string;
  readonly requestId: RequestId;
  /** Until then nobody else may execute under this key. */
  readonly lockedUntil: Date;
  readonly created: Date;
}
