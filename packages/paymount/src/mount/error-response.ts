import { type Logger, type RequestId, type Telemetry, toError } from '@paymount/core/kernel';
import { asPaymountError, type RouteResponse, renderError } from '@paymount/http';

/** The response to a failed request. Its cause is logged, and is never sent to callers. */
export function errorResponse(
  error: unknown,
  requestId: RequestId,
  { logger, telemetry }: { readonly logger: Logger; readonly telemetry: Telemetry },
): RouteResponse {
  const known = asPaymountError(error);
  telemetry.count('paymount_error_responses_total', { code: known.code });
  if (known.cause !== undefined) {
    const err = toError(known.cause);
    const facts = { request_id: requestId, code: known.code, err };
    if (known.code === 'internal_error') logger.error(facts, 'A request failed unexpectedly.');
    else logger.warn(facts, 'A request failed.');
  }
  return renderError(known, requestId);
}
