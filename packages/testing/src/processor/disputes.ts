import assert from 'node:assert/strict';
import { newId } from '@paymount/core/kernel';
import type {
  DisputeAnswer,
  EvidenceFile,
  Outcome,
  ProcessorDisputes,
} from '@paymount/core/payments';
import type { ProcessorBench } from './bench.ts';
import {
  type Condition,
  type Conditional,
  can,
  hasNotice,
  provided,
  type Test,
} from './conditions.ts';
import {
  expectApproved,
  expectFound,
  expectNotFound,
  expectSame,
  mustAnswer,
  referenceIn,
  settled,
} from './expectations.ts';
import { disputed } from './subjects.ts';

type Verb = keyof ProcessorDisputes;
type Stage = DisputeAnswer['stage'];

const VERBS: readonly Verb[] = ['submitEvidence', 'accept'];
const NOTICES = { alert: 'dispute.alert', chargeback: 'dispute.opened' } as const;

/** A picture of one pixel, which a processor takes for a receipt. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

/** Cases for adapters that answer disputes. Each answers a dispute that a notice has reported. */
export const disputeCases: Readonly<Record<string, Conditional>> = {
  'submits evidence with its files, and finds it by its operation id': answering(
    'chargeback',
    (bench) => submitWhole(bench, 'chargeback'),
  ),
  'submits evidence for an alert, and finds it by its operation id': answering('alert', (bench) =>
    submitWhole(bench, 'alert'),
  ),
  'submits evidence once, however often it is submitted': answering(
    'chargeback',
    (bench) => answerTwice(bench, 'submitEvidence'),
    can('idempotentSubmit'),
  ),
  'accepts a dispute, and finds the answer by its operation id': answering(
    'chargeback',
    async (bench) => void (await answerOnce(bench, 'accept', await answerTo(bench, 'chargeback'))),
  ),
  'accepts a dispute once, however often it is submitted': answering(
    'chargeback',
    (bench) => answerTwice(bench, 'accept'),
    can('idempotentSubmit'),
  ),
  'answers no dispute after its deadline': answering('chargeback', async (bench) => {
    for (const verb of VERBS) {
      const deadline = AbortSignal.abort(new Error('The deadline passed.'));
      const answer = await answerTo(bench, 'chargeback', { deadline });
      await bench.expectThrow(() => submit(bench, verb, answer));
      await expectNotFound(bench, answer.operationId, 'whose deadline had passed');
    }
  }),
};

function answering(stage: Stage, test: Test, ...conditions: readonly Condition[]): Conditional {
  return provided([answers, hasNotice(NOTICES[stage]), ...conditions], test);
}

async function answers(bench: ProcessorBench): ReturnType<Condition> {
  const { disputes } = await bench.fresh();
  if (disputes !== undefined) return undefined;
  return 'The adapter has no `disputes`: merchants answer at the processor.';
}

/** An answer to a new dispute, with a new id and deadline, in which the given members are replaced. */
async function answerTo(
  bench: ProcessorBench,
  stage: Stage,
  change: Partial<DisputeAnswer> = {},
): Promise<DisputeAnswer> {
  const about = await disputed(bench, NOTICES[stage]);
  const { disputeReference, processorReference, amount, currency } = about;
  const { paymentMethod: _, ...operation } = bench.operation('', { amount, currency });
  return {
    ...operation,
    reference: newId('dp'),
    disputeReference,
    stage,
    previous: { processorReference },
    evidence: { texts: {}, files: [] },
    ...change,
  };
}

function submit(bench: ProcessorBench, verb: Verb, answer: DisputeAnswer): Promise<Outcome> {
  return bench.outcomeOf(`disputes.${verb}`, ({ disputes }) => disputes?.[verb](answer));
}

/** Answers a dispute, with an approval of its amount now or later, which the look-up finds. */
async function answerOnce(
  bench: ProcessorBench,
  verb: Verb,
  answer: DisputeAnswer,
): Promise<Outcome> {
  await expectNotFound(bench, answer.operationId, 'that it has not got yet');
  const call = `disputes.${verb}`;
  const outcome = await submit(bench, verb, answer);
  const isTaken = outcome.outcome === 'approved' || outcome.outcome === 'pending';
  assert(isTaken, mustAnswer(call, 'approved" or "pending', outcome.outcome));
  if (outcome.outcome === 'approved') {
    expectApproved(call, outcome, answer);
    await expectFound(bench, answer, outcome);
  } else {
    const ended = await settled(bench, answer.operationId, 'The answer to a dispute');
    expectApproved('lookup', ended, answer);
  }
  return outcome;
}

/** What is approved is at the issuer, so that a file nobody has read is missing there. */
async function submitWhole(bench: ProcessorBench, stage: Stage): Promise<void> {
  const read: string[] = [];
  const receipt: EvidenceFile = {
    key: 'receipt',
    id: newId('file'),
    filename: 'receipt.png',
    type: 'png',
    size: PIXEL.length,
    read: async () => {
      read.push('receipt');
      return new Uint8Array(PIXEL);
    },
  };
  const texts = { customer_name: 'Zoë', uncategorized_text: 'The goods were delivered.' };
  const answer = await answerTo(bench, stage, { evidence: { texts, files: [receipt] } });
  await answerOnce(bench, 'submitEvidence', answer);
  assert(read.length > 0, 'disputes.submitEvidence approved evidence whose file it never read.');
}

async function answerTwice(bench: ProcessorBench, verb: Verb): Promise<void> {
  const texts = { uncategorized_text: 'The goods were delivered.' };
  const evidence = { texts: verb === 'accept' ? {} : texts, files: [] };
  const answer = await answerTo(bench, 'chargeback', { evidence });
  const first = await answerOnce(bench, verb, answer);
  const again = await submit(bench, verb, { ...answer, attempt: 2 });
  const call = `A second disputes.${verb}`;
  // What was pending may be approved by now.
  expectSame(call, referenceIn(call, again), referenceIn(call, first));
}
