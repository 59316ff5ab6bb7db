import type { EventPattern } from '../../changes/events/event-types.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import type { EndpointId, EndpointSecretId } from '../../kernel/basics/id.ts';
import type { Maker } from '../../kernel/callers/maker.ts';

/** A registered webhook URL. */
export interface Endpoint extends Owner {
  readonly id: EndpointId;
  readonly version: number;
  /** The `href` that registration checked; at most 2,048 characters. */
  readonly url: string;
  readonly enabledEvents: readonly EventPattern[];
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** One of our versions, or one of Stripe's: then its deliveries are in Stripe's form. */
  readonly apiVersion: string;
  readonly status: 'enabled' | 'disabled' | 'deleted';
  /** `access_ended`: the platform or key that set its URL has no access any more. */
  readonly disabledReason?: 'manual' | 'failing' | 'gone' | 'access_ended';
  readonly disabledAt?: Date;
  /**
   * The end of the first failed attempt after a success, enabling, or a change of the URL. Storage sets
   * it; a change only removes it, by enabling or by another URL.
   */
  readonly failingSince?: Date;
  /** Increments with every rotation, so that opened secrets can be cached. */
  readonly secretVersion: number;
  readonly created: Date;
  /** All three are absent if a process of an earlier version wrote the row. */
  readonly createdBy?: Maker;
  /** Who last changed it or its secret. */
  readonly changedBy?: Maker;
  /**
   * Who decided where its events go. A platform changes only endpoints whose URL it set, and an
   * endpoint ends with the credential that set its URL. Absent: it counts as the merchant's.
   */
  readonly urlSetBy?: Maker;
}

/** An endpoint, with the signing secret that is shown only once. */
export interface EndpointWithSecret {
  readonly endpoint: Endpoint;
  readonly secret: string;
}

/** What waits for an endpoint when it is enabled. */
export interface EndpointBacklog {
  /** A minute before it was disabled, because the clocks of two machines may differ. */
  readonly since: Date;
  /** Deliveries that continue; at most 10,000 are counted. */
  readonly resuming: number;
  /** Events that were skipped since; at most 10,000 are counted. */
  readonly missed: number;
}

/** A changed endpoint. */
export interface UpdatedEndpoint {
  readonly endpoint: Endpoint;
  /** Present if the change enabled it. */
  readonly backlog?: EndpointBacklog;
}

/** A signing secret at rest. */
export interface EndpointSecret extends Owner {
  readonly id: EndpointSecretId;
  readonly endpointId: EndpointId;
  /** Compact JWE bound to `endpoint_secrets.sealed:<id>`. */
  readonly sealed: string;
  readonly kid: string;
  readonly last4: string;
  /** SHA-256 of the secret, to find it when somebody reports it as leaked. */
  readonly hash: Uint8Array;
  readonly created: Date;
  /** Absent for the current secret. */
  readonly expiresAt?: Date;
}

/** The stored data of a signing secret besides the secret itself. */
export type EndpointSecretFacts = Omit<EndpointSecret, 'sealed' | 'kid'>;
