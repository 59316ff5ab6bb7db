import type { Operation } from './operation.ts';
import type { Outcome } from './processor.ts';

/** What the core knows after a call: the processor's word, or why there is none. */
export type CallResult =
  | Outcome
  /** It may have been executed; the resolver asks. */
  | { readonly outcome: 'unknown' }
  /** It certainly never left. */
  | { readonly outcome: 'not_sent' };

/** An approval of another amount or currency is never booked. */
export function contradicts(operation: Operation, result: CallResult): boolean {
  return (
    result.outcome === 'approved' &&
    (result.amount !== operation.amount || result.currency !== operation.currency)
  );
}
