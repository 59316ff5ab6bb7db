import type { IncomingMessage } from 'node:http';
import { type AllOptions, ANY_OPTION, assertOptions, PaymountError } from '@paymount/core/kernel';
import {
  type AdminFacts,
  type Authenticator,
  CredentialMissing,
  toAdmin,
  unauthenticated,
} from './admin.ts';

/** A header that a page of another origin cannot send without a preflight. */
const CSRF_HEADER = 'paymount-csrf';
const READS: readonly (string | undefined)[] = ['GET', 'HEAD'];

/** Who is signed in to the host's own admin pages; undefined or null if nobody is. */
export type HostSession = (
  request: IncomingMessage,
) => AdminFacts | undefined | null | Promise<AdminFacts | undefined | null>;

export interface HostSessionOptions {
  /**
   * Headers that may contain the host's session. A request with none of them has no credential, and
   * does not count as a failed login.
   * @defaultValue `cookie` and `authorization`
   */
  readonly headers?: readonly string[];
  /**
   * Names of the cookies that may contain the host's session; others, such as those for language or
   * statistics, are not credentials.
   * @defaultValue every cookie may be one
   */
  readonly cookies?: readonly string[];
}

const OPTIONS: AllOptions<HostSessionOptions> = { headers: ANY_OPTION, cookies: ANY_OPTION };

/**
 * Admins by the session that the host keeps for its own pages, usually in a cookie. Writes need a
 * `Paymount-Csrf` header with any value, which a page of another origin cannot send without a
 * preflight; the management router also checks that the write came from an own page.
 * @throws TypeError if `session` is not a function, for an unknown option, or if headers and
 *   cookies are not lists of names
 * @returns an authenticator; it answers 401 `admin_unauthenticated`, 403 `permission_denied`
 */
export function hostSessionAdmin(
  session: HostSession,
  options: HostSessionOptions = {},
): Authenticator {
  if (typeof session !== 'function') {
    throw new TypeError(
      'hostSessionAdmin() takes a function that returns who is signed in: (request) => admin or undefined.',
    );
  }
  assertOptions('hostSessionAdmin()', OPTIONS, options);
  const carriers = names('headers', options.headers ?? ['cookie', 'authorization']).map((name) =>
    name.toLowerCase(),
  );
  const cookies = options.cookies && names('cookies', options.cookies);
  return async (request) => {
    const facts = await session(request);
    if (facts === undefined || facts === null) {
      const message = 'Nobody is signed in; sign in to the pages of the host.';
      throw carriers.some((name) => carries(request.headers, name, cookies))
        ? unauthenticated(message)
        : new CredentialMissing(message);
    }
    assertCsrfHeader(request);
    return toAdmin(facts, 'session');
  };
}

/** Whether the method of a request changes nothing. */
export function isRead({ method }: Pick<IncomingMessage, 'method'>): boolean {
  return READS.includes(method);
}

/**
 * A write with a session needs the header, because a browser adds the session's cookie to forms of
 * other sites.
 * @throws PaymountError 403 `permission_denied`
 */
export function assertCsrfHeader(request: IncomingMessage): void {
  if (isRead(request) || request.headers[CSRF_HEADER]) return;
  throw new PaymountError('permission_denied', 'Send the header Paymount-Csrf: 1 with a write.');
}

function carries(
  headers: IncomingMessage['headers'],
  name: string,
  cookies: readonly string[] | undefined,
): boolean {
  if (name !== 'cookie' || cookies === undefined) return headers[name] !== undefined;
  // RFC 6265, section 4.2.1.
  const pairs = headers.cookie?.split(';') ?? [];
  return pairs.some((pair) => cookies.includes(pair.split('=', 1).join().trim()));
}

function names(option: keyof HostSessionOptions, given: readonly string[]): readonly string[] {
  if (Array.isArray(given) && given.length > 0 && given.every((name) => typeof name === 'string')) {
    return given;
  }
  throw new TypeError(
    `\`${option}\` of hostSessionAdmin() is a list of names, such as ['x-session'].`,
  );
}
