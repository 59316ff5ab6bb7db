import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { ipv4Within, translatedAddresses } from './embedded-ipv4.ts';

/**
 * The decision about an address:
 * - `public`: allowed
 * - `lifted`: not public, but the host listed its network; allowed
 * - `refused`: never connected to
 */
export type AddressVerdict = 'public' | 'lifted' | 'refused';

/** Checks single addresses; pure once made. */
export interface AddressRules {
  /** @param address an IPv4 or IPv6 address without brackets; anything else is refused */
  classify(address: string): AddressVerdict;
  /**
   * Whether a name server made this IPv6 address from one of the others (DNS64, RFC 6147), for
   * clients that reach IPv4 only through a gateway. It leads only to the same destination.
   */
  isTranslationOf(address: string, others: readonly string[]): boolean;
}

// IANA's special-purpose registries (RFC 6890), and an address that one cloud uses for its virtual
// machines. Addresses that are not listed here are public.
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

// Only this block of IPv6 has been allocated; everything outside it is refused, whatever it will be
// used for.
const GLOBAL_IPV6 = ['2000::/3'];

const REFUSED_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '2620:4f:8000::/48'];

// IPv4 addresses mapped into IPv6. No host needs them, so each address has only one form.
const MAPPED_IPV4 = ['::ffff:0:0/96'];

// Clouds serve machine credentials at these addresses (AWS, its containers and pods; Azure, Google,
// Alibaba, Oracle, Tencent, Scaleway, OpenStack): no option allows them.
const METADATA = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  '169.254.0.23',
  '169.254.42.42',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  'fd00:42::42',
  'fe80::a9fe:a9fe',
];

/**
 * Reads lists of networks.
 * @param networks `address/prefix`, or a single address
 * @throws RangeError naming the entry that is not a network
 */
function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const { address, prefix } = parseNetwork(network);
    list.addSubnet(address, prefix, addressFamily(address));
  }
  return list;
}

/**
 * The rules for every address that a user's URL leads to (RFC 6890; default deny).
 * @param options.allowedNetworks networks that are allowed although they are not public; never the
 * metadata addresses of clouds, in any form. In a listed NAT64 prefix, an address is allowed if its
 * embedded IPv4 address is
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

  const classifyIpv4 = (address: string): AddressVerdict => {
    if (metadata.check(address, 'ipv4')) return 'refused';
    if (allowed.check(address, 'ipv4')) return 'lifted';
    const isRefused = own.check(address, 'ipv4') || refusedIpv4.check(address, 'ipv4');
    return isRefused ? 'refused' : 'public';
  };
  const classifyIpv6 = (address: string): AddressVerdict => {
    const isRefused =
      mapped.check(address, 'ipv6') ||
      metadata.check(address, 'ipv6') ||
      ipv4Within(address).some((ipv4) => metadata.check(ipv4, 'ipv4'));
    if (isRefused) return 'refused';
    if (allowed.check(address, 'ipv6')) return leadsSomewhere(address) ? 'lifted' : 'refused';
    const isPublic =
      globalIpv6.check(address, 'ipv6') &&
      !refusedIpv6.check(address, 'ipv6') &&
      !own.check(address, 'ipv6');
    return isPublic ? 'public' : 'refused';
  };
  /** An address that a gateway translates is checked as its IPv4 address. */
  const leadsSomewhere = (address: string): boolean => {
    const targets = translatedAddresses(address);
    if (targets === undefined) return true;
    return targets.length > 0 && targets.every((ipv4) => classifyIpv4(ipv4) !== 'refused');
  };

  return {
    classify(address: string): AddressVerdict {
      // A zone (`fe80::1%eth0`) names an interface of this machine.
      if (isIP(address) === 0 || address.includes('%')) return 'refused';
      return addressFamily(address) === 'ipv4' ? classifyIpv4(address) : classifyIpv6(address);
    },
    isTranslationOf(address: string, others: readonly string[]): boolean {
      if (isIP(address) !== 6 || address.includes('%')) return false;
      return translatedAddresses(address)?.some((ipv4) => others.includes(ipv4)) === true;
    },
  };
}

/**
 * The addresses of this machine's interfaces, including public ones, because it must not call
 * itself.
 */
export function readOwnAddresses(): readonly string[] {
  const addresses: string[] = [];
  for (const entries of Object.values(networkInterfaces())) {
    for (const { address } of entries ?? []) addresses.push(address.replace(/%.*$/, ''));
  }
  return addresses;
}

function parseNetwork(network: string): { address: string; prefix: number } {
  const [address = '', length, ...rest] = network.split('/');
  const width = addressBits(address);
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

function addressFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

function addressBits(address: string): number {
  return isIP(address) === 6 ? 128 : 32;
}
