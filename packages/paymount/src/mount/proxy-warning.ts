import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import { canonicalAddress } from '@paymount/core/access';
import type { Logger } from '@paymount/core/kernel';
import { appTrustsProxies } from '@paymount/http';

/**
 * The usual addresses of a host's own proxies: this machine and private networks (RFC 1918, 4193,
 * 4291).
 */
const NEAR = new BlockList();
for (const [network, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  NEAR.addSubnet(network, prefix, 'ipv4');
}
NEAR.addAddress('::1', 'ipv6');
NEAR.addSubnet('fc00::', 7, 'ipv6');
NEAR.addSubnet('fe80::', 10, 'ipv6');

/**
 * Warns once in a process that requests come through a proxy that is not in `trustedProxies`:
 * address lists and limits then use the address of the proxy instead of its clients. It assumes a
 * proxy if the host's app trusts one, or if `X-Forwarded-For` comes from this machine or a private
 * network.
 * @param trustsProxies whether the option `trustedProxies` names any
 * @returns a function to be called with each request, of all mounts
 */
export function proxyWarning(
  trustsProxies: boolean,
  logger: Logger,
): (request: IncomingMessage) => void {
  let isDone = trustsProxies;
  return (request) => {
    if (isDone) return;
    const sign = findProxySign(request);
    if (sign === undefined) return;
    isDone = true;
    logger.warn(
      { cure: 'docs/how-to/restrict-by-ip.md' },
      `${sign}, but \`trustedProxies\` names none; address lists and limits use the proxy's address instead of the client's.`,
    );
  };
}

function findProxySign(request: IncomingMessage): string | undefined {
  if (appTrustsProxies(request)) return "The app trusts proxies ('trust proxy')";
  const isForwarded = request.headers['x-forwarded-for'] !== undefined;
  if (!isForwarded || !isNear(request.socket.remoteAddress)) return undefined;
  return 'X-Forwarded-For came from a private address, as a proxy sends it';
}

function isNear(remoteAddress: string | undefined): boolean {
  const address = remoteAddress === undefined ? undefined : canonicalAddress(remoteAddress);
  // A Unix socket has no address, and its peer is on this machine.
  return address === undefined || NEAR.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
