import { createHmac } from 'node:crypto';
import { SandboxProcessor } from '@paymount/processor-sandbox';
import { expect } from 'chai';
import type { Notice, NoticeSource, Outcome, ProcessorOperation } from 'paymount/processor';
import { checkProcessor, type ProcessorFixtures } from 'paymount/testing';
import { sharedMemory } from '../support/operation-memory.ts';

const clock = { now: () => new Date(), monotonicMs: () => performance.now(), shiftMs: 0 };
const sign = (body: Buffer): string => createHmac('sha256', 'k').update(body).digest('hex');

/** What a request says. */
interface Sent {
  readonly references: readonly string[];
  readonly returned?: boolean;
}

/** The references of bank debits, which every restart of the bank knows. */
const debits = new Set<string>();

/** Its requests are signed as those of most processors are. */
class SigningBank extends SandboxProcessor {
  override async *ingest(source: NoticeSource): AsyncIterable<Notice> {
    if (!('body' in source)) return;
    this.check(source.headers['x-signature'], source.body);
    const { returned = false, references } = JSON.parse(source.body.toString()) as Sent;
    for (const reference of references) {
      const named = { processorReference: reference, occurredAt: new Date() };
      const currency = this.#debits.has(reference) ? 'usd' : 'eur';
      yield returned
        ? { ...named, noticeId: `returned ${reference}`, ...this.returned }
        : {
            ...named,
            noticeId: `settled ${reference}`,
            kind: 'charge.settled',
            data: { amount: 4200, currency },
          };
    }
  }

  readonly #debits = debits;
  readonly returned = {
    kind: 'charge.failed',
    data: { code: 'insufficient_funds', message: 'No.', returnCode: 'R01' },
  } as { kind: 'charge.failed'; data: { code: string; message: string; returnCode?: string } };

  override async authorize(operation: ProcessorOperation): Promise<Outcome> {
    const outcome = await super.authorize(operation);
    const { currency } = operation;
    if (currency === 'usd' && 'processorReference' in outcome) {
      this.#debits.add(outcome.processorReference);
    }
    return outcome;
  }

  check(signature: unknown, body: Buffer): void {
    if (signature !== sign(body)) throw new Error('The signature is wrong.');
  }
}

/** It believes everybody. */
class TrustingBank extends SigningBank {
  override check(): void {}
}

function request(sent: Sent) {
  const body = Buffer.from(JSON.stringify(sent));
  return { headers: { 'x-signature': sign(body) }, body };
}

/** It reports a return as it would report a card that was declined. */
class VagueBank extends SigningBank {
  override readonly returned = {
    kind: 'charge.failed',
    data: { code: 'insufficient_funds', message: 'No.' },
  } as const;
}

describe('The cases for notices', () => {
  const memory = sharedMemory();
  const fixtures: ProcessorFixtures = {
    approved: { type: 'card', token: 'tok_visa' },
    declined: { type: 'card', token: 'tok_visa_chargeDeclined' },
    noticeRequest: (references) => request({ references }),
    returnRequest: (references) => request({ references, returned: true }),
    debited: { type: 'us_bank_account', token: 'pm_usBankAccount_success' },
  };

  it('pass for an adapter that checks signatures', async () => {
    const report = await checkProcessor(() => new SigningBank({ memory, clock }), fixtures);
    expect(report.failed).to.deep.equal([]);
    expect(report.passed.filter((name) => name.includes('notice'))).to.have.lengthOf(4);
    expect(report.passed).to.include('refuses a body without a signature');
  });

  it('fail for an adapter that takes what nobody signed', async () => {
    const report = await checkProcessor(() => new TrustingBank({ memory, clock }), fixtures);
    expect(report.failed.map(({ name }) => name)).to.deep.equal([
      'refuses a body that was changed after it was signed, before it yields anything',
      'refuses a body without a signature',
    ]);
  });

  it('fail for an adapter that returns a bank debit without the code of the bank', async () => {
    const report = await checkProcessor(() => new VagueBank({ memory, clock }), fixtures);
    expect(report.failed.map(({ name, error }) => [name, error.message])).to.deep.equal([
      [
        'reads a notice that a bank debit was returned, with its return code',
        'The returnCode must be "R01"; it is "undefined".',
      ],
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
