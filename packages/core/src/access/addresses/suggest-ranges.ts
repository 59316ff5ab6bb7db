import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The widest ranges that are suggested: the usual size of one site's network. */
const WIDEST = { ipv4: 24, ipv6: 48 } as const;

/** Addresses from which a key was used and that one range could allow. */
export interface SuggestedRange {
  /** The smallest canonical CIDR range that contains the addresses. */
  readonly range: string;
  readonly requests: number;
  /** The number of its addresses that were seen. */
  readonly addresses: number;
}

/**
 * The smallest ranges that cover the seen addresses: addresses of one /24 (IPv6: /48) share a
 * range.
 * @param seen canonical addresses, each once, with the number of uses
 * @returns the most used first; every address lies in exactly one range
 */
export function suggestRanges(
  seen: readonly { readonly address: string; readonly requests: number }[],
): readonly SuggestedRange[] {
  const sites = new Map<string, { readonly bytes: number[][]; requests: number }>();
  for (const { address, requests } of seen) {
    const bytes = ipaddr.parse(address).toByteArray();
    const key = toCidr(bytes, WIDEST[isIPv4(address) ? 'ipv4' : 'ipv6']);
    const site = sites.get(key);
    if (site === undefined) sites.set(key, { bytes: [bytes], requests });
    else {
      site.bytes.push(bytes);
      site.requests += requests;
    }
  }
  const suggested = [...sites.values()].map(({ bytes, requests }) => ({
    range: coveringRange(bytes),
    requests,
    addresses: bytes.length,
  }));
  return suggested.sort((a, b) => b.requests - a.requests || (a.range < b.range ? -1 : 1));
}

function coveringRange(addresses: readonly number[][]): string {
  const [first = [], ...others] = addresses;
  const shared = others.reduce((bits, other) => Math.min(bits, sharedBits(first, other)), 128);
  return toCidr(first, Math.min(shared, first.length * 8));
}

/** The number of leading bits that two addresses have in common. */
function sharedBits(a: readonly number[], b: readonly number[]): number {
  for (const [index, byte] of a.entries()) {
    const difference = byte ^ (b[index] ?? 0);
    if (difference !== 0) return index * 8 + Math.clz32(difference) - 24;
  }
  return a.length * 8;
}

function toCidr(bytes: readonly number[], bits: number): string {
  const network = bytes.map((byte, index) => {
    const kept = Math.min(Math.max(bits - index * 8, 0), 8);
    return byte & (0xff << (8 - kept)) & 0xff;
  });
  return `${ipaddr.fromByteArray(network).toString()}/${bits}`;
}
