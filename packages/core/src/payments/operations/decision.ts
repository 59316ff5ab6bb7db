import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { OPERATION_NOUNS, type Operation } from './operation.ts';
import type { OperationSettle } from './operation-input.ts';
import type { Subject } from './operation-subject.ts';
import type { CallResult } from './outcome.ts';

/**
 * The outcome that a person recorded, in the form of a processor's outcome. An approval keeps the
 * reference, the fee and the availability time that the processor reported.
 * @throws PaymountError `parameter_missing` for an approval without any reference;
 *   `parameter_invalid` for a parameter that does not fit the operation
 */
export function toDecision(
  operation: Operation,
  { request }: Pick<Subject, 'request'>,
  input: OperationSettle,
): Exclude<CallResult, { outcome: 'pending' | 'unknown' }> {
  if (input.as !== 'approved') {
    for (const param of ['processor_reference', 'amount'] as const) {
      if (input[param] !== undefined)
        throw invalid(param, `${param} is only allowed with as=approved.`);
    }
    return input.as === 'not_executed' ? { outcome: 'not_sent' } : buildDecline(operation, request);
  }
  const { outcome, currency } = operation;
  const told = outcome?.outcome === 'approved' ? outcome : undefined;
  const processorReference =
    input.processor_reference?.trim() ?? told?.processorReference ?? operation.processorReference;
  if (processorReference === undefined) {
    throw new PaymountError(
      'parameter_missing',
      'processor_reference is required: the processor never reported a reference.',
      { param: 'processor_reference' },
    );
  }
  const amount = requireAmount(
    operation,
    'capture' in request && request.capture === true,
    input.amount,
  );
  return { ...told, outcome: 'approved', processorReference, amount, currency };
}

/** Only a capture can be for less than requested: anything else is whole. */
function requireAmount(
  operation: Operation,
  capturesAtOnce: boolean,
  sent = operation.amount,
): number {
  if (sent === operation.amount) return sent;
  const isCapture =
    operation.kind === 'capture' || (operation.kind === 'authorize' && capturesAtOnce);
  if (!isCapture) {
    const message = `amount of this ${OPERATION_NOUNS[operation.kind]} must be ${operation.amount}, the requested amount.`;
    throw invalid('amount', message);
  }
  if (sent > operation.amount) {
    const message = `amount is at most ${operation.amount}, the requested amount; refund the rest at the processor.`;
    throw invalid('amount', message);
  }
  return sent;
}

function buildDecline(
  { kind }: Operation,
  request: Subject['request'],
): Extract<CallResult, { outcome: 'declined' }> {
  const declined = { outcome: 'declined', retry: 'never' } as const;
  if (kind !== 'authorize') {
    const code = 'processing_error';
    return { ...declined, code, declineCode: code, message: 'The processor refused it.' };
  }
  if ('debits' in request) {
    const code = 'bank_account_declined';
    return { ...declined, code, declineCode: code, message: 'The bank refused the debit.' };
  }
  const message = 'Your card was declined.';
  return { ...declined, code: 'card_declined', declineCode: 'generic_decline', message };
}

function invalid(param: string, message: string): PaymountError {
  return new PaymountError('parameter_invalid', message, { param });
}
