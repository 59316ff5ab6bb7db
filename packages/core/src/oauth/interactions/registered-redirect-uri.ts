import { isLoopback } from '../../access/addresses/loopback.ts';
import type { Platform } from '../platforms/platform.ts';

const PORT = /^(http:\/\/(?:\[[0-9a-f:.]+\]|[^/?#:[\]]+)):\d{1,5}(?=[/?]|$)/;

/**
 * Where the response to an authorization request goes (RFC 6749, section 3.1.2.3; RFC 9700,
 * section 2.1): a registered address, byte for byte. The loopback address of a public platform may
 * have any port, because an app listens on one that is free (RFC 8252, section 7.3).
 * @param sent as the request has it; absent: the registered one if there is only one
 * @returns undefined if the platform did not register it: then nothing may be sent there
 */
export function registeredRedirectUri(
  { type, redirectUris }: Pick<Platform, 'type' | 'redirectUris'>,
  sent: string | undefined,
): string | undefined {
  if (sent === undefined) return redirectUris.length === 1 ? redirectUris[0] : undefined;
  if (redirectUris.includes(sent)) return sent;
  if (type !== 'public' || !isLoopbackHttp(sent)) return undefined;
  const bare = withoutPort(sent);
  return redirectUris.some((uri) => isLoopbackHttp(uri) && withoutPort(uri) === bare)
    ? sent
    : undefined;
}

function isLoopbackHttp(uri: string): boolean {
  if (!URL.canParse(uri)) return false;
  const { protocol, hostname } = new URL(uri);
  return protocol === 'http:' && isLoopback(hostname);
}

function withoutPort(uri: string): string {
  return uri.replace(PORT, '$1');
}
