import { isIP } from 'node:net';

/** The hosts of this service itself. */
export interface OwnHosts {
  /** As in the `hostname` of a URL: names in lower case, IPv6 addresses in brackets. */
  readonly hostnames: ReadonlySet<string>;
  readonly addresses: readonly string[];
}

/**
 * Reads the option `ownHosts`.
 * @param hosts names and addresses
 * @throws RangeError naming the entry that is neither
 */
export function readOwnHosts(hosts: readonly string[]): OwnHosts {
  const addresses = hosts.filter((host) => isIP(host) !== 0);
  return { hostnames: new Set(hosts.map(toHostname)), addresses };
}

function toHostname(host: string): string {
  const isAddress = isIP(host) !== 0;
  const url = `https://${isIP(host) === 6 ? `[${host}]` : host.replace(/\.$/, '')}/`;
  if (!(isAddress || /^[^\s/?#@:\\*]+$/.test(host)) || !URL.canParse(url)) {
    throw new RangeError(
      `"${host}" is not a host; write a name such as api.example.com, or an address.`,
    );
  }
  return new URL(url).hostname;
}
