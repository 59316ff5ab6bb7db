import type { CallResult } from '../operations/outcome.ts';
import type { Charge, ChargeFailure, ChargeOutcome } from './charge.ts';

/** An answer by which nothing was paid. */
export type Refusal = Extract<
  CallResult,
  { outcome: 'declined' | 'action_required' | 'rejected' | 'not_sent' }
>;

/** The error that a caller gets when the processor refuses. */
export function toChargeFailure(
  result: Refusal,
): ChargeFailure & { readonly outcome: ChargeOutcome; readonly processorReference?: string } {
  switch (result.outcome) {
    case 'declined':
      return {
        code: result.code,
        declineCode: result.declineCode,
        message: result.message,
        ...referenceOf(result),
        outcome: {
          type: result.blocked === true ? 'blocked' : 'issuer_declined',
          networkStatus: result.blocked === true ? 'not_sent_to_network' : 'declined_by_network',
          reason: result.declineCode,
          riskLevel: result.blocked === true ? 'highest' : 'normal',
          ...(result.advice === undefined ? {} : { adviceCode: result.advice }),
        },
      };
    case 'action_required':
      return {
        code: 'authentication_required',
        declineCode: 'authentication_required',
        message: 'The issuer wants the payer to authenticate, which this charge cannot offer.',
        outcome: {
          type: 'issuer_declined',
          networkStatus: 'declined_by_network',
          reason: 'authentication_required',
          riskLevel: 'normal',
        },
      };
    case 'rejected':
      return { code: result.code, message: result.message, outcome: notExecuted(result.code) };
    case 'not_sent':
      return {
        code: 'processor_error',
        message: 'The processor could not be reached; nothing was sent.',
        outcome: notExecuted('processor_error'),
      };
  }
}

function referenceOf({
  processorReference,
}: Extract<Refusal, { outcome: 'declined' }>): Pick<Charge, 'processorReference'> {
  return processorReference === undefined ? {} : { processorReference };
}

function notExecuted(reason: string): ChargeOutcome {
  return { type: 'invalid', networkStatus: 'not_sent_to_network', reason, riskLevel: 'unknown' };
}
