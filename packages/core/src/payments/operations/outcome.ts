import type { Outcome } from '../processor/processor.ts';
import type { Operation } from './operation.ts';

/** The result of a call: the processor's answer, or why there is no answer. */
export type CallResult =
  | Outcome
  /** It may have been executed; the resolver asks. */
  | { readonly outcome: 'unknown' }
  /** It was certainly not sent. */
  | { readonly outcome: 'not_sent' };

/** An approval of another amount or currency is never posted. */
export function contradicts(operation: Operation, result: CallResult): boolean {
  return (
    result.outcome === 'approved' &&
    (result.amount !== operation.amount || result.currency !== operation.currency)
  );
}
