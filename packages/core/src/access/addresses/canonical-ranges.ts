import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';

/** The maximum number of ranges of a list. */
export const MAX_RANGES = 100;
/** The maximum length of a range; longer texts are not parsed. */
const MAX_LENGTH = 64;

/** Why a list of ranges is refused: the rest of a sentence that begins with its name. */
export interface RangesRefusal {
  /** The index of the entry; absent if the list itself is wrong. */
  readonly index?: number;
  readonly reason: string;
}

/** The result for one text: a range, or the reason against it and, if possible, a correction. */
type ParsedRange =
  | { readonly range: string }
  | { readonly reason: string; readonly correction?: string | undefined };

/**
 * The canonical form of a list of addresses and CIDR ranges: RFC 5952, IPv4 mapped into IPv6 as
 * IPv4, a bare address as /32 or /128, without duplicates and without ranges that another range
 * contains; in the given order.
 * @returns the ranges, or the first error: host bits, /0, zones, leading zeros and other texts, no
 *   entry or more than 100
 */
export function canonicalRanges(
  inputs: readonly string[],
): { readonly ranges: readonly string[] } | { readonly refused: RangesRefusal } {
  if (inputs.length === 0) {
    return { refused: { reason: 'is empty; leave it out (null) to allow every address.' } };
  }
  if (inputs.length > MAX_RANGES) {
    return {
      refused: { reason: `has ${inputs.length} entries; the maximum is ${MAX_RANGES}.` },
    };
  }
  const ranges: string[] = [];
  for (const [index, input] of inputs.entries()) {
    const parsed = parseRange(input);
    if ('reason' in parsed) return { refused: { index, reason: describeFault(parsed) } };
    ranges.push(parsed.range);
  }
  return { ranges: withoutCovered(ranges) };
}

/**
 * As `canonicalRanges`, for input of a caller.
 * @param param the parameter's name: `allowed_ips`
 * @throws 400 `parameter_invalid`, naming the entry: `allowed_ips[3]`
 */
export function requireRanges(inputs: readonly string[], param: string): readonly string[] {
  const result = canonicalRanges(inputs);
  if ('ranges' in result) return result.ranges;
  const { index, reason } = result.refused;
  const name = index === undefined ? param : `${param}[${index}]`;
  throw new PaymountError('parameter_invalid', `${name} ${reason}`, { param: name });
}

/**
 * As `canonicalRanges`, for an option of the host.
 * @param option the option's name: `trustedProxies`
 * @throws TypeError naming the entry: `trustedProxies[3]`
 */
export function rangesFromOption(inputs: readonly string[], option: string): readonly string[] {
  const isList = Array.isArray(inputs) && inputs.every((input) => typeof input === 'string');
  if (!isList) {
    throw new TypeError(
      `The option \`${option}\` is a list of addresses and CIDR ranges, such as ['10.0.0.0/8'].`,
    );
  }
  const result = canonicalRanges(inputs);
  if ('ranges' in result) return result.ranges;
  const { index, reason } = result.refused;
  const entry = index === undefined ? '' : `[${index}]`;
  throw new TypeError(`The option \`${option}${entry}\` ${reason}`);
}

function describeFault({ reason, correction }: Extract<ParsedRange, { reason: string }>): string {
  return correction === undefined ? `${reason}.` : `${reason}; did you mean ${correction}?`;
}

function parseRange(text: string): ParsedRange {
  const slash = text.indexOf('/');
  const address = slash === -1 ? text : text.slice(0, slash);
  const prefix = slash === -1 ? '' : text.slice(slash);
  if (text.length > MAX_LENGTH) return none();
  if (address.includes('%')) {
    const [bare = ''] = address.split('%');
    return { reason: 'has a zone, which is not allowed here', correction: meant(bare + prefix) };
  }
  if (/^\d+(?:\.\d+){3}$/.test(address) && /(?:^|\.)0\d/.test(address)) {
    const stripped = address.replace(/(^|\.)0+(?=\d)/g, '$1');
    return { reason: 'has leading zeros', correction: meant(stripped + prefix) };
  }
  return isIP(address) === 0 ? none() : parsePrefix(address, prefix);
}

function none(): ParsedRange {
  return { reason: 'is not an IPv4 or IPv6 address or a range such as 203.0.113.0/24' };
}

function parsePrefix(address: string, prefix: string): ParsedRange {
  if (prefix === '') return validateRange(address, isIP(address) === 4 ? 32 : 128);
  const digits = prefix.slice(1);
  if (!/^\d{1,3}$/.test(digits)) return { reason: 'must end in a prefix length such as /24' };
  if (/^0\d/.test(digits)) {
    const stripped = `${address}/${Number(digits)}`;
    return { reason: 'has leading zeros', correction: meant(stripped) };
  }
  return validateRange(address, Number(digits));
}

function validateRange(address: string, bits: number): ParsedRange {
  const width = isIP(address) === 4 ? 32 : 128;
  if (bits > width) return { reason: `has a prefix longer than ${width} bits` };
  const parsed = ipaddr.process(address);
  const isMapped = width === 128 && parsed.kind() === 'ipv4';
  const ownBits = isMapped ? bits - 96 : bits;
  if (isMapped && ownBits < 0) return { reason: 'is wider than IPv4; write IPv4 ranges as IPv4' };
  if (ownBits === 0) return { reason: 'contains every address; leave the list out (null) instead' };
  const cidr = `${parsed.toString()}/${ownBits}`;
  const network =
    parsed.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(cidr)
      : ipaddr.IPv6.networkAddressFromCIDR(cidr);
  const range = `${network.toString()}/${ownBits}`;
  if (range === cidr) return { range };
  return { reason: `has bits set beyond its prefix of ${ownBits}`, correction: range };
}

/** The probable meaning of a wrong text; a text may be wrong in two ways. */
function meant(text: string): string | undefined {
  const parsed = parseRange(text);
  return 'range' in parsed ? parsed.range : parsed.correction;
}

function withoutCovered(ranges: readonly string[]): readonly string[] {
  const parsed = ranges.map((range) => ipaddr.parseCIDR(range));
  return ranges.filter((_, index) => {
    const own = parsed[index];
    return !parsed.some((other, at) => {
      if (own === undefined || at === index || own[0].kind() !== other[0].kind()) return false;
      if (other[1] > own[1] || !own[0].match(other)) return false;
      // Of two equal ranges the first stays.
      return other[1] < own[1] || at < index;
    });
  });
}
