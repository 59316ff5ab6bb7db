import { BlockList } from 'node:net';

/**
 * The number of addresses cached per list: clients of one key use few, and a match of Node's list
 * takes 3 microseconds. Small, because every cached key has its own list.
 */
const MAX_REMEMBERED = 16;

/** Ranges that can be searched for an address. */
export class AddressList {
  readonly #list = new BlockList();
  readonly #remembered = new Map<string, boolean>();
  readonly #maxRemembered: number;

  /**
   * @param ranges canonical (`canonicalRanges`): BlockList accepts host bits and /0 without an
   *   error
   */
  constructor(ranges: readonly string[], maxRemembered = MAX_REMEMBERED) {
    this.#maxRemembered = maxRemembered;
    for (const range of ranges) {
      const slash = range.indexOf('/');
      const network = range.slice(0, slash);
      this.#list.addSubnet(network, Number(range.slice(slash + 1)), addressFamily(network));
    }
  }

  /** @param address canonical (`canonicalAddress`, `peerAddress`) */
  has(address: string): boolean {
    const known = this.#remembered.get(address);
    if (known !== undefined) return known;
    const isListed = this.#list.check(address, addressFamily(address));
    if (this.#remembered.size === this.#maxRemembered) this.#remembered.clear();
    this.#remembered.set(address, isListed);
    return isListed;
  }
}

const lists = new WeakMap<readonly string[], AddressList>();

/**
 * Whether an address is in one of the ranges. The list is made once for each array, and lives as
 * long as the cached record with the array.
 * @param ranges canonical (`canonicalRanges`)
 * @param address canonical; an unknown address is in no range
 */
export function isListed(ranges: readonly string[], address: string | undefined): boolean {
  if (address === undefined) return false;
  let list = lists.get(ranges);
  if (list === undefined) {
    list = new AddressList(ranges);
    lists.set(ranges, list);
  }
  return list.has(address);
}

function addressFamily(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}
