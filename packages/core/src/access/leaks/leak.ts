import type { Owner } from '../../kernel/basics/environment.ts';
import type { EndpointId, EndpointSecretId, Id, KeyId, LeakId } from '../../kernel/basics/id.ts';

/** A leaked credential of this installation. */
export interface Leak extends Owner {
  readonly id: LeakId;
  readonly version: number;
  readonly credential:
    | { readonly kind: 'key'; readonly id: KeyId }
    | {
        readonly kind: 'signing_secret';
        readonly id: EndpointSecretId;
        readonly endpointId: EndpointId;
      }
    /** A code or a token of a platform; all of them end with their grant. */
    | { readonly kind: 'grant'; readonly id: Id<'grt'> };
  /** Prefix, tag and last four. */
  readonly redacted: string;
  /** The reporter: `github`, `url` (it was in a request URL of this API), or a name. */
  readonly source: string;
  /** Where it was seen; at most 2,048 characters. */
  readonly url?: string;
  /** The first action, or `revoked` if a later report of the same key revoked it. */
  readonly action: 'revoked' | 'notified' | 'already_revoked';
  readonly status: 'open' | 'dismissed';
  readonly dismissedAt?: Date;
  readonly created: Date;
}
