import type { EventType } from '../../changes/events/event-types.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import type { EndpointId } from '../../kernel/basics/id.ts';
import type { AdminListFilter, AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { Maker } from '../../kernel/callers/maker.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import type { WebhookChange } from '../webhook-change.ts';
import type { EndedEndpoints, EndedSubject } from './ended-access.ts';
import type { Endpoint, EndpointSecret, EndpointSecretFacts } from './endpoint.ts';

export interface EndpointReader {
  /** Deleted endpoints are not found. */
  find(owner: Owner, id: EndpointId): Promise<Endpoint | undefined>;
  /** @param urlSetBy only those whose URL this platform set */
  list(owner: Owner, page: PageRequest, urlSetBy?: Maker['id']): Promise<Page<Endpoint>>;
  /** The enabled endpoints that get events of this type; by id, at most 50. */
  enabledFor(owner: Owner, type: EventType): Promise<readonly Endpoint[]>;
  /**
   * The first by id of these endpoints that has at least so many pending deliveries of single
   * replays.
   */
  fullOfReplays(ids: readonly EndpointId[], limit: number): Promise<EndpointId | undefined>;
  /** Its unfinished deliveries, and those skipped since a time; each counted up to 10,000. */
  backlog(
    owner: Owner,
    id: EndpointId,
    since: Date,
  ): Promise<{ readonly resuming: number; readonly missed: number }>;
  /** How many of its secrets sign at this time: the current one, and those in an overlap. */
  countSecrets(owner: Owner, id: EndpointId, at: Date): Promise<number>;
}

export interface EndpointRepository extends EndpointReader {
  findForUpdate(owner: Owner, id: EndpointId): Promise<Endpoint | undefined>;
  /**
   * The number of endpoints of the owner that are not deleted. Locks the account row first, so that
   * of two callers at the limit one sees the other's endpoint.
   */
  countForUpdate(owner: Owner): Promise<number>;
}

/** A signing secret, with what is needed to open it. */
export type SealedSecret = Pick<EndpointSecret, 'id' | 'sealed' | 'created' | 'expiresAt'>;

export interface EndpointSecretReader {
  /** The secrets of an endpoint that sign at this time, newest first. */
  signing(owner: Owner, id: EndpointId, at: Date): Promise<readonly SealedSecret[]>;
  /**
   * Secrets with these hashes that sign now or did before, including those of deleted endpoints.
   */
  findByHashes(hashes: readonly Uint8Array[]): Promise<readonly EndpointSecretFacts[]>;
  /** Enabled endpoints of the owner whose URL this credential set. */
  endpointsSetBy(owner: Owner, setter: Maker['id']): Promise<readonly EndpointId[]>;
  /**
   * Endpoints of the owner, not deleted, whose current secret was made before `before`: those that
   * a leak may have exposed.
   * @param except without those whose URL this credential set
   */
  endpointsOlderThan(
    owner: Owner,
    before: Date,
    except?: Maker['id'],
  ): Promise<readonly EndpointId[]>;
}

export interface EndpointFilter extends AdminListFilter<'enabled' | 'disabled'> {
  /** Whether `failingSince` is set. */
  readonly failing?: boolean;
}

/** Reads for admins, across accounts. */
export interface EndpointDirectory {
  find(id: EndpointId): Promise<Endpoint | undefined>;
  /** Newest first; without deleted ones. @throws PaymountError `invalid_cursor` */
  list(scope: AdminScope, filter: EndpointFilter, page: PageRequest): Promise<Page<Endpoint>>;
}

/** An endpoint in the order of who set its URL. */
export interface EndedAccessCursor {
  readonly setter: string;
  readonly endpoint: string;
}

/**
 * The credentials whose access ended. Storage adds them in the transaction that ends the access, also
 * that of an earlier version; the endpoints follow in transactions of their own, so that a lock on one of
 * them delays no revocation.
 */
export interface EndedAccessQueue {
  /** The newest first: of several approvals, the one that ended last is the reason. */
  list(limit: number): Promise<readonly EndedSubject[]>;
  /**
   * The owners of endpoints that end with a credential.
   * @param at at which time a token of its platform must work
   */
  owners(
    subject: EndedSubject,
    at: Date,
    page: { readonly after: Owner | undefined; readonly limit: number },
  ): Promise<readonly Owner[]>;
  /**
   * Disables the endpoints of one owner that end with a credential, in one transaction. A row that
   * somebody else has locked is left for the next call.
   * @param decide makes one change for each endpoint
   * @returns how many were disabled
   */
  end(
    ending: { readonly subject: EndedSubject; readonly at: Date; readonly owner: Owner },
    decide: (ended: EndedEndpoints) => readonly WebhookChange[],
  ): Promise<number>;
  /** Removes a credential that ended some seconds ago, if none of its endpoints is left. */
  forget(subject: EndedSubject, at: Date): Promise<void>;
  /**
   * Looks at endpoints after the cursor, and adds who set the URL of one and has no access.
   * @returns the last of them; undefined if there are none
   */
  sweep(at: Date, after: EndedAccessCursor, limit: number): Promise<EndedAccessCursor | undefined>;
}
