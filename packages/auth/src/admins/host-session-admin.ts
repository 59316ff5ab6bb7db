import type { IncomingMessage } from 'node:http';
import { PaymountError } from '@paymount/core';
import { type AdminFacts, type Authenticator, adminOf, unauthenticated } from './admin.ts';

/** The header that a page of another origin cannot send without being asked first. */
const CSRF_HEADER = 'paymount-csrf';
const READS: readonly (string | undefined)[] = ['GET', 'HEAD'];

/** Who is signed in to the host's own admin pages; undefined or null when nobody is. */
export type HostSession = (
  request: IncomingMessage,
) => AdminFacts | undefined | null | Promise<AdminFacts | undefined | null>;

/**
 * Admins by the session that the host keeps for its own pages, a cookie as a rule. Writes need a
 * `Paymount-Csrf` header, whatever its value, which a page of another origin cannot send without
 * being asked first; that the write came from an own page, the management router judges as well.
 * @throws TypeError when `session` is no function, which JavaScript would not notice
 * @returns an authenticator; it answers 401 `admin_unauthenticated`, 403 `permission_denied`
 */
export function hostSessionAdmin(session: HostSession): Authenticator {
  if (typeof session !== 'function') {
    throw new TypeError(
      'hostSessionAdmin() takes a function that says who is signed in: (request) => admin or undefined.',
    );
  }
  return async (request) => {
    const facts = await session(request);
    if (facts === undefined || facts === null) {
      throw unauthenticated('Nobody is signed in; sign in to the pages of the host.');
    }
    if (!READS.includes(request.method) && !request.headers[CSRF_HEADER]) {
      throw new PaymountError(
        'permission_denied',
        'Send the header Paymount-Csrf: 1 with a write.',
      );
    }
    return adminOf(facts, 'session');
  };
}
