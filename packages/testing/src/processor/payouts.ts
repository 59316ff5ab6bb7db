import assert from 'node:assert/strict';
import type { BankDestination } from '@paymount/core/payments';
import type { ProcessorBench } from './bench.ts';
import { type Condition, type Conditional, can, provided } from './conditions.ts';
import { expectNotFound, expectSame, mustAnswer, referenceIn, settled } from './expectations.ts';

/** Payouts, for adapters with the capability. A return after `paid` comes by a notice. */
export const payoutCases: Record<string, Conditional> = {
  'pays out exactly the amount asked for, and finds the payout by its operation id': paying(
    'destination',
    async (bench, destination) => {
      const operation = bench.payout(destination);
      const outcome = await bench.submitPayout(operation);
      const isTaken = outcome.outcome === 'approved' || outcome.outcome === 'pending';
      assert(isTaken, mustAnswer('payout', 'approved" or "pending', outcome.outcome));
      const ended = await settled(bench, operation.operationId, 'The payout');
      assert(ended.outcome === 'approved', mustAnswer('lookup', 'approved', ended.outcome));
      const { amount, currency } = operation;
      expectSame('payout', [ended.amount, ended.currency], [amount, currency]);
    },
  ),
  'pays out once, however often a payout is submitted': paying(
    'destination',
    async (bench, destination) => {
      const operation = bench.payout(destination);
      const first = referenceIn('payout', await bench.submitPayout(operation));
      const again = await bench.submitPayout({ ...operation, attempt: 2 });
      expectSame('A second payout', referenceIn('payout', again), first);
    },
    'idempotentSubmit',
  ),
  'refuses a payout to a bank account that takes none': paying(
    'refusedDestination',
    async (bench, destination) => {
      const operation = bench.payout(destination);
      const outcome = await bench.submitPayout(operation);
      if (outcome.outcome === 'declined') return;
      // "rejected" would say that the request was at fault, and payouts would go on to this account.
      const isTaken = outcome.outcome === 'approved' || outcome.outcome === 'pending';
      assert(isTaken, mustAnswer('payout', 'declined', outcome.outcome));
      const ended = await settled(bench, operation.operationId, 'The payout');
      assert(ended.outcome === 'declined', mustAnswer('lookup', 'declined', ended.outcome));
    },
  ),
  'pays nothing out after its deadline': paying('destination', async (bench, destination) => {
    const deadline = AbortSignal.abort(new Error('The deadline passed.'));
    const operation = bench.payout(destination, { deadline });
    await bench.expectThrow(() => bench.submitPayout(operation));
    await expectNotFound(bench, operation.operationId, 'whose deadline had passed');
  }),
};

function paying(
  fixture: 'destination' | 'refusedDestination',
  test: (bench: ProcessorBench, destination: BankDestination) => Promise<void>,
  ...abilities: readonly 'idempotentSubmit'[]
): Conditional {
  const hasBankAccount: Condition = async ({ fixtures }) =>
    fixtures[fixture] === undefined
      ? `The fixtures have no bank account \`${fixture}\`.`
      : undefined;
  const conditions = [can('payouts'), ...abilities.map(can), hasBankAccount];
  return provided(conditions, async (bench) => {
    const destination = bench.fixtures[fixture];
    assert(destination !== undefined);
    await test(bench, destination);
  });
}
