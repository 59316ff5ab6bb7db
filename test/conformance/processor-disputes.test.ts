import { newId } from '@paymount/core/kernel';
import { SandboxProcessor } from '@paymount/processor-sandbox';
import { checkProcessor, type ProcessorReport } from '@paymount/testing';
import { expect } from 'chai';
import type { DisputeAnswer, Outcome, Processor } from 'paymount/processor';
import { sharedMemory } from '../support/operation-memory.ts';
import { sandboxNotices } from '../support/sandbox-notices.ts';

const clock = { now: () => new Date(), monotonicMs: () => performance.now(), shiftMs: 0 };
const secret = 'the-password-of-the-processor';

/** What an adapter makes of an answer to a dispute, with the sandbox behind it. */
type Careless = (answer: DisputeAnswer, send: Send) => Promise<unknown>;
type Send = (answer: DisputeAnswer) => Promise<Outcome>;

const honest: Careless = (answer, send) => send(answer);

/** Checks an adapter whose methods of disputes are these. */
function check(mangled: {
  submitEvidence?: Careless;
  accept?: Careless;
}): Promise<ProcessorReport> {
  const memory = sharedMemory();
  const bank = (): Processor => {
    const sandbox = new SandboxProcessor({ memory, clock, settlementLines: true });
    const { submitEvidence, accept } = sandbox.disputes;
    const through = (send: Send, careless = honest) => ((answer) => careless(answer, send)) as Send;
    return Object.assign(sandbox, {
      disputes: {
        submitEvidence: through(submitEvidence, mangled.submitEvidence),
        accept: through(accept, mangled.accept),
      },
    });
  };
  return checkProcessor(bank, {
    approved: { type: 'card', token: 'tok_visa' },
    declined: { type: 'card', token: 'tok_visa_chargeDeclined' },
    notices: sandboxNotices(memory, () => new SandboxProcessor({ memory, clock })),
    secrets: [secret],
    answerMs: 300,
  });
}

const WHOLE = 'submits evidence with its files, and finds it by its operation id';
const LATE = 'answers no dispute after its deadline';

const anew: Careless = (answer, send) => send({ ...answer, operationId: newId('op') });
const anewAtARetry: Careless = (answer, send) =>
  answer.attempt === 1 ? send(answer) : anew(answer, send);
const ignoresDeadline: Careless = (answer, send) =>
  send({ ...answer, deadline: new AbortController().signal });

/** Adapters with one mistake each, with the case that finds it and what that case says. */
const MISTAKES: Record<string, [Parameters<typeof check>[0], found: string, says: string]> = {
  'submits evidence anew at each retry': [
    { submitEvidence: anewAtARetry },
    'submits evidence once, however often it is submitted',
    "A second disputes.submitEvidence must answer 'sandbox_op_…'; it answered 'sandbox_op_…'.",
  ],
  'accepts a dispute anew at each retry': [
    { accept: anewAtARetry },
    'accepts a dispute once, however often it is submitted',
    "A second disputes.accept must answer 'sandbox_op_…'; it answered 'sandbox_op_…'.",
  ],
  'submits evidence without the operation id': [
    { submitEvidence: anew },
    WHOLE,
    "lookup must answer { outcome: 'approved', processorReference: 'sandbox_op_…', amount: 4200, currency: 'eur' }; it answered 'not_found'.",
  ],
  'accepts a dispute without the operation id': [
    { accept: anew },
    'accepts a dispute, and finds the answer by its operation id',
    "lookup must answer { outcome: 'approved', processorReference: 'sandbox_op_…', amount: 4200, currency: 'eur' }; it answered 'not_found'.",
  ],
  'submits evidence after its deadline': [
    { submitEvidence: ignoresDeadline },
    LATE,
    'Expected a throw, got an outcome: approved.',
  ],
  'accepts a dispute after its deadline': [
    { accept: ignoresDeadline },
    LATE,
    'Expected a throw, got an outcome: approved.',
  ],
  'submits evidence after its deadline, and throws': [
    {
      submitEvidence: async (answer, send) => {
        await ignoresDeadline(answer, send);
        answer.deadline.throwIfAborted();
        return send(answer);
      },
    },
    LATE,
    'lookup of an operation whose deadline had passed must answer "not_found"; it answered "approved".',
  ],
  'does not stop at its deadline': [
    {
      accept: (answer, send) =>
        answer.deadline.aborted ? new Promise(() => undefined) : send(answer),
    },
    LATE,
    'The call went on 1000 ms after its deadline had aborted.',
  ],
  'leaves the files of the evidence out': [
    {
      submitEvidence: (answer, send) =>
        send({ ...answer, evidence: { ...answer.evidence, files: [] } }),
    },
    WHOLE,
    'disputes.submitEvidence approved evidence whose file it never read.',
  ],
  'approves an answer without an amount': [
    { submitEvidence: async (answer, send) => ({ ...(await send(answer)), amount: 0 }) },
    WHOLE,
    'disputes.submitEvidence must approve 4200 eur; it approved 0 eur.',
  ],
  'answers in words of its own': [
    { submitEvidence: async () => ({ outcome: 'submitted' }) },
    WHOLE,
    'The core cannot read what disputes.submitEvidence answered: outcome must be one of approved, declined, pending, action_required, rejected; it is a text of 9 characters.',
  ],
  'answers nothing': [
    { accept: async (answer, send) => void (await send(answer)) },
    'accepts a dispute, and finds the answer by its operation id',
    'The core cannot read what disputes.accept answered: the answer must be an object; it is absent.',
  ],
  'takes no answer to an alert': [
    {
      submitEvidence: async (answer, send) =>
        answer.stage === 'alert'
          ? { outcome: 'rejected', code: 'processing_error', message: 'It is an alert.' }
          : send(answer),
    },
    'submits evidence for an alert, and finds it by its operation id',
    'disputes.submitEvidence must answer "approved" or "pending"; it answered "rejected".',
  ],
  'answers its password': [
    { submitEvidence: async (answer, send) => ({ ...(await send(answer)), raw: { secret } }) },
    WHOLE,
    'An answer or error of the adapter holds a secret.',
  ],
};

function complaints({ failed }: ProcessorReport): ReadonlyMap<string, string> {
  const plain = (text: string) => text.replaceAll(/op_\w+/g, 'op_…').replaceAll(/\s+/g, ' ');
  return new Map(failed.map(({ name, error }) => [name, plain(error.message)]));
}

describe('The cases for answers to disputes', () => {
  it('pass for an adapter that answers each once', async () => {
    const report = await check({});
    expect([...complaints(report)]).to.deep.equal([]);
    expect(report.passed.filter((name) => /evidence|dispute,|a dispute/.test(name))).to.deep.equal([
      WHOLE,
      'submits evidence for an alert, and finds it by its operation id',
      'submits evidence once, however often it is submitted',
      'accepts a dispute, and finds the answer by its operation id',
      'accepts a dispute once, however often it is submitted',
    ]);
  });

  it('pass for an adapter whose processor takes its time', async () => {
    const report = await check({
      submitEvidence: async (answer, send) => {
        const outcome = await send(answer);
        const { processorReference } = outcome as Extract<Outcome, { outcome: 'approved' }>;
        return { outcome: 'pending', processorReference, expectedBy: '2026-11-30' };
      },
    });
    expect([...complaints(report)]).to.deep.equal([]);
  });

  for (const [mistake, [mangled, found, says]] of Object.entries(MISTAKES)) {
    it(`fail for an adapter that ${mistake}`, async () => {
      const report = await check(mangled);
      expect(complaints(report).get(found)).to.equal(says);
    });
  }
});
