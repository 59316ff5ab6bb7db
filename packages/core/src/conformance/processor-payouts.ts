import assert from 'node:assert/strict';
import type { OperationId } from '../kernel/basics/id.ts';
import type { BankDestination, Outcome } from '../payments/operations/processor.ts';
import type { ProcessorBench } from './processor-bench.ts';
import type { Conditional } from './processor-conditions.ts';
import { expectNotFound, expectSame, mustAnswer } from './processor-expectations.ts';

const POLL_MS = 100;

/** Payouts, for adapters with the capability. A return after `paid` comes by a notice. */
export const payoutCases: Record<string, Conditional> = {
  'pays out exactly the amount asked for, and finds the payout by its operation id': paying(
    'destination',
    async (bench, destination) => {
      const operation = bench.payout(destination);
      const outcome = await bench.submitPayout(operation);
      const isTaken = outcome.outcome === 'approved' || outcome.outcome === 'pending';
      assert(isTaken, mustAnswer('payout', 'approved" or "pending', outcome.outcome));
      const ended = await settled(bench, operation.operationId);
      assert(ended.outcome === 'approved', mustAnswer('lookup', 'approved', ended.outcome));
      const { amount, currency } = operation;
      expectSame('payout', [ended.amount, ended.currency], [amount, currency]);
    },
  ),
  'pays out once, however often a payout is submitted': paying(
    'destination',
    async (bench, destination) => {
      const operation = bench.payout(destination);
      const first = referenceIn(await bench.submitPayout(operation));
      const again = bench.payout(destination, { ...operation, attempt: 2 });
      expectSame('A second payout', referenceIn(await bench.submitPayout(again)), first);
    },
    'idempotentSubmit',
  ),
  'refuses a payout to a bank account that takes none': paying(
    'refusedDestination',
    async (bench, destination) => {
      const operation = bench.payout(destination);
      const outcome = await bench.submitPayout(operation);
      // What is certainly not executed need not be found.
      if (outcome.outcome === 'rejected') return;
      const ended = await settled(bench, operation.operationId);
      const isRefused = ended.outcome === 'declined' || ended.outcome === 'rejected';
      assert(isRefused, mustAnswer('lookup', 'declined" or "rejected', ended.outcome));
    },
  ),
  'pays nothing out after its deadline': paying('destination', async (bench, destination) => {
    const deadline = AbortSignal.abort(new Error('The deadline passed.'));
    const operation = bench.payout(destination, { deadline });
    const answer = await bench.submitPayout(operation).catch(() => 'thrown' as const);
    assert(answer === 'thrown', 'payout after its deadline must throw.');
    await expectNotFound(bench, operation.operationId, 'whose deadline had passed');
  }),
};

function paying(
  fixture: 'destination' | 'refusedDestination',
  test: (bench: ProcessorBench, destination: BankDestination) => Promise<void>,
  ability?: 'idempotentSubmit',
): Conditional {
  return {
    async leftOut(bench) {
      const { capabilities } = await bench.fresh();
      const lacking = [...(['payouts'] as const), ...(ability ? [ability] : [])].find(
        (name) => !capabilities[name],
      );
      if (lacking !== undefined) return `capabilities.${lacking} is false.`;
      const isThere = bench.fixtures[fixture] !== undefined;
      return isThere ? undefined : `The fixtures have no bank account \`${fixture}\`.`;
    },
    async test(bench) {
      const destination = bench.fixtures[fixture];
      assert(destination !== undefined);
      await test(bench, destination);
    },
  };
}

/** The outcome of a payout once it is not pending any more; a test environment needs seconds. */
async function settled(bench: ProcessorBench, operationId: OperationId): Promise<Outcome> {
  const until = performance.now() + bench.answerMs;
  for (;;) {
    const found = await bench.lookup(operationId);
    assert(found !== 'not_found', 'The look-up does not find what was executed.');
    if (found.outcome !== 'pending') return found;
    const isLate = performance.now() > until;
    assert(!isLate, `The payout is pending for longer than ${bench.answerMs} ms.`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function referenceIn(outcome: Outcome): string {
  assert('processorReference' in outcome, mustAnswer('payout', 'approved', outcome.outcome));
  return outcome.processorReference;
}
