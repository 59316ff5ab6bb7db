import type { Filter } from '../../support/tcp-proxy.ts';

/** NotificationResponse, in the protocol of PostgreSQL. */
const NOTIFICATION = 'A'.charCodeAt(0);
const HEADER_LENGTH = 5;

/**
 * Takes what LISTEN brings out of a server's bytes, and nothing else. Connections without TLS: what
 * a server sends is messages from the first byte on, each a type and a length that counts itself.
 */
export function withoutNotifications(isOn: () => boolean): Filter {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const kept: Buffer[] = [];
    while (rest.length >= HEADER_LENGTH) {
      const end = 1 + rest.readUInt32BE(1);
      if (rest.length < end) break;
      if (!(isOn() && rest[0] === NOTIFICATION)) kept.push(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
    return Buffer.concat(kept);
  };
}
