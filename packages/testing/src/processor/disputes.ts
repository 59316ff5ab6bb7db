import assert from 'node:assert/strict';
import { newId } from '@paymount/core/kernel';
import type {
  DisputeAnswer,
  EvidenceFile,
  Outcome,
  ProcessorDisputes,
} from '@paymount/core/payments';
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
import type { ProcessorSetup } from './setup.ts';
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
    (setup) => submitWhole(setup, 'chargeback'),
  ),
  'submits evidence for an alert, and finds it by its operation id': answering('alert', (setup) =>
    submitWhole(setup, 'alert'),
  ),
  'submits evidence once, however often it is submitted': answering(
    'chargeback',
    (setup) => answerTwice(setup, 'submitEvidence'),
    can('idempotentSubmit'),
  ),
  'accepts a dispute, and finds the answer by its operation id': answering(
    'chargeback',
    async (setup) => void (await answerOnce(setup, 'accept', await answerTo(setup, 'chargeback'))),
  ),
  'accepts a dispute once, however often it is submitted': answering(
    'chargeback',
    (setup) => answerTwice(setup, 'accept'),
    can('idempotentSubmit'),
  ),
  'answers no dispute after its deadline': answering('chargeback', async (setup) => {
    for (const verb of VERBS) {
      const deadline = AbortSignal.abort(new Error('The deadline passed.'));
      const answer = await answerTo(setup, 'chargeback', { deadline });
      await setup.expectThrow(() => submit(setup, verb, answer));
      await expectNotFound(setup, answer.operationId, 'whose deadline had passed');
    }
  }),
};

function answering(stage: Stage, test: Test, ...conditions: readonly Condition[]): Conditional {
  return provided([answers, hasNotice(NOTICES[stage]), ...conditions], test);
}

async function answers(setup: ProcessorSetup): ReturnType<Condition> {
  const { disputes } = await setup.fresh();
  if (disputes !== undefined) return undefined;
  return 'The adapter has no `disputes`: merchants answer at the processor.';
}

/** An answer to a new dispute, with a new id and deadline, in which the given members are replaced. */
async function answerTo(
  setup: ProcessorSetup,
  stage: Stage,
  change: Partial<DisputeAnswer> = {},
): Promise<DisputeAnswer> {
  const about = await disputed(setup, NOTICES[stage]);
  const { disputeReference, processorReference, amount, currency } = about;
  const { paymentMethod: _, ...operation } = setup.operation('', { amount, currency });
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

function submit(setup: ProcessorSetup, verb: Verb, answer: DisputeAnswer): Promise<Outcome> {
  return setup.outcomeOf(`disputes.${verb}`, ({ disputes }) => disputes?.[verb](answer));
}

/** Answers a dispute, with an approval of its amount now or later, which the look-up finds. */
async function answerOnce(
  setup: ProcessorSetup,
  verb: Verb,
  answer: DisputeAnswer,
): Promise<Outcome> {
  await expectNotFound(setup, answer.operationId, 'that it has not got yet');
  const call = `disputes.${verb}`;
  const outcome = await submit(setup, verb, answer);
  const isTaken = outcome.outcome === 'approved' || outcome.outcome === 'pending';
  assert(isTaken, mustAnswer(call, 'approved" or "pending', outcome.outcome));
  if (outcome.outcome === 'approved') {
    expectApproved(call, outcome, answer);
    await expectFound(setup, answer, outcome);
  } else {
    const ended = await settled(setup, answer.operationId, 'The answer to a dispute');
    expectApproved('lookup', ended, answer);
  }
  return outcome;
}

/** What is approved is at the issuer, so that a file nobody has read is missing there. */
async function submitWhole(setup: ProcessorSetup, stage: Stage): Promise<void> {
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
  const answer = await answerTo(setup, stage, { evidence: { texts, files: [receipt] } });
  await answerOnce(setup, 'submitEvidence', answer);
  assert(read.length > 0, 'disputes.submitEvidence approved evidence whose file it never read.');
}

async function answerTwice(setup: ProcessorSetup, verb: Verb): Promise<void> {
  const texts = { uncategorized_text: 'The goods were delivered.' };
  const evidence = { texts: verb === 'accept' ? {} : texts, files: [] };
  const answer = await answerTo(setup, 'chargeback', { evidence });
  const first = await answerOnce(setup, verb, answer);
  const again = await submit(setup, verb, { ...answer, attempt: 2 });
  const call = `A second disputes.${verb}`;
  // What was pending may be approved by now.
  expectSame(call, referenceIn(call, again), referenceIn(call, first));
}
