import { z } from 'zod';
import type { Operation } from './operation.ts';
import type { Outcome } from './processor.ts';

/** What the core knows after a call: the processor's word, or why there is none. */
export type CallResult =
  | Outcome
  /** It may have been executed; the resolver asks. */
  | { readonly outcome: 'unknown' }
  /** It certainly never left. */
  | { readonly outcome: 'not_sent' };

const OutcomeShape = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('approved'),
    processorReference: z.string(),
    amount: z.int(),
    currency: z.string(),
    networkTransactionId: z.string().exactOptional(),
    availableOn: z.iso.datetime().exactOptional(),
    fee: z.int().nonnegative().exactOptional(),
  }),
  z.object({
    outcome: z.literal('declined'),
    code: z.string(),
    declineCode: z.string(),
    message: z.string(),
    retry: z.enum(['never', 'later', 'customer']),
    advice: z.string().exactOptional(),
    blocked: z.boolean().exactOptional(),
  }),
  z.object({
    outcome: z.literal('pending'),
    processorReference: z.string(),
    expectedBy: z.iso.datetime(),
  }),
  z.object({
    outcome: z.literal('action_required'),
    redirectUrl: z.string(),
    processorReference: z.string(),
  }),
  z.object({ outcome: z.literal('rejected'), code: z.string(), message: z.string() }),
]);

/** Reads what an adapter answered; an answer that cannot be read is an unknown outcome. */
export function readOutcome(answer: unknown): CallResult {
  const read = OutcomeShape.safeParse(answer);
  return read.success ? read.data : { outcome: 'unknown' };
}

/** An approval of another amount or currency is never booked. */
export function contradicts(operation: Operation, result: CallResult): boolean {
  return (
    result.outcome === 'approved' &&
    (result.amount !== operation.amount || result.currency !== operation.currency)
  );
}
