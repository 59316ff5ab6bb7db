import type { IncomingMessage } from 'node:http';
import type { Clock, LogFacts, RequestId } from '@paymount/core/kernel';

interface CompletedRequest {
  readonly startedMs: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** The pattern, never the URL; undefined if there is no such route. */
  readonly route: string | undefined;
  readonly status: number;
}

/** The fields of the log line of a request, for every router. */
export function requestLogFacts(
  { request, requestId }: { readonly request: IncomingMessage; readonly requestId: RequestId },
  { startedMs, clock, route, status }: CompletedRequest,
): LogFacts {
  return {
    request_id: requestId,
    method: request.method,
    route,
    status,
    duration_ms: Math.round((clock.monotonicMs() - startedMs) * 10) / 10,
  };
}
