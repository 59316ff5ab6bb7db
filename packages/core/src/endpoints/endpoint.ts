import type { ApiVersion } from '../events/api-version.ts';
import type { EventPattern } from '../events/catalogue.ts';
import type { Owner } from '../shared/environment.ts';
import type { EndpointId, EndpointSecretId } from '../shared/id.ts';
import type { Page, PageRequest } from '../shared/page.ts';

/** A registered webhook URL. */
export interface Endpoint extends Owner {
  readonly id: EndpointId;
  readonly version: number;
  /** The `href` that registration judged; at most 2,048 characters. */
  readonly url: string;
  readonly enabledEvents: readonly EventPattern[];
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly apiVersion: ApiVersion;
  readonly status: 'enabled' | 'disabled' | 'deleted';
  readonly disabledReason?: 'manual';
  readonly disabledAt?: Date;
  /** Rises with every rotation, so that opened secrets can be cached. */
  readonly secretVersion: number;
  readonly created: Date;
}

/** A signing secret at rest. */
export interface EndpointSecret extends Owner {
  readonly id: EndpointSecretId;
  readonly endpointId: EndpointId;
  /** Compact JWE bound to `endpoint_secrets.sealed:<id>`. */
  readonly sealed: string;
  readonly kid: string;
  readonly last4: string;
  readonly created: Date;
  /** Absent for the current one. */
  readonly expiresAt?: Date;
}

export interface EndpointReader {
  /** Deleted endpoints are not found. */
  find(owner: Owner, id: EndpointId): Promise<Endpoint | undefined>;
  list(owner: Owner, page: PageRequest): Promise<Page<Endpoint>>;
}

export interface EndpointRepository extends EndpointReader {
  findForUpdate(owner: Owner, id: EndpointId): Promise<Endpoint | undefined>;
  /**
   * Endpoints of the owner that are not deleted. Locks the account row first, so that of two
   * callers at the limit one sees the other's endpoint.
   */
  countForUpdate(owner: Owner): Promise<number>;
}
