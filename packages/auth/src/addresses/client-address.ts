import type { IncomingMessage } from 'node:http';
import {
  AddressList,
  canonicalAddress,
  peerAddress,
  rangesFromOption,
} from '@paymount/core/access';

/** Behind proxies every client is asked about. */
const MAX_REMEMBERED = 1000;
/** Some proxies (Azure's gateway) name the port too. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/;

/** The facts about the origin of a request. */
interface Hop {
  /** The peer of the socket; absent for Unix sockets and for closed sockets. */
  readonly remoteAddress: string | undefined;
  /** `X-Forwarded-For`, all its lines joined by commas. */
  readonly forwardedFor: string | undefined;
}

/** Finds the address of the client behind the proxies that the host trusts. */
export class ClientAddresses {
  readonly #trusted: AddressList | undefined;

  /**
   * @param trustedProxies addresses and CIDR ranges; if absent, the peer of the socket is the
   *   client
   * @throws TypeError if it is not a list of ranges
   */
  constructor(trustedProxies: readonly string[] = []) {
    if (Array.isArray(trustedProxies) && trustedProxies.length === 0) return;
    const ranges = rangesFromOption(trustedProxies, 'trustedProxies');
    this.#trusted = new AddressList(ranges, MAX_REMEMBERED);
  }

  /** Whether any proxy is trusted. */
  get trustsProxies(): boolean {
    return this.#trusted !== undefined;
  }

  /** Whether the peer of a socket is a trusted proxy. */
  isTrustedProxy(remoteAddress: string | undefined): boolean {
    const address = peerAddress(remoteAddress);
    return address !== undefined && this.#trusted?.has(address) === true;
  }

  /** As `of`, for a request whose socket is still open. */
  ofRequest({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string | undefined {
    if (this.#trusted === undefined) return peerAddress(socket.remoteAddress);
    const forwarded = headers['x-forwarded-for'];
    const forwardedFor = Array.isArray(forwarded) ? forwarded.join() : forwarded;
    return this.of({ remoteAddress: socket.remoteAddress, forwardedFor });
  }

  /**
   * Starts at the socket. While the address is a trusted proxy's, it takes the next entry of
   * `X-Forwarded-For` to the left, so only entries that a trusted proxy wrote are used.
   * @returns the canonical address; undefined if it is unknown: an entry is not an address, or all
   *   are trusted proxies
   */
  of({ remoteAddress, forwardedFor }: Hop): string | undefined {
    let address = peerAddress(remoteAddress);
    if (this.#trusted === undefined) return address;
    let rest = forwardedFor;
    while (address !== undefined && this.#trusted.has(address)) {
      if (rest === undefined) return undefined;
      const comma = rest.lastIndexOf(',');
      address = parseForwardedAddress(rest.slice(comma + 1).trim());
      rest = comma === -1 ? undefined : rest.slice(0, comma);
    }
    return address;
  }
}

function parseForwardedAddress(entry: string): string | undefined {
  const [, v6, v4] = WITH_PORT.exec(entry) ?? [];
  return canonicalAddress(v6 ?? v4 ?? entry);
}
