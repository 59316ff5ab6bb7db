import assert from 'node:assert/strict';
import { newId } from '@paymount/core/kernel';
import { type Condition, type Conditional, provided, type Test } from './conditions.ts';
import { mustAnswer } from './expectations.ts';
import type { ProcessorFixtures } from './fixtures.ts';
import type { ProcessorSetup } from './setup.ts';

/** Cases for adapters that check a bank account before it is added. */
export const bankAccountCases: Readonly<Record<string, Conditional>> = {
  'accepts a bank account that payouts reach, and shows its last digits': checking(
    async (setup) => {
      const { country, currency, accountNumber, routingNumber } = given(setup, 'destination');
      const input = { country, currency, accountNumber, routingNumber };
      const answer = await setup.checkBankAccount(input);
      const call = 'checkBankAccount of `destination`';
      assert(answer.result === 'accepted', mustAnswer(call, 'accepted', answer.result));
      const { last4, country: found } = answer.bankAccount;
      assert(accountNumber.endsWith(last4), 'The last4 are the last characters of the number.');
      assert(found === country, 'The country is that of the bank account.');
    },
    has('destination'),
  ),
  'refuses a wrong bank account, and says why': checking(async (setup) => {
    const answer = await setup.checkBankAccount(given(setup, 'wrongBankAccount'));
    const call = 'checkBankAccount of `wrongBankAccount`';
    assert(answer.result === 'refused', mustAnswer(call, 'refused', answer.result));
    assert(answer.message !== '', 'A refusal has a message.');
  }, has('wrongBankAccount')),
  'reports a token of a bank account that does not exist': checking(async (setup) => {
    const answer = await setup.checkBankAccount({ token: `btok_${newId('op')}` });
    const call = 'checkBankAccount of a token that names nothing';
    assert(answer.result === 'unknown_token', mustAnswer(call, 'unknown_token', answer.result));
  }),
};

function checking(test: Test, ...conditions: readonly Condition[]): Conditional {
  return provided([checks, ...conditions], test);
}

async function checks(setup: ProcessorSetup): ReturnType<Condition> {
  const { checkBankAccount } = await setup.fresh();
  if (checkBankAccount !== undefined) return undefined;
  return 'The adapter has no `checkBankAccount`: every well-formed number is accepted.';
}

type Fixture = 'destination' | 'wrongBankAccount';

function has(fixture: Fixture): Condition {
  return async ({ fixtures }) =>
    fixtures[fixture] === undefined
      ? `The fixtures have no bank account \`${fixture}\`.`
      : undefined;
}

function given<Name extends Fixture>(
  { fixtures }: ProcessorSetup,
  fixture: Name,
): NonNullable<ProcessorFixtures[Name]> {
  return fixtures[fixture] ?? assert.fail();
}
