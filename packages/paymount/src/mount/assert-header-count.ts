import type { IncomingMessage } from 'node:http';
import { PaymountError } from '@paymount/core/kernel';

/** Node keeps this many header lines of a request (`server.maxHeadersCount`) and drops the rest. */
const MAX_LINES = 1_000;

/**
 * Refuses a request of which Node may have dropped header lines, because they may have contained,
 * for example, a second `Authorization`.
 * @throws PaymountError 431 `too_many_headers`
 */
export function assertHeaderCount(request: IncomingMessage): void {
  const kept = headerLimit(request.socket);
  if (request.rawHeaders.length / 2 < kept) return;
  throw new PaymountError(
    'too_many_headers',
    `The request has ${kept} header lines or more; fewer are taken.`,
  );
}

/** A host may configure a lower limit. */
function headerLimit(socket: IncomingMessage['socket']): number {
  const server: unknown = 'server' in socket ? socket.server : undefined;
  if (typeof server !== 'object' || server === null) return MAX_LINES;
  const kept: unknown = Reflect.get(server, 'maxHeadersCount');
  return typeof kept === 'number' && kept > 0 ? Math.min(kept, MAX_LINES) : MAX_LINES;
}
