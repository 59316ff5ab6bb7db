import assert from 'node:assert/strict';
import type { Outcome } from '../operations/processor.ts';
import { isErrorCode } from '../shared/error-codes.ts';
import { newId } from '../shared/id.ts';
import type { ConformanceCase } from './conformance-case.ts';
import { AMOUNT, expectApproved, ProcessorBench } from './processor-bench.ts';
import type { ProcessorFactory, ProcessorFixtures } from './processor-fixtures.ts';

const CURRENCIES = ['jpy', 'eur', 'bhd'];
const SIMULTANEOUS = 10;

type Test = (bench: ProcessorBench) => Promise<void>;

/**
 * The suite that every processor adapter passes.
 * What an adapter's capabilities leave out, and what the fixtures cannot provoke, is not asked.
 * @param factory makes the adapter anew; several stand side by side on one processor
 * @param fixtures the cards of its test environment
 */
export function processorCases(
  factory: ProcessorFactory,
  fixtures: ProcessorFixtures,
): readonly ConformanceCase[] {
  const tests = { ...tokenization, ...charging, ...repeating, ...followUps, ...silence };
  return Object.entries(tests).map(([name, test]) => ({
    name,
    run: () => test(new ProcessorBench(factory, fixtures)),
  }));
}

const tokenization: Record<string, Test> = {
  'names itself': async (bench) => {
    const { name, capabilities } = await bench.fresh();
    assert.match(name, /^[a-z][a-z0-9_-]{0,39}$/, 'A name is 1-40 of a-z, 0-9, _ and -.');
    assert(capabilities.manualCapture || !capabilities.partialCapture);
  },
  'turns a card into facts that may be shown': async (bench) => {
    const { processorToken } = await bench.tokenize(bench.fixtures.approved);
    assert(!/\d{12}/.test(processorToken), 'A processor token holds no card number.');
  },
  'gives one card the same fingerprint each time': async (bench) => {
    const first = await bench.tokenize(bench.fixtures.approved);
    const second = await bench.tokenize(bench.fixtures.approved);
    assert.equal(first.card.fingerprint, second.card.fingerprint);
  },
  'says when a token names nothing': async (bench) => {
    const answer = await bench.ask({ type: 'card', token: `tok_${newId('op')}` });
    assert.equal(answer.result, 'unknown_token');
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
    assert.equal(new Set(sales.map(([, { processorReference }]) => processorReference)).size, 2);
  },
  'declines with codes of the error table and a message for the payer': async (bench) => {
    const { processorToken } = await bench.tokenize(bench.fixtures.declined);
    const operation = bench.operation(processorToken, { capture: true });
    const outcome = await bench.submit('authorize', operation);
    assert.equal(outcome.outcome, 'declined');
    assert(isErrorCode(outcome.code), `"${outcome.code}" is not in the table of errors.`);
    assert(outcome.declineCode !== '' && outcome.message !== '');
    assert.deepEqual(await bench.lookup(operation.operationId), outcome);
  },
  'reports what was approved, even when it is not what was asked for': async (bench) => {
    const { tampered } = bench.fixtures;
    if (tampered === undefined) return;
    const { processorToken } = await bench.tokenize(tampered);
    const operation = bench.operation(processorToken, { capture: true });
    const outcome = await bench.submit('authorize', operation);
    assert.equal(outcome.outcome, 'approved');
    assert.notEqual(outcome.amount, operation.amount);
    assert.deepEqual(await bench.lookup(operation.operationId), outcome);
  },
};

const repeating: Record<string, Test> = {
  'finds an operation by our id after a restart': async (bench) => {
    const [{ operationId }, outcome] = await bench.sale();
    assert.deepEqual(await bench.lookup(operationId), outcome);
  },
  'says when it never got an operation': async (bench) => {
    assert.equal(await bench.lookup(newId('op')), 'not_found');
  },
  'executes an operation once, however often it is submitted': async (bench) => {
    const { capabilities } = await bench.fresh();
    if (!capabilities.idempotentSubmit) return;
    const [operation, outcome] = await bench.sale();
    const again = bench.operation(operation.paymentMethod.processorToken, {
      ...operation,
      attempt: 2,
    });
    assert.deepEqual(await bench.submit('authorize', again), outcome);
  },
  'executes an operation once when it is submitted at the same time': async (bench) => {
    const { capabilities } = await bench.fresh();
    if (!capabilities.idempotentSubmit) return;
    const { processorToken } = await bench.tokenize(bench.fixtures.approved);
    const operation = bench.operation(processorToken, { capture: true });
    const outcomes = await Promise.all(
      Array.from({ length: SIMULTANEOUS }, () => bench.submit('authorize', operation)),
    );
    for (const outcome of outcomes) assert.deepEqual(outcome, outcomes[0]);
  },
};

const followUps: Record<string, Test> = {
  'captures all or a part of an authorization': async (bench) => {
    const { capabilities } = await bench.fresh();
    const amounts = [
      ...(capabilities.manualCapture ? [AMOUNT] : []),
      ...(capabilities.partialCapture ? [AMOUNT / 2] : []),
    ];
    for (const amount of amounts) await followUp(bench, 'capture', amount, false);
  },
  'cancels an authorization': async (bench) => {
    const { capabilities } = await bench.fresh();
    if (capabilities.voids) await followUp(bench, 'cancel', AMOUNT, false);
  },
  'refunds all or a part of a charge': async (bench) => {
    const { capabilities } = await bench.fresh();
    if (!capabilities.refunds) return;
    await followUp(bench, 'refund', AMOUNT, true);
    await followUp(bench, 'refund', AMOUNT / 2, true);
  },
  'refunds nothing that it does not know': async (bench) => {
    const { capabilities } = await bench.fresh();
    if (!capabilities.refunds) return;
    const { processorToken } = await bench.tokenize(bench.fixtures.approved);
    const previous = { processorReference: `unknown-${newId('op')}` };
    const outcome = await bench.submit('refund', bench.operation(processorToken, { previous }));
    assert(outcome.outcome === 'rejected' || outcome.outcome === 'declined');
  },
};

const silence: Record<string, Test> = {
  'throws when its deadline aborts, and knows afterwards what it executed': async (bench) => {
    const { approvedSilently } = bench.fixtures;
    if (approvedSilently === undefined) return;
    const { processorToken } = await bench.tokenize(approvedSilently);
    const operation = bench.operation(processorToken, { capture: true });
    const refusal = await bench.expectSilence(operation);
    assert.equal(refusal, 'unknown', 'What was sent and not answered is unknown, not unsent.');
    const outcome = await bench.lookup(operation.operationId);
    assert(outcome !== 'not_found', 'The look-up does not find what was executed.');
    expectApproved(outcome, operation);
  },
  'sends nothing after its deadline': async (bench) => {
    const { processorToken } = await bench.tokenize(bench.fixtures.approved);
    const deadline = AbortSignal.abort(new Error('The deadline passed.'));
    const operation = bench.operation(processorToken, { capture: true, deadline });
    await bench.expectRefusal(operation);
    assert.equal(await bench.lookup(operation.operationId), 'not_found');
  },
  'throws NotSentError when the request never left': async (bench) => {
    const { notSent } = bench.fixtures;
    if (notSent === undefined) return;
    const { processorToken } = await bench.tokenize(notSent);
    const operation = bench.operation(processorToken, { capture: true });
    assert.equal(await bench.expectRefusal(operation), 'not_sent');
    assert.equal(await bench.lookup(operation.operationId), 'not_found');
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
  if (outcome.outcome !== 'pending') expectApproved(outcome, operation);
  expectSameKind(await bench.lookup(operation.operationId), outcome);
}

function expectSameKind(found: Outcome | 'not_found', outcome: Outcome): void {
  assert(found !== 'not_found', 'The look-up does not find what was executed.');
  if (outcome.outcome === 'approved') assert.deepEqual(found, outcome);
}
