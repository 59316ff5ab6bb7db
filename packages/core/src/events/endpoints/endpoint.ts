import type { EventPattern, EventType } from '../../changes/events/catalogue.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import type { EndpointId, EndpointSecretId } from '../../kernel/basics/id.ts';
import type { AdminListFilter, AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';

/** A registered webhook URL. */
export interface Endpoint extends Owner {
  readonly id: EndpointId;
  readonly version: number;
  /** The `href` that registration judged; at most 2,048 characters. */
  readonly url: string;
  readonly enabledEvents: readonly EventPattern[];
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** One of ours, or one of Stripe's: then its deliveries are in Stripe's form. */
  readonly apiVersion: string;
  readonly status: 'enabled' | 'disabled' | 'deleted';
  readonly disabledReason?: 'manual';
  readonly disabledAt?: Date;
  /** Rises with every rotation, so that opened secrets can be cached. */
  readonly secretVersion: number;
  readonly created: Date;
}

/** An endpoint, and the signing secret that is shown this once. */
export interface EndpointWithSecret {
  readonly endpoint: Endpoint;
  readonly secret: string;
}

/** A signing secret at rest. */
export interface EndpointSecret extends Owner {
  readonly id: EndpointSecretId;
  readonly endpointId: EndpointId;
  /** Compact JWE bound to `endpoint_secrets.sealed:<id>`. */
  readonly sealed: string;
  readonly kid: string;
  readonly last4: string;
  /** SHA-256 of the secret, to find it again when somebody reports it leaked. */
  readonly hash: Uint8Array;
  readonly created: Date;
  /** Absent for the current one. */
  readonly expiresAt?: Date;
}

export interface EndpointReader {
  /** Deleted endpoints are not found. */
  find(owner: Owner, id: EndpointId): Promise<Endpoint | undefined>;
  list(owner: Owner, page: PageRequest): Promise<Page<Endpoint>>;
  /** The enabled endpoints that get events of this type; by id, at most 50. */
  enabledFor(owner: Owner, type: EventType): Promise<readonly Endpoint[]>;
  /** Of these the first by id at which so many deliveries wait that single replays made, or more. */
  fullOfReplays(ids: readonly EndpointId[], limit: number): Promise<EndpointId | undefined>;
  /** How many of its secrets sign at this time: the current one, and those of an overlap. */
  countSecrets(owner: Owner, id: EndpointId, at: Date): Promise<number>;
}

export interface EndpointRepository extends EndpointReader {
  findForUpdate(owner: Owner, id: EndpointId): Promise<Endpoint | undefined>;
  /**
   * Endpoints of the owner that are not deleted. Locks the account row first, so that of two
   * callers at the limit one sees the other's endpoint.
   */
  countForUpdate(owner: Owner): Promise<number>;
}

/** What is stored of a signing secret besides the secret. */
export type EndpointSecretFacts = Omit<EndpointSecret, 'sealed' | 'kid'>;

export interface EndpointSecretReader {
  /** Secrets with these hashes that still sign or signed once; deleted endpoints' too. */
  findByHashes(hashes: readonly Uint8Array[]): Promise<readonly EndpointSecretFacts[]>;
  /**
   * Endpoints of the owner, not deleted, whose current secret was made before `before`: what a
   * leak may have exposed.
   */
  endpointsOlderThan(owner: Owner, before: Date): Promise<readonly EndpointId[]>;
}

/** What admins look through, across accounts. */
export interface EndpointDirectory {
  find(id: EndpointId): Promise<Endpoint | undefined>;
  /** Newest first; without deleted ones. @throws PaymountError `invalid_cursor` */
  list(
    scope: AdminScope,
    filter: AdminListFilter<'enabled' | 'disabled'>,
    page: PageRequest,
  ): Promise<Page<Endpoint>>;
}
