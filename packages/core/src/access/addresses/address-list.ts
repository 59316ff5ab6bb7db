import { BlockList } from 'node:net';

/**
 * Addresses remembered per list: clients of one key come from few, and a match of node's list
 * costs 3 microseconds. Few, because every cached key has a list of its own.
 */
const MAX_REMEMBERED = 16;

/** Ranges, to be asked whether they hold an address. */
export class AddressList {
  readonly #list = new BlockList();
  readonly #remembered = new Map<string, boolean>();
  readonly #maxRemembered: number;

  /** @param ranges canonical (`canonicalRanges`): BlockList takes host bits and /0 without a word */
  constructor(ranges: readonly string[], maxRemembered = MAX_REMEMBERED) {
    this.#maxRemembered = maxRemembered;
    for (const range of ranges) {
      const slash = range.indexOf('/');
      const network = range.slice(0, slash);
      this.#list.addSubnet(network, Number(range.slice(slash + 1)), familyOf(network));
    }
  }

  /** @param address canonical (`canonicalAddress`, `peerAddress`) */
  has(address: string): boolean {
    const known = this.#remembered.get(address);
    if (known !== undefined) return known;
    const isListed = this.#list.check(address, familyOf(address));
    if (this.#remembered.size === this.#maxRemembered) this.#remembered.clear();
    this.#remembered.set(address, isListed);
    return isListed;
  }
}

const lists = new WeakMap<readonly string[], AddressList>();

/**
 * Whether an address lies in one of the ranges. The list is made once for each array, so that it
 * lives as long as the cached record that holds the array.
 * @param ranges canonical (`canonicalRanges`)
 * @param address canonical; an unknown address lies in no range
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

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}
