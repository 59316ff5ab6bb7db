import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * What may be done with an address:
 * - `public`: dialled
 * - `lifted`: not public, but the host listed its network; dialled
 * - `refused`: never dialled
 */
export type AddressVerdict = 'public' | 'lifted' | 'refused';

/** Judges single addresses; pure once made. */
export interface AddressRules {
  /** @param address an IPv4 or IPv6 address without brackets; anything else is refused */
  judge(address: string): AddressVerdict;
}

// IANA's special-purpose registries (RFC 6890), and the address at which one cloud answers its
// guests. What is not listed here is public.
const REFUSED_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
];

// Only this block of IPv6 has been handed out; everything outside it is refused, whatever it
// comes to mean later.
const GLOBAL_IPV6 = ['2000::/3'];

const REFUSED_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '2620:4f:8000::/48'];

// An IPv4 address in IPv6 clothes. No host needs it, so that each address has one spelling.
const MAPPED_IPV4 = ['::ffff:0:0/96'];

// Clouds hand out machine credentials at these: a wide network in the options must not open them.
const METADATA = ['169.254.169.254', '168.63.129.16', 'fd00:ec2::254', 'fd20:ce::254'];

/**
 * Reads lists of networks.
 * @param networks `address/prefix`, or an address alone for itself only
 * @throws RangeError naming the entry that is not a network
 */
function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const { address, prefix } = parseNetwork(network);
    list.addSubnet(address, prefix, familyOf(address));
  }
  return list;
}

/**
 * The rules for every address that a user's URL leads to (RFC 6890; default deny).
 * @param options.allowedNetworks networks that are dialled although they are not public; the
 *   metadata addresses of clouds only when listed alone (`/32`, `/128`)
 * @param options.ownAddresses the machine's own addresses, refused unless listed
 * @throws RangeError when an entry of `allowedNetworks` is not a network
 */
export function createAddressRules(options: {
  readonly allowedNetworks: readonly string[];
  readonly ownAddresses?: readonly string[];
}): AddressRules {
  const refusedIpv4 = toBlockList(REFUSED_IPV4);
  const globalIpv6 = toBlockList(GLOBAL_IPV6);
  const refusedIpv6 = toBlockList(REFUSED_IPV6);
  const mapped = toBlockList(MAPPED_IPV4);
  const metadata = toBlockList(METADATA);
  const own = toBlockList(options.ownAddresses ?? []);
  const allowed = toBlockList(options.allowedNetworks);
  const allowedAlone = toBlockList(options.allowedNetworks.filter(isSingleAddress));

  return {
    judge(address: string): AddressVerdict {
      // A zone (`fe80::1%eth0`) names an interface of this machine.
      if (isIP(address) === 0 || address.includes('%')) return 'refused';
      const family = familyOf(address);
      if (family === 'ipv6' && mapped.check(address, family)) return 'refused';
      const lifting = metadata.check(address, family) ? allowedAlone : allowed;
      if (lifting.check(address, family)) return 'lifted';
      if (own.check(address, family)) return 'refused';
      const refused =
        family === 'ipv4'
          ? refusedIpv4.check(address, family)
          : !globalIpv6.check(address, family) || refusedIpv6.check(address, family);
      return refused ? 'refused' : 'public';
    },
  };
}

/** The addresses of this machine's interfaces, public ones included: it must not call itself. */
export function readOwnAddresses(): readonly string[] {
  const addresses: string[] = [];
  for (const entries of Object.values(networkInterfaces())) {
    for (const { address } of entries ?? []) addresses.push(address.replace(/%.*$/, ''));
  }
  return addresses;
}

function isSingleAddress(network: string): boolean {
  const { address, prefix } = parseNetwork(network);
  return prefix === widthOf(address);
}

function parseNetwork(network: string): { address: string; prefix: number } {
  const [address = '', length, ...rest] = network.split('/');
  const width = widthOf(address);
  const prefix = length === undefined ? width : Number(length);
  const wellFormed =
    isIP(address) !== 0 &&
    !address.includes('%') &&
    rest.length === 0 &&
    (length === undefined || /^\d{1,3}$/.test(length)) &&
    prefix <= width;
  if (!wellFormed) {
    throw new RangeError(
      `"${network}" is not a network; write it as an address and a prefix, such as 10.0.0.0/8.`,
    );
  }
  return { address, prefix };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

function widthOf(address: string): number {
  return isIP(address) === 6 ? 128 : 32;
}
