import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The prefix of an IPv4 peer on a socket for IPv6 and IPv4. */
const MAPPED = '::ffff:';

/**
 * The canonical text of an address: IPv4 as four decimal numbers, IPv6 as RFC 5952 writes it, IPv4
 * mapped into IPv6 as IPv4, without a zone.
 * @returns undefined if the text is not an address
 */
export function canonicalAddress(text: string): string | undefined {
  const zone = text.indexOf('%');
  const bare = zone === -1 ? text : text.slice(0, zone);
  // ipaddr.js alone would accept `10.1` and read `010.0.0.1` as octal.
  return isIP(bare) === 0 ? undefined : ipaddr.process(bare).toString();
}

/**
 * As `canonicalAddress`, for the peer address of a socket: it is canonical except for mapping and
 * zone, so nothing needs to be parsed in each request.
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
 * The unit of limits per address: an IPv4 address, or the /64 network of an IPv6 address, because
 * one subscriber has all of it.
 * @param address canonical; unknown addresses share one block
 */
export function addressBlock(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  if (!address.includes(':')) return address;
  return ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString();
}
