import { type ErrorCode, errorFacts, isErrorCode } from '../../kernel/errors/error-codes.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { CallResult } from '../operations/outcome.ts';
import type { Charge } from './charge.ts';
import { toChargeFailure } from './charge-failure.ts';

/** The error of a processor that refused a capture, a cancel or a refund. */
export function toProcessorError(result: CallResult): PaymountError | undefined {
  switch (result.outcome) {
    case 'approved':
    case 'pending':
    case 'unknown':
      return undefined;
    case 'declined':
    case 'action_required':
    case 'rejected':
    case 'not_sent': {
      const failure = toChargeFailure(result);
      const code = toErrorCode(failure.code, 'processing_error');
      const { declineCode, message } = failure;
      return new PaymountError(code, message, declineCode === undefined ? {} : { declineCode });
    }
  }
}

/** The error for a failed charge: 402, or 502 if nothing was sent. */
export function chargeError(charge: Charge): PaymountError | undefined {
  if (charge.status !== 'failed') return undefined;
  const { code, message, declineCode } = charge.failure;
  return new PaymountError(toErrorCode(code, 'card_declined'), message, {
    ...(declineCode === undefined ? {} : { declineCode }),
    extra: { charge: charge.id },
  });
}

/** Statuses that describe the payment; others would describe the request. */
const STATUSES: readonly number[] = [400, 402, 502];

/**
 * The adapter's error code, unless callers would misread it, for example as a conflict to retry.
 */
function toErrorCode(code: string, otherwise: ErrorCode): ErrorCode {
  return isErrorCode(code) && STATUSES.includes(errorFacts(code).status) ? code : otherwise;
}
