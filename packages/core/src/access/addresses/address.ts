import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** How a socket that speaks IPv6 and IPv4 names a peer that speaks IPv4. */
const MAPPED = '::ffff:';

/**
 * The one text of an address: IPv4 as four decimal numbers, IPv6 as RFC 5952 writes it, IPv4
 * mapped into IPv6 as IPv4, without a zone.
 * @returns undefined when the text is no address
 */
export function canonicalAddress(text: string): string | undefined {
  const zone = text.indexOf('%');
  const bare = zone === -1 ? text : text.slice(0, zone);
  // ipaddr.js alone would take `10.1` and read `010.0.0.1` as octal.
  return isIP(bare) === 0 ? undefined : ipaddr.process(bare).toString();
}

/**
 * As `canonicalAddress`, for what a socket says of its peer: canonical but for mapping and zone,
 * so that nothing is parsed on the way of every request.
 */
export function peerAddress(remoteAddress: string | undefined): string | undefined {
  if (remoteAddress === undefined) return undefined;
  if (remoteAddress.startsWith(MAPPED)) {
    const bare = remoteAddress.slice(MAPPED.length);
    return isIPv4(bare) ? bare : canonicalAddress(remoteAddress);
  }
  return remoteAddress.includes('%') ? canonicalAddress(remoteAddress) : remoteAddress;
}

/**
 * What limits per address count by: an IPv4 address itself, of IPv6 the /64, all of which one
 * subscriber has at hand.
 * @param address canonical; unknown addresses share one block
 */
export function addressBlock(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  if (!address.includes(':')) return address;
  return ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString();
}
