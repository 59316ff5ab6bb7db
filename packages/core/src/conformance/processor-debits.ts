import assert from 'node:assert/strict';
import { isErrorCode } from '../kernel/errors/error-codes.ts';
import { BANK_RETURNS } from '../payments/charges/bank-returns.ts';
import type { Outcome, ProcessorOperation } from '../payments/operations/processor.ts';
import type { TokenizeInput } from '../payments/operations/tokenization.ts';
import { AMOUNT, type ProcessorBench } from './processor-bench.ts';
import { type Conditional, capable } from './processor-conditions.ts';
import { expectSame, mustAnswer } from './processor-expectations.ts';
import type { NoticeRequest, ProcessorFixtures } from './processor-fixtures.ts';
import { readNotices } from './processor-notices.ts';

type Accepted = Extract<Outcome, { outcome: 'pending' | 'approved' }>;

/** Cases for adapters that debit bank accounts. */
export const debitCases: Readonly<Record<string, Conditional>> = {
  'returns the details of a bank account that may be shown, for a debit': debiting(
    async (bench, account) => {
      const answer = await bench.ask(account);
      assert(answer.result === 'tokenized', mustAnswer('tokenize', 'tokenized', answer.result));
      const { facts } = answer;
      assert(facts.type === 'us_bank_account', 'The facts of a bank account have its type.');
      const { processorToken = '' } = facts;
      assert(!/\d{9}/.test(processorToken), 'A processor token holds no account number.');
    },
  ),
  'submits a bank debit, and finds it': debiting(async (bench, account) => {
    const [operation, outcome] = await submit(bench, account);
    const found = await bench.lookup(operation.operationId);
    assert(found !== 'not_found', 'The look-up does not find a bank debit that was submitted.');
    assert(isAccepted(found), mustAnswer('lookup of a bank debit', 'pending', found.outcome));
    expectSame('lookup', found.processorReference, outcome.processorReference);
  }),
  'submits a bank debit once, however often it is asked to': repeatable(
    debiting(async (bench, account) => {
      const [operation, outcome] = await submit(bench, account);
      const again = await bench.submit('authorize', { ...operation, attempt: 2 });
      assert(isAccepted(again), mustAnswer('a second authorize', 'pending', again.outcome));
      expectSame('A second authorize', again.processorReference, outcome.processorReference);
    }),
  ),
  'reads a notice that a bank debit cleared, with its amount': noticing(
    'noticeRequest',
    async (bench, account, request) => {
      const [operation, { processorReference }] = await submit(bench, account);
      const [notice] = await readNotices(bench, await request([processorReference]));
      assert(notice?.kind === 'charge.settled', 'The notice of clearing is charge.settled.');
      expectNamed(notice, operation, processorReference);
      const { amount, currency } = notice.data;
      expectSame('ingest', { amount, currency }, { amount: AMOUNT, currency: 'usd' });
    },
  ),
  'reads a notice that a bank debit was returned, with its return code': noticing(
    'returnRequest',
    async (bench, account, request) => {
      const [operation, { processorReference }] = await submit(bench, account);
      const [notice] = await readNotices(bench, await request([processorReference]));
      assert(notice?.kind === 'charge.failed', 'The notice of a return is charge.failed.');
      expectNamed(notice, operation, processorReference);
      const { code, returnCode } = notice.data;
      assert(isErrorCode(code), `"${code}" is not in the table of errors.`);
      assert(returnCode === 'R01', `The returnCode must be "R01"; it is "${returnCode}".`);
      expectSame('ingest of an R01', code, BANK_RETURNS['R01']?.code);
    },
  ),
};

function isAccepted(outcome: Outcome): outcome is Accepted {
  return outcome.outcome === 'pending' || outcome.outcome === 'approved';
}

async function submit(
  bench: ProcessorBench,
  account: TokenizeInput,
): Promise<[ProcessorOperation, Accepted]> {
  const operation = await bench.debit(account);
  const outcome = await bench.submit('authorize', operation);
  const call = 'authorize of the bank account `debited`';
  assert(isAccepted(outcome), mustAnswer(call, 'pending', outcome.outcome));
  return [operation, outcome];
}

function expectNamed(
  notice: { readonly operationId?: string; readonly processorReference?: string },
  { operationId }: ProcessorOperation,
  reference: string,
): void {
  const names = notice.operationId === operationId || notice.processorReference === reference;
  assert(names, 'A notice names its operation, or the reference that its answer had.');
}

/** A case for adapters that debit bank accounts. */
function debiting(
  test: (bench: ProcessorBench, account: TokenizeInput) => Promise<void>,
): Conditional {
  return {
    async leftOut(bench) {
      const { methods } = (await bench.fresh()).capabilities;
      if (!methods.includes('us_bank_account')) return 'capabilities.methods has no bank accounts.';
      const { debited } = bench.fixtures;
      return debited === undefined ? 'The fixtures have no bank account `debited`.' : undefined;
    },
    async test(bench) {
      const { debited } = bench.fixtures;
      assert(debited !== undefined);
      await test(bench, debited);
    },
  };
}

/** A case for those of them that execute an operation once. */
function repeatable(debit: Conditional): Conditional {
  return {
    ...debit,
    leftOut: async (bench) =>
      (await debit.leftOut(bench)) ??
      (await capable('idempotentSubmit', debit.test).leftOut(bench)),
  };
}

type Requests = Required<Pick<ProcessorFixtures, 'noticeRequest' | 'returnRequest'>>;

/** A case for those of them that take notices. */
function noticing(
  fixture: keyof Requests,
  test: (
    bench: ProcessorBench,
    account: TokenizeInput,
    request: (references: readonly string[]) => NoticeRequest | Promise<NoticeRequest>,
  ) => Promise<void>,
): Conditional {
  const debit = debiting(async (bench, account) => {
    const request = bench.fixtures[fixture];
    assert(request !== undefined);
    await test(bench, account, request);
  });
  return {
    ...debit,
    async leftOut(bench) {
      const reason = await debit.leftOut(bench);
      if (reason !== undefined) return reason;
      if ((await bench.fresh()).ingest === undefined) return 'The adapter has no `ingest`.';
      const isThere = bench.fixtures[fixture] !== undefined;
      return isThere ? undefined : `The fixtures have no \`${fixture}\`.`;
    },
  };
}
