import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { OPERATION_NOUNS } from '../processor/processor.ts';
import type { Operation } from './operation.ts';
import type { OperationSettle } from './operation-input.ts';
import type { Refusal, Subject } from './operation-subject.ts';
import type { CallResult } from './outcome.ts';

const REFUSED: Refusal = {
  code: 'processing_error',
  declineCode: 'processing_error',
  message: 'The processor refused it.',
};

/**
 * The outcome that a person recorded, in the form of a processor's outcome. An approval keeps the
 * reference, the fee and the availability time that the processor reported.
 * @throws PaymountError `parameter_missing` for an approval without any reference;
 *   `parameter_invalid` for a parameter that does not fit the operation
 */
export function toDecision(
  operation: Operation,
  subject: Pick<Subject, 'mayBeLess' | 'refusal'>,
  input: OperationSettle,
): Exclude<CallResult, { outcome: 'pending' | 'unknown' }> {
  if (input.as !== 'approved') {
    for (const param of ['processor_reference', 'amount'] as const) {
      if (input[param] !== undefined)
        throw invalid(param, `${param} is only allowed with as=approved.`);
    }
    return input.as === 'not_executed' ? { outcome: 'not_sent' } : buildDecline(operation, subject);
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
  const amount = requireAmount(operation, subject, input.amount);
  return { ...told, outcome: 'approved', processorReference, amount, currency };
}

/** Mostly the whole amount. */
function requireAmount(
  operation: Operation,
  subject: Pick<Subject, 'mayBeLess'>,
  sent = operation.amount,
): number {
  if (sent === operation.amount) return sent;
  if (!subject.mayBeLess?.(operation)) {
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
  operation: Operation,
  subject: Pick<Subject, 'refusal'>,
): Extract<CallResult, { outcome: 'declined' }> {
  const refusal = subject.refusal?.(operation) ?? REFUSED;
  return { outcome: 'declined', retry: 'never', ...refusal };
}

function invalid(param: string, message: string): PaymountError {
  return new PaymountError('parameter_invalid', message, { param });
}
