import assert from 'node:assert/strict';
import type { TokenizeInput } from '../operations/processor.ts';
import { isErrorCode } from '../shared/error-codes.ts';
import { newId } from '../shared/id.ts';
import type { ConformanceCase } from './conformance-case.ts';
import { AMOUNT, ProcessorBench } from './processor-bench.ts';
import {
  expectApproved,
  expectFound,
  expectMembers,
  expectNotFound,
  expectSame,
  mustAnswer,
} from './processor-expectations.ts';
import type { ProcessorFactory, ProcessorFixtures } from './processor-fixtures.ts';

const CURRENCIES = ['jpy', 'eur', 'bhd'];
const SIMULTANEOUS = 10;

type Test = (bench: ProcessorBench) => Promise<void>;

/** A case that needs a certain card of the fixtures. */
interface Provoked {
  readonly fixture: 'approvedSilently' | 'tampered' | 'notSent';
  readonly test: (bench: ProcessorBench, card: TokenizeInput) => Promise<void>;
}

/**
 * The suite that every processor adapter passes. A case for which the fixtures have no card is left out;
 * one whose name ends in "if its capabilities say so" asks nothing of an adapter that cannot do it.
 * @param factory makes the adapter anew; several stand side by side on one processor
 * @param fixtures the cards of its test environment
 */
export function processorCases(
  factory: ProcessorFactory,
  fixtures: ProcessorFixtures,
): readonly ConformanceCase[] {
  const tests = { ...tokenization, ...charging, ...repeating, ...followUps, ...deadlines };
  const provoking = Object.entries(provoked).flatMap(([name, { fixture, test }]) => {
    const card = fixtures[fixture];
    return card === undefined
      ? []
      : [[name, (bench: ProcessorBench) => test(bench, card)] as const];
  });
  return [...Object.entries(tests), ...provoking].map(([name, test]) => ({
    name,
    run: () => test(new ProcessorBench(factory, fixtures)),
  }));
}

const tokenization: Record<string, Test> = {
  'names itself': async (bench) => {
    const processor = await bench.fresh();
    expectMembers(processor);
    const { name, capabilities } = processor;
    assert.match(name, /^[a-z][a-z0-9_-]{0,39}$/, 'A name is 1-40 of a-z, 0-9, _ and -.');
    assert(
      capabilities.manualCapture || !capabilities.partialCapture,
      'capabilities.partialCapture needs capabilities.manualCapture.',
    );
  },
  'turns a card into facts that may be shown': async (bench) => {
    const { processorToken } = await bench.tokenize(bench.fixtures.approved);
    assert(!/\d{12}/.test(processorToken), 'A processor token holds no card number.');
  },
  'gives one card the same fingerprint each time': async (bench) => {
    const first = await bench.tokenize(bench.fixtures.approved);
    const second = await bench.tokenize(bench.fixtures.approved);
    expectSame('A second tokenize of one card', second.card.fingerprint, first.card.fingerprint);
  },
  'says when a token names nothing': async (bench) => {
    const answer = await bench.ask({ type: 'card', token: `tok_${newId('op')}` });
    const call = 'tokenize of a token that names nothing';
    assert(answer.result === 'unknown_token', mustAnswer(call, 'unknown_token', answer.result));
  },
};

const charging: Record<string, Test> = {
  'approves exactly the amount and currency asked for, of 0, 2 and 3 decimals': async (bench) => {
    const { capabilities } = await bench.fresh();
    for (const currency of CURRENCIES) {
      const taken = capabilities.currencies?.includes(currency) ?? true;
      if (taken) await bench.sale({ currency });
    }
  },
  'gives every charge a reference of its own': async (bench) => {
    const sales = [await bench.sale(), await bench.sale()];
    const references = sales.map(([, { processorReference }]) => processorReference);
    assert.notEqual(references[0], references[1], 'Two charges have the same processorReference.');
  },
  'declines with codes of the error table and a message for the payer': async (bench) => {
    const { processorToken } = await bench.tokenize(bench.fixtures.declined);
    const operation = bench.operation(processorToken, { capture: true });
    const outcome = await bench.submit('authorize', operation);
    const call = 'authorize of the card `declined`';
    assert(outcome.outcome === 'declined', mustAnswer(call, 'declined', outcome.outcome));
    assert(isErrorCode(outcome.code), `"${outcome.code}" is not in the table of errors.`);
    assert(outcome.declineCode !== '', 'A decline has a declineCode.');
    assert(outcome.message !== '', 'A decline has a message for the payer.');
    await expectFound(bench, operation, outcome);
  },
};

const repeating: Record<string, Test> = {
  'finds an operation by our id after a restart': async (bench) => {
    const [operation, outcome] = await bench.sale();
    await expectFound(bench, operation, outcome);
  },
  'says when it never got an operation': async (bench) => {
    await expectNotFound(bench, newId('op'), 'that it never got');
  },
  'executes an operation once, however often it is submitted, if its capabilities say so': async (
    bench,
  ) => {
    const { capabilities } = await bench.fresh();
    if (!capabilities.idempotentSubmit) return;
    const [operation, outcome] = await bench.sale();
    const again = bench.operation(operation.paymentMethod.processorToken, {
      ...operation,
      attempt: 2,
    });
    expectSame('A second authorize', await bench.submit('authorize', again), outcome);
  },
  'executes an operation once when it is submitted at the same time, if its capabilities say so':
    async (bench) => {
      const { capabilities } = await bench.fresh();
      if (!capabilities.idempotentSubmit) return;
      const { processorToken } = await bench.tokenize(bench.fixtures.approved);
      const operation = bench.operation(processorToken, { capture: true });
      const outcomes = await Promise.all(
        Array.from({ length: SIMULTANEOUS }, () => bench.submit('authorize', operation)),
      );
      for (const outcome of outcomes)
        expectSame('authorize at the same time', outcome, outcomes[0]);
    },
};

const followUps: Record<string, Test> = {
  'captures all or a part of an authorization, if its capabilities say so': async (bench) => {
    const { capabilities } = await bench.fresh();
    const amounts = [
      ...(capabilities.manualCapture ? [AMOUNT] : []),
      ...(capabilities.partialCapture ? [AMOUNT / 2] : []),
    ];
    for (const amount of amounts) await followUp(bench, 'capture', amount, false);
  },
  'cancels an authorization, if its capabilities say so': async (bench) => {
    const { capabilities } = await bench.fresh();
    if (capabilities.voids) await followUp(bench, 'cancel', AMOUNT, false);
  },
  'refunds all or a part of a charge, if its capabilities say so': async (bench) => {
    const { capabilities } = await bench.fresh();
    if (!capabilities.refunds) return;
    await followUp(bench, 'refund', AMOUNT, true);
    await followUp(bench, 'refund', AMOUNT / 2, true);
  },
  'refunds nothing that it does not know, if its capabilities say so': async (bench) => {
    const { capabilities } = await bench.fresh();
    if (!capabilities.refunds) return;
    const { processorToken } = await bench.tokenize(bench.fixtures.approved);
    const previous = { processorReference: `unknown-${newId('op')}` };
    const outcome = await bench.submit('refund', bench.operation(processorToken, { previous }));
    const { outcome: found } = outcome;
    const call = 'refund of a charge that it does not know';
    const isRefused = found === 'rejected' || found === 'declined';
    assert(isRefused, mustAnswer(call, 'rejected" or "declined', found));
  },
};

const deadlines: Record<string, Test> = {
  'sends nothing after its deadline': async (bench) => {
    const { processorToken } = await bench.tokenize(bench.fixtures.approved);
    const deadline = AbortSignal.abort(new Error('The deadline passed.'));
    const operation = bench.operation(processorToken, { capture: true, deadline });
    await bench.expectRefusal(operation);
    await expectNotFound(bench, operation.operationId, 'whose deadline had passed');
  },
};

const provoked: Record<string, Provoked> = {
  'reports what was approved, even when it is not what was asked for': {
    fixture: 'tampered',
    async test(bench, card) {
      const { processorToken } = await bench.tokenize(card);
      const operation = bench.operation(processorToken, { capture: true });
      const outcome = await bench.submit('authorize', operation);
      const call = 'authorize of the card `tampered`';
      assert(outcome.outcome === 'approved', mustAnswer(call, 'approved', outcome.outcome));
      const differs = outcome.amount !== operation.amount;
      assert(differs, `${call} must answer another amount than ${operation.amount}.`);
      await expectFound(bench, operation, outcome);
    },
  },
  'throws when its deadline aborts, and knows afterwards what it executed': {
    fixture: 'approvedSilently',
    async test(bench, card) {
      const { processorToken } = await bench.tokenize(card);
      const operation = bench.operation(processorToken, { capture: true });
      const refusal = await bench.expectSilence(operation);
      assert(refusal === 'unknown', 'What was sent and not answered is unknown, not unsent.');
      const outcome = await bench.lookup(operation.operationId);
      assert(outcome !== 'not_found', 'The look-up does not find what was executed.');
      expectApproved('lookup', outcome, operation);
    },
  },
  'throws NotSentError when the request never left': {
    fixture: 'notSent',
    async test(bench, card) {
      const { processorToken } = await bench.tokenize(card);
      const operation = bench.operation(processorToken, { capture: true });
      const refusal = await bench.expectRefusal(operation);
      assert(refusal === 'not_sent', 'authorize of the card `notSent` must throw NotSentError.');
      await expectNotFound(bench, operation.operationId, 'that it never sent');
    },
  },
};

/** An operation upon a charge: done now or pending, and found again by its own id. */
async function followUp(
  bench: ProcessorBench,
  kind: 'capture' | 'cancel' | 'refund',
  amount: number,
  capture: boolean,
): Promise<void> {
  const [{ paymentMethod }, { processorReference }] = await bench.sale({ capture });
  const previous = { processorReference };
  const operation = bench.operation(paymentMethod.processorToken, { amount, previous });
  const outcome = await bench.submit(kind, operation);
  if (outcome.outcome !== 'pending') expectApproved(kind, outcome, operation);
  const found = await bench.lookup(operation.operationId);
  assert(found !== 'not_found', 'The look-up does not find what was executed.');
  if (outcome.outcome === 'approved') expectSame('lookup', found, outcome);
}
