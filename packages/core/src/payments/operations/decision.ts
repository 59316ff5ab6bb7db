import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { OPERATION_NOUNS, type Operation } from './operation.ts';
import type { OperationSettle } from './operation-input.ts';
import type { CallResult } from './outcome.ts';
import type { Prepared } from './settler.ts';

/**
 * What a person says became of an operation, as the processor would have said it. An approval keeps
 * what the processor told of its own one: reference, fee, and when the funds become available.
 * @throws PaymountError `parameter_missing` for an approval without any reference;
 *   `parameter_invalid` for what does not go with the operation
 */
export function decisionOf(
  operation: Operation,
  { request }: Pick<Prepared, 'request'>,
  input: OperationSettle,
): Exclude<CallResult, { outcome: 'pending' | 'unknown' }> {
  if (input.as !== 'approved') {
    for (const param of ['processor_reference', 'amount'] as const) {
      if (input[param] !== undefined) throw invalid(param, `${param} goes with as=approved alone.`);
    }
    return input.as === 'not_executed' ? { outcome: 'not_sent' } : declineOf(operation);
  }
  const { outcome, currency } = operation;
  const told = outcome?.outcome === 'approved' ? outcome : undefined;
  const processorReference =
    input.processor_reference?.trim() ?? told?.processorReference ?? operation.processorReference;
  if (processorReference === undefined) {
    throw new PaymountError(
      'parameter_missing',
      'processor_reference is required: the processor never said what it calls this operation.',
      { param: 'processor_reference' },
    );
  }
  const amount = amountOf(operation, request.capture === true, input.amount);
  return { ...told, outcome: 'approved', processorReference, amount, currency };
}

/** Less than was asked can only be captured: an authorization or a refund is whole or not at all. */
function amountOf(operation: Operation, capturesAtOnce: boolean, sent = operation.amount): number {
  if (sent === operation.amount) return sent;
  const isCapture =
    operation.kind === 'capture' || (operation.kind === 'authorize' && capturesAtOnce);
  if (!isCapture) {
    const message = `amount of this ${OPERATION_NOUNS[operation.kind]} can only be the ${operation.amount} that was asked for.`;
    throw invalid('amount', message);
  }
  if (sent > operation.amount) {
    const message = `amount is at most the ${operation.amount} that was asked for; refund the rest at the processor.`;
    throw invalid('amount', message);
  }
  return sent;
}

function declineOf({ kind }: Operation): Extract<CallResult, { outcome: 'declined' }> {
  const isCard = kind === 'authorize';
  return {
    outcome: 'declined',
    code: isCard ? 'card_declined' : 'processing_error',
    declineCode: isCard ? 'generic_decline' : 'processing_error',
    message: isCard ? 'Your card was declined.' : 'The processor refused it.',
    retry: 'never',
  };
}

function invalid(param: string, message: string): PaymountError {
  return new PaymountError('parameter_invalid', message, { param });
}
