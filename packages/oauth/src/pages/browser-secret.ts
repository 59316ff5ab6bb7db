import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { HostUser } from '@paymount/auth';

/** An hour: longer than an interaction lives, so that a late user sees that it has expired. */
const COOKIE_SECONDS = 3_600;
const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/**
 * A secret that only one browser has: it binds pages to the browser that opened them. One for all
 * pages, so that no site can fill a browser with cookies.
 */
export function newBrowserSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/**
 * The cookie for the secret of a browser. `__Host-` keeps other hosts of the domain from setting it
 * (RFC 6265bis, section 4.1.3.2); it needs TLS, so that an issuer with `http` has a plain name.
 */
export function browserCookie(issuer: string, secret: string): string {
  const secure = isSecure(issuer) ? '; Secure' : '';
  return `${cookieName(issuer)}=${secret}; Path=/; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
}

/** The secret that the browser sent; undefined without one. */
export function readBrowserSecret(
  { headers }: IncomingMessage,
  issuer: string,
): string | undefined {
  const start = `${cookieName(issuer)}=`;
  const pairs = (headers.cookie ?? '').split(/; */);
  const secret = pairs.find((pair) => pair.startsWith(start))?.slice(start.length) ?? '';
  return SECRET.test(secret) ? secret : undefined;
}

/** The token that a form must send: only this page, for this user and session, contains it. */
export function csrfToken(
  secret: string,
  page: string,
  { userId, sessionRef }: Pick<HostUser, 'userId' | 'sessionRef'>,
): string {
  const text = JSON.stringify([page, userId, sessionRef]);
  return createHmac('sha256', secret).update(text).digest('base64url');
}

/** Whether a form sent the token of its page. */
export function isCsrfToken(sent: string | undefined, expected: string): boolean {
  const [one, other] = [Buffer.from(sent ?? ''), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * Whether a page of another site sent the form. A form of a page without a referrer has the
 * `Origin: null`.
 */
export function isForeign({ headers }: IncomingMessage, issuer: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return true;
  const { origin = 'null' } = headers;
  return origin !== 'null' && origin !== new URL(issuer).origin;
}

function cookieName(issuer: string): string {
  return `${isSecure(issuer) ? '__Host-' : ''}pm_oauth`;
}

function isSecure(issuer: string): boolean {
  return issuer.startsWith('https:');
}
