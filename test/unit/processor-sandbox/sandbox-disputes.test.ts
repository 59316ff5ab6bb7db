import { newId } from '@paymount/core/kernel';
import {
  type DisputeAnswer,
  type EvidenceFile,
  type Notice,
  NotSentError,
} from '@paymount/core/payments';
import { SandboxProcessor } from '@paymount/processor-sandbox';
import { expect } from 'chai';
import { fakeClock } from '../../support/clock.ts';
import { sharedMemory } from '../../support/operation-memory.ts';
import { inOnePiece } from '../../support/signing-bank.ts';

function sandbox(memory = sharedMemory()): SandboxProcessor {
  return new SandboxProcessor({ memory, clock: fakeClock() });
}

function answer(read: EvidenceFile['read']): DisputeAnswer {
  const file = { id: newId('file'), filename: 'a.pdf', type: 'pdf', size: 4 } as const;
  return {
    operationId: newId('op'),
    attempt: 1,
    amount: 4200,
    currency: 'eur',
    reference: newId('dp'),
    disputeReference: 'dispute_1',
    stage: 'chargeback',
    previous: { processorReference: 'sandbox_1' },
    livemode: false,
    metadata: {},
    evidence: { texts: {}, files: [{ ...file, key: 'receipt', read }] },
    deadline: AbortSignal.timeout(5_000),
  };
}

describe('evidence at the sandbox', () => {
  it('is read with its files', async () => {
    const read: string[] = [];
    const sent = answer(async () => {
      read.push('receipt');
      return Buffer.from('%PDF');
    });
    expect((await sandbox().disputes.submitEvidence(sent)).outcome).to.equal('approved');
    expect(read).to.deep.equal(['receipt']);
  });

  it('is not sent when a file cannot be read', async () => {
    const memory = sharedMemory();
    const gone = new Error('The store has no content.');
    const sent = answer(() => Promise.reject(gone));
    const error = await sandbox(memory)
      .disputes.submitEvidence(sent)
      .catch((reason: Error) => reason);
    expect(NotSentError.is(error) && error.cause).to.equal(gone);
    expect(await sandbox(memory).lookup(sent.operationId, sent.deadline)).to.equal('not_found');
  });

  it('is not needed to accept a dispute', async () => {
    const sent = answer(() => Promise.reject(new Error('The store has no content.')));
    expect((await sandbox().disputes.accept(sent)).outcome).to.equal('approved');
  });
});

describe('a file of notices at the sandbox', () => {
  it('has a notice that cannot be read for each line that is not JSON', async () => {
    const lines = ['{"noticeId":"1"', '{"noticeId":"2"}', 'cut', '{"noticeId":"1"'].join('\n');
    const read: Notice[] = [];
    for await (const notice of sandbox().ingest({ file: inOnePiece(Buffer.from(lines)) })) {
      read.push(notice);
    }
    const [first, second, third, again] = read.map(({ noticeId }) => noticeId);
    expect(second).to.equal('2');
    expect(first)
      .to.match(/^line [0-9a-f]{16}$/)
      .and.equal(again);
    expect(third)
      .to.match(/^line [0-9a-f]{16}$/)
      .and.not.equal(first);
    expect(read.map(({ kind }) => kind)).to.deep.equal([
      'not JSON',
      undefined,
      'not JSON',
      'not JSON',
    ]);
  });

  for (const [end, text] of Object.entries({ 'a line break': '\n', nothing: '' })) {
    it(`may end with ${end}`, async () => {
      const lines = ['{"noticeId":"1"}', '{"noticeId":"2"}'].join('\n') + text;
      const read: Notice[] = [];
      for await (const notice of sandbox().ingest({ file: inOnePiece(Buffer.from(lines)) })) {
        read.push(notice);
      }
      expect(read.map(({ noticeId }) => noticeId)).to.deep.equal(['1', '2']);
    });
  }
});
