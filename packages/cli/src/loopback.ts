import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { usage } from './command-line/command-failure.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Resolves the addresses of a name. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/** Characters that URL parsers drop or reinterpret. */
const TRICKS = /[\p{Cc}\s\\]/u;
const SCHEMES = ['http:', 'https:'];

/**
 * Whether a host, as `URL` normalises it, is this machine: 127.0.0.0/8, ::1 or `localhost`. Other
 * names are not, even if they currently resolve to it. The core has the same function, but this
 * package does not depend on the core.
 */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  const address = host.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(address);
  return family !== 0 && LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** @param the part of the command line that the message names first */
export function parseUrl(what: string, text: string): URL {
  const url = TRICKS.test(text) || !URL.canParse(text) ? undefined : new URL(text);
  if (url === undefined || !SCHEMES.includes(url.protocol)) {
    throw usage(`${what} must be an address such as http://127.0.0.1:3000/webhooks.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw usage(`${what} must not hold a user or a password.`);
  }
  if (url.hash !== '') throw usage(`${what} must not hold a fragment (#).`);
  return url;
}

/**
 * A look-up that returns only addresses of this machine, and fails for a name with any other
 * address.
 */
export function loopbackLookup(resolve: Resolve = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const foreign = found.find(({ address }) => !isLoopback(address));
      const [first] = found;
      if (foreign !== undefined || first === undefined) {
        return callback(new Error(`${hostname} is not this machine`), []);
      }
      return options.all === true
        ? callback(null, found)
        : callback(null, first.address, first.family);
    });
  };
}
