import { isLoopback } from '../../access/addresses/loopback.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import type { PlatformType } from './platform.ts';

/** Printable ASCII; a backslash would be read as a slash by browsers. */
const PRINTABLE = /^[\x21-\x5b\x5d-\x7e]+$/;
/** A private-use scheme is a domain name in reverse order (RFC 8252, section 7.1). */
const REVERSE_DOMAIN = /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:$/;
/** A name or an address, without characters that have a meaning in a content security policy. */
const PLAIN_HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/;
/** The parameters that we append. */
const RESERVED = ['code', 'state', 'iss', 'error', 'error_description'] as const;

/** Where a redirect URI is registered. */
export interface RedirectUriContext {
  readonly environment: Environment;
  readonly type: PlatformType;
}

/**
 * What is wrong with a redirect URI (RFC 6749, section 3.1.2; RFC 8252, section 7; RFC 9700,
 * section 2.1).
 * @returns the second half of a sentence that begins "The redirect URI"; undefined if it may be
 *   registered
 */
export function redirectUriFault(uri: string, context: RedirectUriContext): string | undefined {
  if (!PRINTABLE.test(uri)) return 'contains a character that no URI contains.';
  if (uri.includes('*')) return 'contains `*`; register each address by itself.';
  if (uri.includes('#')) return 'has a fragment, which browsers do not send.';
  if (!URL.canParse(uri)) return 'is not an absolute URI.';
  const url = new URL(uri);
  if (/^https?:$/.test(url.protocol) && !PLAIN_HOST.test(url.hostname)) {
    return 'has a host with characters that no host name has.';
  }
  if (url.username !== '' || url.password !== '') return 'contains a user name or a password.';
  const reserved = RESERVED.find((name) => url.searchParams.has(name));
  if (reserved !== undefined) return `has the parameter ${reserved}, which is added to it.`;
  return schemeFault(url, context) ?? canonicalFault(uri, url);
}

function schemeFault(
  { protocol, hostname }: URL,
  { environment, type }: RedirectUriContext,
): string | undefined {
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:') {
    const isDevice = type === 'public' && isLoopback(hostname);
    if (environment === 'test' || isDevice) return undefined;
    return type === 'public'
      ? 'must use https, or http with a loopback address such as 127.0.0.1.'
      : 'must use https in live.';
  }
  if (type === 'public' && REVERSE_DOMAIN.test(protocol)) return undefined;
  return type === 'public'
    ? `has the scheme ${protocol} The scheme of an app is a domain name in reverse order, such as com.example.app:.`
    : `has the scheme ${protocol} Only https is allowed.`;
}

/** Only one spelling of each address, so that comparing bytes is enough. */
function canonicalFault(uri: string, { href }: URL): string | undefined {
  if (href === uri || href === `${uri}/`) return undefined;
  // An address without a path may have a query: https://shop.example?a=b
  if (href === uri.replace('?', '/?')) return undefined;
  return `is not in its normal form. Did you mean ${href}?`;
}

/** Whether a text is an origin in its normal form, such as `https://app.example.com`. */
export function isCallbackOrigin(text: string, environment: Environment): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol } = new URL(text);
  // It is written into a content security policy, where other characters have a meaning.
  if (origin !== text || !PLAIN_HOST.test(new URL(text).hostname)) return false;
  return protocol === 'https:' || (protocol === 'http:' && environment === 'test');
}
