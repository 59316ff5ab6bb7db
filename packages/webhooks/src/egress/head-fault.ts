import type { EgressDetail } from './egress-error.ts';

/** RFC 9110, 5.1 and 5.5: a token, a colon, and no control characters but tabs. */
const FIELD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*$/;
/** RFC 9112, 4; the reason may be missing. */
const STATUS_LINE = /^HTTP\/1\.\d [1-9]\d\d(?: .*)?$/;
const LENGTH = /^\d+$/;

/**
 * Why a response cannot be accepted, from its first bytes: undici's parser only says that it refuses them.
 * @returns `malformed` if they look right, for example if the connection ended in them
 */
export function findHeadFault(bytes: Buffer): EgressDetail {
  const text = bytes.toString('latin1');
  if (!text.startsWith('HTTP/')) return 'not_http';
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...fields] = (end === -1 ? text : text.slice(0, end)).split('\r\n');
  if (statusLine.startsWith('HTTP/1.1 101')) return 'switched_protocols';
  if (!STATUS_LINE.test(statusLine)) return 'invalid_status_line';
  // Without its end, the last line may be cut.
  const whole = end === -1 ? fields.slice(0, -1) : fields;
  if (whole.some((field) => !FIELD.test(field))) return 'invalid_header';
  const lengths = valuesOf(whole, 'content-length');
  const isOdd = lengths.some((value) => !LENGTH.test(value) || value !== lengths[0]);
  if (isOdd) return 'conflicting_lengths';
  const isCoded = valuesOf(whole, 'transfer-encoding').length > 0;
  return isCoded && lengths.length > 0 ? 'conflicting_lengths' : 'malformed';
}

function valuesOf(fields: readonly string[], name: string): readonly string[] {
  return fields.flatMap((field) => {
    const colon = field.indexOf(':');
    if (field.slice(0, colon).toLowerCase() !== name) return [];
    return field
      .slice(colon + 1)
      .split(',')
      .map((value) => value.trim());
  });
}
