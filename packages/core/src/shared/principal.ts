import type { Owner } from './environment.ts';
import type { KeyId, RequestId } from './id.ts';
import type { Scope } from './scope.ts';

/** Who a request acts as. Queries take account and environment from here, never from input. */
export type Principal = Owner & { readonly scopes: ReadonlySet<Scope> | 'all' } & (
    | {
        readonly kind: 'key';
        readonly keyType: 'secret' | 'restricted' | 'publishable';
        readonly keyId: KeyId;
      }
    /** The host's own code, in-process; never made from a request. */
    | { readonly kind: 'host' }
  );

/** One call of a service: who asks, under which request id, under which claim on a key. */
export interface Call {
  readonly principal: Principal;
  readonly requestId: RequestId;
  /** Present when the request carried an `Idempotency-Key`. */
  readonly claim?: IdempotencyClaim;
}

/** The right to execute under one `Idempotency-Key`. */
export interface IdempotencyClaim extends Owner {
  /** 1-255 printable ASCII characters. */
  readonly key: string;
  /** Keyed hash of method, path and canonical parameters, hexadecimal. */
  readonly fingerprint: string;
  readonly requestId: RequestId;
  /** Until then nobody else may execute under this key. */
  readonly lockedUntil: Date;
  readonly created: Date;
}
