import type { Owner } from '../../kernel/basics/environment.ts';
import type { EndpointId, EndpointSecretId, KeyId, LeakId } from '../../kernel/basics/id.ts';

/** A credential of ours that was seen where it must not be. */
export interface Leak extends Owner {
  readonly id: LeakId;
  readonly version: number;
  readonly credential:
    | { readonly kind: 'key'; readonly id: KeyId }
    | {
        readonly kind: 'signing_secret';
        readonly id: EndpointSecretId;
        readonly endpointId: EndpointId;
      };
  /** Prefix, tag and last four. */
  readonly redacted: string;
  /** Who reported it: `github`, `url` (it stood in an address that we were asked), or a name. */
  readonly source: string;
  /** Where it was seen; at most 2,048 characters. */
  readonly url?: string;
  /** What was done at once, or `revoked` when a later report of the same key revoked it. */
  readonly action: 'revoked' | 'notified' | 'already_revoked';
  readonly status: 'open' | 'dismissed';
  readonly dismissedAt?: Date;
  readonly created: Date;
}
