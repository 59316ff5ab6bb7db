/** A parsed `Service-Signature` header. */
export type SignatureHeader =
  | {
      readonly form: 'valid';
      /** Unix seconds, as the sender wrote them. */
      readonly timestamp: string;
      /** Every `v1` digest: 32 bytes each, at least one. */
      readonly digests: readonly Buffer[];
    }
  | { readonly form: 'malformed'; readonly part: string };

/** Three secrets at most are unexpired at once; the rest leaves room for later schemes. */
const MAX_PARTS = 20;
const MAX_LENGTH = 2_000;
/** No sign, no leading zero, no fraction: one text per moment, below the year 33658. */
const TIMESTAMP = /^(?:0|[1-9][0-9]{0,11})$/;
const DIGEST = /^[0-9a-f]{64}$/;
/** The form of any `name=value` part; parts with unknown names are skipped. */
const PART = /^([a-z][a-z0-9]*)=([^\s=,]+=*)$/;

/**
 * Parses a `Service-Signature` header (specification: Events, Signature). The form is `t=<unix
 * seconds>,v1=<64 lowercase hex>`, in any order, without spaces. There are several `v1` during a
 * rotation, and schemes unknown to this version (`v2=...`) are skipped.
 * @returns 'malformed' with the first wrong part; never throws
 */
export function parseSignatureHeader(header: string): SignatureHeader {
  if (header.length > MAX_LENGTH) return malformed(header);
  const parts = header.split(',');
  if (parts.length > MAX_PARTS) return malformed(header);
  let timestamp: string | undefined;
  const digests: Buffer[] = [];
  for (const part of parts) {
    const [, name, value = ''] = PART.exec(part) ?? [];
    if (name === undefined) return malformed(part);
    if (name === 't') {
      if (timestamp !== undefined || !TIMESTAMP.test(value)) return malformed(part);
      timestamp = value;
    } else if (name === 'v1') {
      if (!DIGEST.test(value)) return malformed(part);
      digests.push(Buffer.from(value, 'hex'));
    }
  }
  if (timestamp === undefined || digests.length === 0) return malformed(header);
  return { form: 'valid', timestamp, digests };
}

function malformed(part: string): SignatureHeader {
  return { form: 'malformed', part };
}
