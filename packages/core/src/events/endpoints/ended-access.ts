import type { Owner } from '../../kernel/basics/environment.ts';
import type { Id, KeyId } from '../../kernel/basics/id.ts';
import type { Endpoint } from './endpoint.ts';

/** What ended: an approval, all access of a platform, or a key that leaked. */
export type EndedSubject = Id<'grt'> | Id<'ca'> | KeyId;

/** The endpoints of one owner that end with a credential: it set their URL. */
export interface EndedEndpoints extends Owner {
  readonly subject: EndedSubject;
  /** The name of the platform, or of the key. */
  readonly name: string;
  readonly account: { readonly name: string; readonly email: string | null };
  /** Enabled, or disabled for another reason; at least one. */
  readonly endpoints: readonly Endpoint[];
}
