import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import { canonicalAddress } from '@paymount/core/access';
import type { Clock, Logger } from '@paymount/core/kernel';
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

/** How often the same is logged at most, and over how long requests are counted. */
const HOUR_MS = 3_600_000;
/** So many requests of several accounts, all from one address, look like those of a proxy. */
const MANY_REQUESTS = 1_000;

/** Called with each request, of all mounts; once its sender is known, with the account too. */
export type WarnOfProxies = (request: IncomingMessage, accountId?: string) => void;

/**
 * Warns, at most once an hour, that requests come through a proxy that is not in `trustedProxies`:
 * address lists and limits then use the address of the proxy instead of its clients. It assumes a
 * proxy if the host's app trusts one, if `X-Forwarded-For` comes from this machine or a private
 * network, or if in an hour a thousand requests of several accounts come from one such address, and
 * none from another.
 * @param trustsProxies whether the option `trustedProxies` names any
 */
export function proxyWarning(
  trustsProxies: boolean,
  { logger, clock }: { readonly logger: Logger; readonly clock: Pick<Clock, 'monotonicMs'> },
): WarnOfProxies {
  if (trustsProxies) return () => undefined;
  const senders = new Senders();
  let quietUntilMs = Number.NEGATIVE_INFINITY;
  return (request, accountId) => {
    const nowMs = clock.monotonicMs();
    if (nowMs < quietUntilMs) return;
    const sign =
      accountId === undefined
        ? findProxySign(request)
        : senders.findSign(request.socket.remoteAddress, { accountId, nowMs });
    if (sign === undefined) return;
    quietUntilMs = nowMs + HOUR_MS;
    logger.warn(
      { cure: 'docs/how-to/restrict-by-ip.md' },
      `${sign}, but \`trustedProxies\` names none; address lists and limits use the proxy's address instead of the client's.`,
    );
  };
}

/** Who sent the requests of an hour. */
class Senders {
  #endsMs = Number.NEGATIVE_INFINITY;
  #address: string | undefined;
  #accountId: string | undefined;
  #hasSeveralAddresses = false;
  #hasSeveralAccounts = false;
  #count = 0;

  findSign(
    address: string | undefined,
    { accountId, nowMs }: { readonly accountId: string; readonly nowMs: number },
  ): string | undefined {
    if (nowMs >= this.#endsMs) this.#start(address, accountId, nowMs);
    this.#count += 1;
    this.#hasSeveralAddresses ||= address !== this.#address;
    this.#hasSeveralAccounts ||= accountId !== this.#accountId;
    const isOne = this.#hasSeveralAccounts && !this.#hasSeveralAddresses;
    if (!isOne || this.#count < MANY_REQUESTS || !isNear(address)) return undefined;
    this.#endsMs = nowMs;
    return `All requests of several accounts came from ${address ?? 'a Unix socket'}`;
  }

  #start(address: string | undefined, accountId: string, nowMs: number): void {
    this.#endsMs = nowMs + HOUR_MS;
    this.#address = address;
    this.#accountId = accountId;
    this.#hasSeveralAddresses = false;
    this.#hasSeveralAccounts = false;
    this.#count = 0;
  }
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
