/** The positions of the bytes of an IPv4 address in an IPv6 address. */
type Layout = readonly [number, number, number, number];

/** 6to4 (RFC 3056). */
const SIX_TO_FOUR: Layout = [2, 3, 4, 5];
/**
 * For the prefix lengths 48, 56 and 64 (RFC 6052, section 2.2): byte 8 and the bytes after the
 * address are 0.
 */
const TRANSLATED: readonly Layout[] = [
  [6, 7, 9, 10],
  [7, 9, 10, 11],
  [9, 10, 11, 12],
];
/** For the prefix length 96, and in addresses that were mapped, compatible, or made by ISATAP. */
const LAST: Layout = [12, 13, 14, 15];
/** For the prefix lengths 32 and 40; the server of Teredo (RFC 4380). */
const FIRST: readonly Layout[] = [
  [4, 5, 6, 7],
  [5, 6, 7, 9],
];
const EVERYWHERE: readonly Layout[] = [SIX_TO_FOUR, ...FIRST, ...TRANSLATED, LAST];

/** 64:ff9b::/96 (RFC 6052), and 64:ff9b:1::/48 for local use (RFC 8215). */
const WELL_KNOWN = [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0];
const LOCAL_USE = [0, 0x64, 0xff, 0x9b, 0, 1];

/**
 * Every IPv4 address that a gateway may extract from an IPv6 address, with any prefix.
 * @param address an IPv6 address without zone and brackets
 */
export function ipv4Within(address: string): readonly string[] {
  const bytes = parseBytes(address);
  const teredoClient = bytes.slice(12).map((byte) => byte ^ 0xff);
  return [...EVERYWHERE.map((layout) => readAt(bytes, layout)), teredoClient.join('.')];
}

/**
 * The IPv4 addresses that a NAT64 gateway may reach through an address with a standard prefix.
 * @param address an IPv6 address without zone and brackets
 * @returns undefined for all other addresses; empty if no gateway extracts one from it
 */
export function translatedAddresses(address: string): readonly string[] | undefined {
  const bytes = parseBytes(address);
  if (startsWith(bytes, WELL_KNOWN)) return [readAt(bytes, LAST)];
  if (!startsWith(bytes, LOCAL_USE)) return undefined;
  const layouts = [
    ...TRANSLATED.filter((layout) => bytes[8] === 0 && bytes.slice(layout[3] + 1).every(isZero)),
    LAST,
  ];
  return layouts.map((layout) => readAt(bytes, layout)).filter((ipv4) => ipv4 !== '0.0.0.0');
}

/** The 16 bytes of an IPv6 address in any notation. */
function parseBytes(address: string): readonly number[] {
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const before = parseGroups(head);
  const after = parseGroups(tail ?? '');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]);
}

function parseGroups(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

function readAt(bytes: readonly number[], layout: Layout): string {
  return layout.map((index) => bytes[index]).join('.');
}

function startsWith(bytes: readonly number[], prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}

function isZero(byte: number): boolean {
  return byte === 0;
}
