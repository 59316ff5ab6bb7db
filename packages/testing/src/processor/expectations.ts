import assert from 'node:assert/strict';
import { inspect, isDeepStrictEqual } from 'node:util';
import type { OperationId } from '@paymount/core/kernel';
import type { Outcome, Processor, ProcessorOperation } from '@paymount/core/payments';

const POLL_MS = 100;
const METHODS = ['tokenize', 'authorize', 'capture', 'cancel', 'refund', 'lookup'] as const;
const ABILITIES = [
  'manualCapture',
  'partialCapture',
  'voids',
  'refunds',
  'idempotentSubmit',
] as const;

/** An approval. */
export type Approved = Extract<Outcome, { outcome: 'approved' }>;

/** Anything with a method `lookup`. */
interface Lookup {
  lookup(operationId: OperationId): Promise<Outcome | 'not_found'>;
}

/** The message for an unexpected answer. */
export function mustAnswer(call: string, expected: string, found: string): string {
  return `${call} must answer "${expected}"; it answered "${found}".`;
}

/** Expects the same answer as another call. */
export function expectSame(call: string, found: unknown, expected: unknown): void {
  const isSame = isDeepStrictEqual(found, expected);
  assert(isSame, `${call} must answer ${inspect(expected)}; it answered ${inspect(found)}.`);
}

/** Expects an approval of exactly the requested amount. */
export function expectApproved(
  call: string,
  outcome: Outcome,
  operation: Pick<ProcessorOperation, 'amount' | 'currency'>,
): Approved {
  assert(outcome.outcome === 'approved', mustAnswer(call, 'approved', outcome.outcome));
  const { amount, currency } = operation;
  assert(
    outcome.amount === amount && outcome.currency === currency,
    `${call} must approve ${amount} ${currency}; it approved ${outcome.amount} ${outcome.currency}.`,
  );
  return outcome;
}

/** Expects a look-up to return the outcome of the submission. */
export async function expectFound(
  setup: Lookup,
  { operationId }: Pick<ProcessorOperation, 'operationId'>,
  outcome: Outcome,
): Promise<void> {
  expectSame('lookup', await setup.lookup(operationId), outcome);
}

/**
 * Expects a look-up that finds nothing.
 * @param which ends the sentence "lookup of an operation ..."
 */
export async function expectNotFound(
  setup: Lookup,
  operationId: OperationId,
  which: string,
): Promise<void> {
  const found = await setup.lookup(operationId);
  const answer = found === 'not_found' ? found : found.outcome;
  const call = `lookup of an operation ${which}`;
  assert(answer === 'not_found', mustAnswer(call, 'not_found', answer));
}

/**
 * The outcome of an operation once it is not pending any more; a test environment needs seconds.
 * @param noun begins the sentence about one that stays pending, such as `The payout`
 */
export async function settled(
  setup: Lookup & { readonly answerMs: number },
  operationId: OperationId,
  noun: string,
): Promise<Outcome> {
  const until = performance.now() + setup.answerMs;
  for (;;) {
    const found = await setup.lookup(operationId);
    assert(found !== 'not_found', 'The look-up does not find what was executed.');
    if (found.outcome !== 'pending') return found;
    const isLate = performance.now() > until;
    assert(!isLate, `${noun} is pending for longer than ${setup.answerMs} ms.`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** The reference in an answer to a submission, which must be accepted. */
export function referenceIn(call: string, outcome: Outcome): string {
  assert('processorReference' in outcome, mustAnswer(call, 'approved', outcome.outcome));
  return outcome.processorReference;
}

/** Expects every method and capability, because an adapter may be written without TypeScript. */
export function expectMembers(processor: Processor): void {
  for (const method of METHODS) {
    const isThere = typeof processor[method] === 'function';
    assert(isThere, `The adapter has no method "${method}".`);
  }
  assert(typeof processor.capabilities === 'object', 'The adapter has no "capabilities".');
  for (const ability of ABILITIES) {
    const isTold = typeof processor.capabilities[ability] === 'boolean';
    assert(
      isTold,
      `The adapter must say whether it can: capabilities.${ability} is true or false.`,
    );
  }
}
