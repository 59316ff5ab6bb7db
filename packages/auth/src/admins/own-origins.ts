import type { IncomingMessage } from 'node:http';
import { PaymountError } from '@paymount/core/kernel';

/** What browsers say of requests that come from the page itself; programs say nothing. */
const OWN_SITES: readonly unknown[] = [undefined, 'same-origin'];
const MAX_SHOWN = 100;

/** Refuses what is no origin, among those that may write. @throws Error for such a one */
export function assertOrigins(origins: readonly string[]): void {
  const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text;
  if (origins.every(isOrigin)) return;
  throw new Error('An origin is a scheme, a host and perhaps a port: https://admin.example.com');
}

/**
 * Whether the page of another origin asked for this, as browsers tell; programs may tell anything.
 * @param origins of the host's own pages; absent: that which the request was sent to
 */
export function isForeignPage(
  { headers }: IncomingMessage,
  origins: readonly string[] | undefined,
): boolean {
  const { origin, host } = headers;
  const ownSite = OWN_SITES.includes(headers['sec-fetch-site']);
  const listed = origin !== undefined && origins?.includes(origin) === true;
  const own = origin === undefined || (origins === undefined && isOf(host, origin));
  return !listed && !(own && ownSite);
}

/**
 * Refuses a write that the page of another origin asked for: a browser adds cookies and client
 * certificates by itself. Programs, which send neither `Origin` nor `Sec-Fetch-Site`, pass.
 * @param origins of the pages that may write; absent: that which the request was sent to
 * @throws PaymountError 403 `permission_denied`
 */
export function refuseForeignOrigin(
  request: IncomingMessage,
  origins: readonly string[] | undefined,
): void {
  if (!isForeignPage(request, origins)) return;
  const { headers } = request;
  throw new PaymountError(
    'permission_denied',
    `The page of ${pageOf(headers)} may not write here. The option \`origins\` of managementRouter() ` +
      'lists the origins that may; without it, only that which the request is sent to.',
  );
}

/** As the browser told it, which may be next to nothing. */
function pageOf({ origin, 'sec-fetch-site': site }: IncomingMessage['headers']): string {
  if (origin === undefined) return `another site (Sec-Fetch-Site: ${shortened(String(site))})`;
  const named = URL.canParse(origin) ? new URL(origin).origin : 'null';
  return named === 'null' ? 'an origin that has no name' : shortened(named);
}

function shortened(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}

/** The scheme is not compared, as the host may end TLS elsewhere; browsers tell it by the site. */
function isOf(host: string | undefined, origin: string): boolean {
  return URL.canParse(origin) && host !== undefined && new URL(origin).host === host.toLowerCase();
}
