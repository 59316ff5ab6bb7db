import assert from 'node:assert/strict';
import { isErrorCode } from '@paymount/core/kernel';
import type { Outcome, ProcessorOperation, TokenizeInput } from '@paymount/core/payments';
import { type Condition, type Conditional, can, hasNotice, provided } from './conditions.ts';
import { expectSame, mustAnswer } from './expectations.ts';
import { AMOUNT, type ProcessorSetup } from './setup.ts';
import { charged, readAbout } from './subjects.ts';

type Accepted = Extract<Outcome, { outcome: 'pending' | 'approved' }>;

/** Cases for adapters that debit bank accounts. */
export const debitCases: Readonly<Record<string, Conditional>> = {
  'returns the details of a bank account that may be shown, for a debit': debiting(
    async (setup, account) => {
      const answer = await setup.ask(account);
      assert(answer.result === 'tokenized', mustAnswer('tokenize', 'tokenized', answer.result));
      const { facts } = answer;
      assert(facts.type === 'us_bank_account', 'The facts of a bank account have its type.');
      const { processorToken = '' } = facts;
      assert(!/\d{9}/.test(processorToken), 'A processor token holds no account number.');
    },
  ),
  'submits a bank debit, and finds it': debiting(async (setup, account) => {
    const [operation, outcome] = await submit(setup, account);
    const found = await setup.lookup(operation.operationId);
    assert(found !== 'not_found', 'The look-up does not find a bank debit that was submitted.');
    assert(isAccepted(found), mustAnswer('lookup of a bank debit', 'pending', found.outcome));
    expectSame('lookup', found.processorReference, outcome.processorReference);
  }),
  'submits a bank debit once, however often it is asked to': debiting(async (setup, account) => {
    const [operation, outcome] = await submit(setup, account);
    const again = await setup.submit('authorize', { ...operation, attempt: 2 });
    assert(isAccepted(again), mustAnswer('a second authorize', 'pending', again.outcome));
    expectSame('A second authorize', again.processorReference, outcome.processorReference);
  }, can('idempotentSubmit')),
  'reads a notice that a bank debit cleared, with its amount': debiting(async (setup, account) => {
    const subject = await charged(setup, account);
    const [{ data } = assert.fail()] = await readAbout(setup, 'charge.settled', [subject]);
    const { amount, currency } = data;
    expectSame('ingest', { amount, currency }, { amount: AMOUNT, currency: 'usd' });
  }, hasNotice('charge.settled')),
  'reads a notice that a bank debit was returned, with its return code': debiting(
    async (setup, account) => {
      const subject = await charged(
        setup,
        setup.fixtures.notices?.['charge.failed']?.of ?? account,
      );
      const [{ data } = assert.fail()] = await readAbout(setup, 'charge.failed', [subject]);
      const { code, returnCode } = data;
      assert(isErrorCode(code), `"${code}" is not in the table of errors.`);
      assert(returnCode === 'R01', `The returnCode must be "R01"; it is "${returnCode}".`);
      expectSame('ingest of an R01', code, 'insufficient_funds');
    },
    hasNotice('charge.failed'),
  ),
};

function isAccepted(outcome: Outcome): outcome is Accepted {
  return outcome.outcome === 'pending' || outcome.outcome === 'approved';
}

async function submit(
  setup: ProcessorSetup,
  account: TokenizeInput,
): Promise<[ProcessorOperation, Accepted]> {
  const operation = await setup.debit(account);
  const outcome = await setup.submit('authorize', operation);
  const call = 'authorize of the bank account `debited`';
  assert(isAccepted(outcome), mustAnswer(call, 'pending', outcome.outcome));
  return [operation, outcome];
}

/** A case for adapters that debit bank accounts. */
function debiting(
  test: (setup: ProcessorSetup, account: TokenizeInput) => Promise<void>,
  ...conditions: readonly Condition[]
): Conditional {
  return provided([debits, ...conditions], async (setup) => {
    const { debited } = setup.fixtures;
    assert(debited !== undefined);
    await test(setup, debited);
  });
}

async function debits(setup: ProcessorSetup): ReturnType<Condition> {
  const { methods } = (await setup.fresh()).capabilities;
  if (!methods.includes('us_bank_account')) return 'capabilities.methods has no bank accounts.';
  const isThere = setup.fixtures.debited !== undefined;
  return isThere ? undefined : 'The fixtures have no bank account `debited`.';
}
