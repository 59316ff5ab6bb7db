import type { IncomingMessage } from 'node:http';
import { PaymountError } from '@paymount/core';
import { type AdminFacts, type Authenticator, adminOf, unauthenticated } from './admin.ts';

/** The header that a page of another origin cannot send without being asked first. */
const CSRF_HEADER = 'paymount-csrf';
const READS: readonly (string | undefined)[] = ['GET', 'HEAD'];
/** What browsers say of requests that come from the page itself; others say nothing. */
const OWN_SITES: readonly unknown[] = [undefined, 'same-origin'];

/** Who is signed in to the host's own admin pages; undefined or null when nobody is. */
export type HostSession = (
  request: IncomingMessage,
) => AdminFacts | undefined | null | Promise<AdminFacts | undefined | null>;

export interface HostSessionOptions {
  /**
   * Origins of the pages that may write, such as `https://admin.example.com`.
   * @defaultValue that of the address which the request was sent to
   */
  readonly origins?: readonly string[];
}

/**
 * Admins by the session that the host keeps for its own pages, a cookie as a rule. Writes need a
 * `Paymount-Csrf` header, whatever its value, and neither a foreign `Origin` nor a foreign
 * `Sec-Fetch-Site`: another site can make a browser send the cookie, and none of these.
 * @throws Error for an origin that is none
 * @returns an authenticator; it answers 401 `admin_unauthenticated`, 403 `permission_denied`
 */
export function hostSessionAdmin(
  session: HostSession,
  options: HostSessionOptions = {},
): Authenticator {
  const origins = options.origins?.map(checkedOrigin);
  return async (request) => {
    const facts = await session(request);
    if (facts === undefined || facts === null) {
      throw unauthenticated('Nobody is signed in; sign in to the pages of the host.');
    }
    if (!READS.includes(request.method)) refuseForeign(request, origins);
    return adminOf(facts, 'session');
  };
}

function refuseForeign({ headers }: IncomingMessage, origins: readonly string[] | undefined): void {
  if (!headers[CSRF_HEADER]) {
    throw new PaymountError('permission_denied', 'Send the header Paymount-Csrf: 1 with a write.');
  }
  const { origin, host } = headers;
  const ownSite = OWN_SITES.includes(headers['sec-fetch-site']);
  const listed = origin !== undefined && origins?.includes(origin) === true;
  const own = origin === undefined || (origins === undefined && isOf(host, origin));
  if (listed || (own && ownSite)) return;
  throw new PaymountError('permission_denied', 'A page of another origin asked for this write.');
}

/** The scheme is not compared, as the host may end TLS elsewhere; browsers tell it by the site. */
function isOf(host: string | undefined, origin: string): boolean {
  return URL.canParse(origin) && host !== undefined && new URL(origin).host === host.toLowerCase();
}

function checkedOrigin(text: string): string {
  if (URL.canParse(text) && new URL(text).origin === text) return text;
  throw new Error('An origin is a scheme, a host and perhaps a port: https://admin.example.com');
}
