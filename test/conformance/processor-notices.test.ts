import { createHmac } from 'node:crypto';
import { SandboxProcessor } from '@paymount/processor-sandbox';
import { expect } from 'chai';
import type { Notice, NoticeSource } from 'paymount/processor';
import { checkProcessor, type ProcessorFixtures } from 'paymount/testing';
import { sharedMemory } from '../support/operation-memory.ts';

const clock = { now: () => new Date(), monotonicMs: () => performance.now(), shiftMs: 0 };
const sign = (body: Buffer): string => createHmac('sha256', 'k').update(body).digest('hex');

/** Its requests are signed as those of most processors are. */
class SigningBank extends SandboxProcessor {
  override async *ingest(source: NoticeSource): AsyncIterable<Notice> {
    if (!('body' in source)) return;
    this.check(source.headers['x-signature'], source.body);
    for (const reference of JSON.parse(source.body.toString()) as string[]) {
      yield {
        noticeId: `settled ${reference}`,
        kind: 'charge.settled',
        processorReference: reference,
        occurredAt: new Date(),
        data: { amount: 4200, currency: 'eur' },
      };
    }
  }

  check(signature: unknown, body: Buffer): void {
    if (signature !== sign(body)) throw new Error('The signature is wrong.');
  }
}

/** It believes everybody. */
class TrustingBank extends SigningBank {
  override check(): void {}
}

describe('The cases for notices', () => {
  const memory = sharedMemory();
  const fixtures: ProcessorFixtures = {
    approved: { type: 'card', token: 'tok_visa' },
    declined: { type: 'card', token: 'tok_visa_chargeDeclined' },
    noticeRequest(references) {
      const body = Buffer.from(JSON.stringify(references));
      return { headers: { 'x-signature': sign(body) }, body };
    },
  };

  it('pass for an adapter that checks signatures', async () => {
    const report = await checkProcessor(() => new SigningBank({ memory, clock }), fixtures);
    expect(report.failed).to.deep.equal([]);
    expect(report.passed.filter((name) => name.includes('notice'))).to.have.lengthOf(2);
    expect(report.passed).to.include('refuses a body without a signature');
  });

  it('fail for an adapter that takes what nobody signed', async () => {
    const report = await checkProcessor(() => new TrustingBank({ memory, clock }), fixtures);
    expect(report.failed.map(({ name }) => name)).to.deep.equal([
      'refuses a body that was changed after it was signed, before it yields anything',
      'refuses a body without a signature',
    ]);
  });

  it('are left out, with the reason, without the request of the processor', async () => {
    const { noticeRequest: _, ...cards } = fixtures;
    const report = await checkProcessor(() => new SigningBank({ memory, clock }), cards);
    expect(report.leftOut.map(({ reason }) => reason)).to.include(
      'The fixtures have no `noticeRequest`.',
    );
  });
});
