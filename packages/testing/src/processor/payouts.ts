import assert from 'node:assert/strict';
import type { BankDestination } from '@paymount/core/payments';
import { type Condition, type Conditional, can, provided } from './conditions.ts';
import { expectNotFound, expectSame, mustAnswer, referenceIn, settled } from './expectations.ts';
import type { ProcessorSetup } from './setup.ts';

/** Payouts, for adapters with the capability. A return after `paid` comes by a notice. */
export const payoutCases: Record<string, Conditional> = {
  'pays out exactly the amount asked for, and finds the payout by its operation id': paying(
    'destination',
    async (setup, destination) => {
      const operation = setup.payout(destination);
      const outcome = await setup.submitPayout(operation);
      const isTaken = outcome.outcome === 'approved' || outcome.outcome === 'pending';
      assert(isTaken, mustAnswer('payout', 'approved" or "pending', outcome.outcome));
      const ended = await settled(setup, operation.operationId, 'The payout');
      assert(ended.outcome === 'approved', mustAnswer('lookup', 'approved', ended.outcome));
      const { amount, currency } = operation;
      expectSame('payout', [ended.amount, ended.currency], [amount, currency]);
    },
  ),
  'pays out once, however often a payout is submitted': paying(
    'destination',
    async (setup, destination) => {
      const operation = setup.payout(destination);
      const first = referenceIn('payout', await setup.submitPayout(operation));
      const again = await setup.submitPayout({ ...operation, attempt: 2 });
      expectSame('A second payout', referenceIn('payout', again), first);
    },
    'idempotentSubmit',
  ),
  'refuses a payout to a bank account that takes none': paying(
    'refusedDestination',
    async (setup, destination) => {
      const operation = setup.payout(destination);
      const outcome = await setup.submitPayout(operation);
      if (outcome.outcome === 'declined') return;
      // "rejected" would say that the request was at fault, and payouts would go on to this account.
      const isTaken = outcome.outcome === 'approved' || outcome.outcome === 'pending';
      assert(isTaken, mustAnswer('payout', 'declined', outcome.outcome));
      const ended = await settled(setup, operation.operationId, 'The payout');
      assert(ended.outcome === 'declined', mustAnswer('lookup', 'declined', ended.outcome));
    },
  ),
  'pays nothing out after its deadline': paying('destination', async (setup, destination) => {
    const deadline = AbortSignal.abort(new Error('The deadline passed.'));
    const operation = setup.payout(destination, { deadline });
    await setup.expectThrow(() => setup.submitPayout(operation));
    await expectNotFound(setup, operation.operationId, 'whose deadline had passed');
  }),
};

function paying(
  fixture: 'destination' | 'refusedDestination',
  test: (setup: ProcessorSetup, destination: BankDestination) => Promise<void>,
  ...abilities: readonly 'idempotentSubmit'[]
): Conditional {
  const hasBankAccount: Condition = async ({ fixtures }) =>
    fixtures[fixture] === undefined
      ? `The fixtures have no bank account \`${fixture}\`.`
      : undefined;
  const conditions = [can('payouts'), ...abilities.map(can), hasBankAccount];
  return provided(conditions, async (setup) => {
    const destination = setup.fixtures[fixture];
    assert(destination !== undefined);
    await test(setup, destination);
  });
}
