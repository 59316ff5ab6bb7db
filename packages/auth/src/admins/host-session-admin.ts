import type { IncomingMessage } from 'node:http';
import {
  type AllOptions,
  ANY_OPTION,
  PaymountError,
  refuseWrongOptions,
} from '@paymount/core/kernel';
import {
  type AdminFacts,
  type Authenticator,
  adminOf,
  CredentialMissing,
  unauthenticated,
} from './admin.ts';

/** The header that a page of another origin cannot send without being asked first. */
const CSRF_HEADER = 'paymount-csrf';
const READS: readonly (string | undefined)[] = ['GET', 'HEAD'];

/** Who is signed in to the host's own admin pages; undefined or null when nobody is. */
export type HostSession = (
  request: IncomingMessage,
) => AdminFacts | undefined | null | Promise<AdminFacts | undefined | null>;

export interface HostSessionOptions {
  /**
   * Headers by which the host knows a session. A request with none of them carries no credential, and
   * does not count as a login that failed. @defaultValue `cookie` and `authorization`
   */
  readonly headers?: readonly string[];
  /**
   * Names of the cookies by which the host knows a session: others, such as those of a language or of
   * statistics, are no credential. @defaultValue every cookie may be one
   */
  readonly cookies?: readonly string[];
}

const OPTIONS: AllOptions<HostSessionOptions> = { headers: ANY_OPTION, cookies: ANY_OPTION };

/**
 * Admins by the session that the host keeps for its own pages, a cookie as a rule. Writes need a
 * `Paymount-Csrf` header, whatever its value, which a page of another origin cannot send without
 * being asked first; that the write came from an own page, the management router judges as well.
 * @throws TypeError when `session` is no function, which JavaScript would not notice, and for an
 *   unknown option, or headers and cookies that are no lists of names
 * @returns an authenticator; it answers 401 `admin_unauthenticated`, 403 `permission_denied`
 */
export function hostSessionAdmin(
  session: HostSession,
  options: HostSessionOptions = {},
): Authenticator {
  if (typeof session !== 'function') {
    throw new TypeError(
      'hostSessionAdmin() takes a function that says who is signed in: (request) => admin or undefined.',
    );
  }
  refuseWrongOptions('hostSessionAdmin()', OPTIONS, options);
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
    if (!READS.includes(request.method) && !request.headers[CSRF_HEADER]) {
      throw new PaymountError(
        'permission_denied',
        'Send the header Paymount-Csrf: 1 with a write.',
      );
    }
    return adminOf(facts, 'session');
  };
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
