import type { IncomingMessage } from 'node:http';
import { PaymountError } from '@paymount/core/kernel';

/** The values that browsers send for requests of the page itself; programs send none. */
const OWN_SITES: readonly unknown[] = [undefined, 'same-origin'];
const MAX_SHOWN = 100;

/** Checks the origins that may write. @throws Error for an invalid origin */
export function assertOrigins(origins: readonly string[]): void {
  const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text;
  if (origins.every(isOrigin)) return;
  throw new Error('An origin is a scheme, a host and perhaps a port: https://admin.example.com');
}

/**
 * Whether a page of another origin sent this request, according to the browser; programs can send
 * any value.
 * @param origins of the host's own pages; absent: the origin that the request was sent to
 */
export function isForeignPage(
  { headers }: IncomingMessage,
  origins: readonly string[] | undefined,
): boolean {
  const { origin, host } = headers;
  const ownSite = OWN_SITES.includes(headers['sec-fetch-site']);
  const listed = origin !== undefined && origins?.includes(origin) === true;
  const own = origin === undefined || (origins === undefined && isSameHost(host, origin));
  return !listed && !(own && ownSite);
}

/** Which page made a browser send a request. Requests of programs count as those of own pages. */
export type PageKind = 'own page' | 'foreign page';

/** As `isForeignPage`, for a count: pages of other sites must not use up what own pages may send. */
export function pageKind(
  request: IncomingMessage,
  origins: readonly string[] | undefined,
): PageKind {
  return isForeignPage(request, origins) ? 'foreign page' : 'own page';
}

/**
 * Refuses a write from a page of another origin, because a browser adds cookies and client
 * certificates automatically. Programs, which send neither `Origin` nor `Sec-Fetch-Site`, are
 * accepted.
 * @param origins of the pages that may write; absent: the origin that the request was sent to
 * @throws PaymountError 403 `permission_denied`
 */
export function assertOwnOrigin(
  request: IncomingMessage,
  origins: readonly string[] | undefined,
): void {
  if (!isForeignPage(request, origins)) return;
  const { headers } = request;
  throw new PaymountError(
    'permission_denied',
    `The page of ${describePage(headers)} may not write here. The option \`origins\` of the router ` +
      'lists the origins that may; the default is the origin to which the request is sent.',
  );
}

/** The browser's name for the page, which may be incomplete. */
function describePage({ origin, 'sec-fetch-site': site }: IncomingMessage['headers']): string {
  if (origin === undefined) return `another site (Sec-Fetch-Site: ${shortened(String(site))})`;
  const named = URL.canParse(origin) ? new URL(origin).origin : 'null';
  return named === 'null' ? 'an origin that has no name' : shortened(named);
}

function shortened(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}

/**
 * The scheme is not compared, because the host may terminate TLS elsewhere; browsers include it in
 * the site.
 */
function isSameHost(host: string | undefined, origin: string): boolean {
  return URL.canParse(origin) && host !== undefined && new URL(origin).host === host.toLowerCase();
}
