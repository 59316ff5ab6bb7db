import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientAddresses } from '@paymount/auth';
import type { LogFacts, Logger } from '@paymount/core/kernel';

/** Ids that are safe in a log and in a header: visible ASCII of limited length. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;
const HEADER = 'X-Request-Id';

interface Ports {
  readonly clients: Pick<ClientAddresses, 'isTrustedProxy'>;
  readonly logger: Logger;
}

/**
 * The ports for one request. If the host has its own id for the request, our log lines contain it
 * as `host_request_id`, and the response as `X-Request-Id`.
 * @returns the same ports if the host has no id, or one that is not 1-128 characters of visible
 * ASCII
 */
export function portsForRequest<Given extends Ports>(
  ports: Given,
  request: IncomingMessage,
  response: ServerResponse,
): Given {
  const id = hostRequestId(request, ports.clients);
  if (id === undefined) return ports;
  if (!response.headersSent && !response.hasHeader(HEADER)) response.setHeader(HEADER, id);
  return { ...ports, logger: withRequestId(id, ports.logger) };
}

/**
 * `request.id`, which pino-http and others set; otherwise the header, if a trusted proxy sent it.
 */
function hostRequestId(request: IncomingMessage, clients: Ports['clients']): string | undefined {
  const own = 'id' in request ? request.id : undefined;
  const id = typeof own === 'number' ? String(own) : (own ?? readTrustedHeader(request, clients));
  return typeof id === 'string' && REQUEST_ID.test(id) ? id : undefined;
}

function readTrustedHeader(
  { headers, socket }: IncomingMessage,
  clients: Ports['clients'],
): unknown {
  const sent = headers['x-request-id'];
  if (sent === undefined || !clients.isTrustedProxy(socket.remoteAddress)) return undefined;
  return sent;
}

function withRequestId(id: string, logger: Logger): Logger {
  const named = (facts: LogFacts): LogFacts => ({ ...facts, host_request_id: id });
  return {
    debug: (facts, message) => logger.debug(named(facts), message),
    info: (facts, message) => logger.info(named(facts), message),
    warn: (facts, message) => logger.warn(named(facts), message),
    error: (facts, message) => logger.error(named(facts), message),
  };
}
