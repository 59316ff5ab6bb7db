import type { Owner } from '../../kernel/basics/environment.ts';
import type { Id, KeyId } from '../../kernel/basics/id.ts';
import type { WebhookChange } from '../webhook-change.ts';
import type { Endpoint } from './endpoint.ts';

/** What ended: an approval, all access of a platform, or a key that leaked. */
export type EndedSubject = Id<'grt'> | Id<'ca'> | KeyId;

/** The endpoints of one owner that end with a credential: it set their URL. */
export interface EndedEndpoints extends Owner {
  readonly subject: EndedSubject;
  /** The name of the platform, or of the key. */
  readonly name: string;
  readonly account: { readonly name: string; readonly email: string | null };
  /** Enabled; at least one. */
  readonly endpoints: readonly Endpoint[];
}

/**
 * The credentials whose access ended. A change of access adds them in its transaction
 * (`AccessChange.ended`); the endpoints follow in transactions of their own, so that a lock on one of
 * them delays no revocation.
 */
export interface EndedAccessQueue {
  /** The newest first: of several approvals, the one that ended last is the reason. */
  list(limit: number): Promise<readonly EndedSubject[]>;
  /**
   * Disables endpoints that end with a credential, one transaction for each owner. A row that somebody
   * else has locked is left for the next call.
   * @param decide makes one change for each endpoint
   * @returns how many were disabled
   */
  end(
    subject: EndedSubject,
    decide: (ended: EndedEndpoints) => readonly WebhookChange[],
  ): Promise<number>;
  /** Removes a credential that ended some seconds ago, if none of its endpoints is left. */
  forget(subject: EndedSubject): Promise<void>;
}
