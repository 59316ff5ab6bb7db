import { z } from 'zod';
import type { RequestId } from '../../kernel/basics/id.ts';
import type { IdempotencyClaim } from '../../kernel/callers/principal.ts';
import { isErrorCode } from '../../kernel/errors/error-codes.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { StoredResponse } from './idempotency.ts';

/** The default target of `doc_url`; answers are stored with it. */
export const DOC_URL = 'https://github.com/paymount/paymount/blob/main/docs/reference/errors.md';

/** The answer to a successful request: 200 and the resource. */
export function toStoredResponse(resource: object): StoredResponse {
  return { status: 200, body: JSON.stringify(resource) };
}

/** The error body of the API. */
function errorBody(error: PaymountError, requestId: RequestId): object {
  return {
    error: {
      type: error.type,
      code: error.code,
      message: error.message,
      param: error.param,
      decline_code: error.declineCode,
      ...error.extra,
      doc_url: `${DOC_URL}#${error.code}`,
      request_id: requestId,
    },
  };
}

const ErrorBody = z.object({
  error: z.looseObject({
    type: z.string(),
    code: z.string().refine(isErrorCode),
    message: z.string(),
    param: z.string().optional(),
    decline_code: z.string().optional(),
    doc_url: z.string(),
    request_id: z.string(),
  }),
});

/** The error that `errorBody` made into `body`. @throws Error for any other text */
export function errorIn(body: string): PaymountError {
  const { error } = ErrorBody.parse(JSON.parse(body));
  const { type: _, code, message, param, decline_code: declineCode, ...rest } = error;
  const { doc_url: _url, request_id: _id, ...extra } = rest;
  return new PaymountError(code, message, {
    ...(param !== undefined && { param }),
    ...(declineCode !== undefined && { declineCode }),
    ...(Object.keys(extra).length > 0 && { extra }),
  });
}

/** The answer to a failed request; rendered once for the response and for the stored copy. */
export function toStoredErrorResponse(error: PaymountError, requestId: RequestId): StoredResponse {
  return { status: error.status, body: JSON.stringify(errorBody(error, requestId)) };
}

/** The context that a sealed stored answer is bound to. */
export function storedResponseContext(
  claim: Pick<IdempotencyClaim, 'accountId' | 'environment' | 'key'>,
): string {
  return `idempotency_keys.body:${claim.accountId}:${claim.environment}:${claim.key}`;
}
