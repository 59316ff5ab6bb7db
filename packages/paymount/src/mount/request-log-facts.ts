import type { IncomingMessage } from 'node:http';
import type { Clock, LogFacts, Principal, RequestId } from '@paymount/core/kernel';

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

/** Who a request acted as: account and key, or the platform and the grant behind a token. */
export function principalLogFacts(principal: Principal | undefined): object {
  return {
    account: principal?.accountId,
    key_id: principal?.kind === 'key' ? principal.keyId : undefined,
    ...(principal?.kind === 'token' && {
      platform: principal.platformId,
      grant: principal.grantId,
    }),
  };
}
