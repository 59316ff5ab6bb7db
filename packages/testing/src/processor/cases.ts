import assert from 'node:assert/strict';
import { isErrorCode, newId } from '@paymount/core/kernel';
import type { ConformanceCase } from '../run/conformance-case.ts';
import { bankAccountCases } from './bank-accounts.ts';
import { always, type Conditional, capable, provoking, type Test, taking } from './conditions.ts';
import { debitCases } from './debits.ts';
import { disputeCases } from './disputes.ts';
import {
  expectApproved,
  expectFound,
  expectMembers,
  expectNotFound,
  expectSame,
  mustAnswer,
} from './expectations.ts';
import type { ProcessorFactory, ProcessorFixtures } from './fixtures.ts';
import { noticeKindCases } from './notice-kinds.ts';
import { noticeCases } from './notices.ts';
import { payoutCases } from './payouts.ts';
import { AMOUNT, ProcessorSetup } from './setup.ts';

const CURRENCIES = { jpy: 0, eur: 2, bhd: 3 };
const SIMULTANEOUS = 10;

/** One test of an adapter, which may have to be skipped; `run` then rejects. */
export interface ProcessorCase extends ConformanceCase {
  /** @returns why this case does not apply to this adapter; undefined if it does */
  leftOut(): Promise<string | undefined>;
}

/**
 * The suite that every processor adapter passes. It always contains every case. A case that the
 * fixtures or the capabilities exclude says so, and its `run` rejects. `checkProcessor` runs them
 * all.
 * @param factory makes a new adapter; several may use one processor at the same time
 * @param fixtures the cards of its test environment
 */
export function processorCases(
  factory: ProcessorFactory,
  fixtures: ProcessorFixtures,
): readonly ProcessorCase[] {
  return Object.entries(ALL).map(([name, of]) => {
    const { leftOut, test } = typeof of === 'function' ? always(of) : of;
    const why = () => leftOut(new ProcessorSetup(factory, fixtures));
    return {
      name,
      leftOut: why,
      async run() {
        const reason = await why();
        assert(reason === undefined, `This case is left out: ${reason}`);
        await test(new ProcessorSetup(factory, fixtures));
      },
    };
  });
}

const tokenization: Record<string, Test> = {
  'names itself': async (setup) => {
    const processor = await setup.fresh();
    expectMembers(processor);
    const { name, capabilities } = processor;
    assert.match(name, /^[a-z][a-z0-9_-]{0,39}$/, 'A name is 1-40 of a-z, 0-9, _ and -.');
    assert(
      capabilities.manualCapture || !capabilities.partialCapture,
      'capabilities.partialCapture needs capabilities.manualCapture.',
    );
  },
  'returns the details of a card that may be shown': async (setup) => {
    const { processorToken } = await setup.tokenize(setup.fixtures.approved);
    assert(!/\d{12}/.test(processorToken), 'A processor token holds no card number.');
  },
  'returns the same fingerprint for a card each time': async (setup) => {
    const first = await setup.tokenize(setup.fixtures.approved);
    const second = await setup.tokenize(setup.fixtures.approved);
    expectSame('A second tokenize of one card', second.card.fingerprint, first.card.fingerprint);
  },
  'reports a token that does not exist': async (setup) => {
    const answer = await setup.ask({ type: 'card', token: `tok_${newId('op')}` });
    const call = 'tokenize of a token that names nothing';
    assert(answer.result === 'unknown_token', mustAnswer(call, 'unknown_token', answer.result));
  },
};

const charging: Record<string, Test | Conditional> = {
  ...Object.fromEntries(
    Object.entries(CURRENCIES).map(([currency, decimals]) => [
      `approves exactly the amount asked for in ${currency}, of ${decimals} decimals`,
      taking(currency, async (setup) => void (await setup.sale({ currency }))),
    ]),
  ),
  'gives every charge a unique reference': async (setup) => {
    const sales = [await setup.sale(), await setup.sale()];
    const references = sales.map(([, { processorReference }]) => processorReference);
    assert.notEqual(references[0], references[1], 'Two charges have the same processorReference.');
  },
  'declines with codes of the error table and a message for the payer': async (setup) => {
    const { processorToken } = await setup.tokenize(setup.fixtures.declined);
    const operation = setup.operation(processorToken, { capture: true });
    const outcome = await setup.submit('authorize', operation);
    const call = 'authorize of the card `declined`';
    assert(outcome.outcome === 'declined', mustAnswer(call, 'declined', outcome.outcome));
    assert(isErrorCode(outcome.code), `"${outcome.code}" is not in the table of errors.`);
    assert(outcome.declineCode !== '', 'A decline has a declineCode.');
    assert(outcome.message !== '', 'A decline has a message for the payer.');
    await expectFound(setup, operation, outcome);
  },
};

const repeating: Record<string, Test | Conditional> = {
  'finds an operation by its operation id after a restart': async (setup) => {
    const [operation, outcome] = await setup.sale();
    await expectFound(setup, operation, outcome);
  },
  'reports an operation that it never received': async (setup) => {
    await expectNotFound(setup, newId('op'), 'that it never got');
  },
  'executes an operation once, however often it is submitted': capable(
    'idempotentSubmit',
    async (setup) => {
      const [operation, outcome] = await setup.sale();
      const again = setup.operation(operation.paymentMethod.processorToken, {
        ...operation,
        attempt: 2,
      });
      expectSame('A second authorize', await setup.submit('authorize', again), outcome);
    },
  ),
  'executes an operation once when it is submitted at the same time': capable(
    'idempotentSubmit',
    async (setup) => {
      const { processorToken } = await setup.tokenize(setup.fixtures.approved);
      const operation = setup.operation(processorToken, { capture: true });
      const outcomes = await Promise.all(
        Array.from({ length: SIMULTANEOUS }, () => setup.submit('authorize', operation)),
      );
      for (const outcome of outcomes)
        expectSame('authorize at the same time', outcome, outcomes[0]);
    },
  ),
};

const followUps: Record<string, Conditional> = {
  'captures all of an authorization': capable('manualCapture', (setup) =>
    followUp(setup, 'capture', AMOUNT, false),
  ),
  'captures a part of an authorization': capable('partialCapture', (setup) =>
    followUp(setup, 'capture', AMOUNT / 2, false),
  ),
  'cancels an authorization': capable('voids', (setup) => followUp(setup, 'cancel', AMOUNT, false)),
  'refunds all of a charge': capable('refunds', (setup) => followUp(setup, 'refund', AMOUNT, true)),
  'refunds a part of a charge': capable('refunds', (setup) =>
    followUp(setup, 'refund', AMOUNT / 2, true),
  ),
  'refunds nothing that it does not know': capable('refunds', async (setup) => {
    const { processorToken } = await setup.tokenize(setup.fixtures.approved);
    const previous = { processorReference: `unknown-${newId('op')}` };
    const outcome = await setup.submit('refund', setup.operation(processorToken, { previous }));
    const { outcome: found } = outcome;
    const call = 'refund of a charge that it does not know';
    const isRefused = found === 'rejected' || found === 'declined';
    assert(isRefused, mustAnswer(call, 'rejected" or "declined', found));
  }),
};

const deadlines: Record<string, Test> = {
  'sends nothing after its deadline': async (setup) => {
    const { processorToken } = await setup.tokenize(setup.fixtures.approved);
    const deadline = AbortSignal.abort(new Error('The deadline passed.'));
    const operation = setup.operation(processorToken, { capture: true, deadline });
    await setup.expectRefusal(operation);
    await expectNotFound(setup, operation.operationId, 'whose deadline had passed');
  },
};

const provoked: Record<string, Conditional> = {
  'reports what was approved, even when it is not what was asked for': provoking(
    'tampered',
    async (setup, card) => {
      const { processorToken } = await setup.tokenize(card);
      const operation = setup.operation(processorToken, { capture: true });
      const outcome = await setup.submit('authorize', operation);
      const call = 'authorize of the card `tampered`';
      assert(outcome.outcome === 'approved', mustAnswer(call, 'approved', outcome.outcome));
      const differs = outcome.amount !== operation.amount;
      assert(differs, `${call} must answer another amount than ${operation.amount}.`);
      await expectFound(setup, operation, outcome);
    },
  ),
  'throws when its deadline aborts, and knows afterwards what it executed': provoking(
    'approvedSilently',
    async (setup, card) => {
      const { processorToken } = await setup.tokenize(card);
      const operation = setup.operation(processorToken, { capture: true });
      const refusal = await setup.expectSilence(operation);
      assert(refusal === 'unknown', 'What was sent and not answered is unknown, not unsent.');
      const outcome = await setup.lookup(operation.operationId);
      assert(outcome !== 'not_found', 'The look-up does not find what was executed.');
      expectApproved('lookup', outcome, operation);
    },
  ),
  'throws NotSentError when the request never left': provoking('notSent', async (setup, card) => {
    const { processorToken } = await setup.tokenize(card);
    const operation = setup.operation(processorToken, { capture: true });
    const refusal = await setup.expectRefusal(operation);
    assert(refusal === 'not_sent', 'authorize of the card `notSent` must throw NotSentError.');
    await expectNotFound(setup, operation.operationId, 'that it never sent');
  }),
};

/** An operation on a charge: done or pending, and found by its own id. */
async function followUp(
  setup: ProcessorSetup,
  kind: 'capture' | 'cancel' | 'refund',
  amount: number,
  capture: boolean,
): Promise<void> {
  const [{ paymentMethod }, { processorReference }] = await setup.sale({ capture });
  const previous = { processorReference };
  const operation = setup.operation(paymentMethod.processorToken, { amount, previous });
  const outcome = await setup.submit(kind, operation);
  if (outcome.outcome !== 'pending') expectApproved(kind, outcome, operation);
  const found = await setup.lookup(operation.operationId);
  assert(found !== 'not_found', 'The look-up does not find what was executed.');
  if (outcome.outcome === 'approved') expectSame('lookup', found, outcome);
}

const ALL: Readonly<Record<string, Test | Conditional>> = {
  ...tokenization,
  ...charging,
  ...repeating,
  ...followUps,
  ...deadlines,
  ...provoked,
  ...payoutCases,
  ...bankAccountCases,
  ...noticeCases,
  ...noticeKindCases,
  ...debitCases,
  ...disputeCases,
};
