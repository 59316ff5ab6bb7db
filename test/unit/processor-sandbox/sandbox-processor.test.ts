import { newId } from '@paymount/core/kernel';
import {
  NotSentError,
  type OperationMemoryRepository,
  type Outcome,
  type ProcessorOperation,
} from '@paymount/core/payments';
import { type SandboxOptions, SandboxProcessor } from '@paymount/processor-sandbox';
import { expect } from 'chai';
import { sharedMemory } from '../../support/operation-memory.ts';

const start = new Date('2026-11-21T09:30:00.000Z');

function clockAt(ms: number) {
  return { now: () => new Date(start.getTime() + ms), monotonicMs: () => 0, shiftMs: 0 };
}

function sandbox(options: Partial<SandboxOptions> = {}): SandboxProcessor {
  return new SandboxProcessor({ memory: sharedMemory(), clock: clockAt(0), ...options });
}

function operation(name: string, change: Partial<ProcessorOperation> = {}): ProcessorOperation {
  return {
    operationId: newId('op'),
    attempt: 1,
    amount: 4200,
    currency: 'eur',
    capture: true,
    reference: newId('ch'),
    paymentMethod: { processorToken: `tok_${name}` },
    livemode: false,
    metadata: {},
    deadline: AbortSignal.timeout(5_000),
    ...change,
  };
}

async function thrown(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('It did not throw.');
}

function lookup(memory: OperationMemoryRepository, { operationId }: ProcessorOperation, ms = 0) {
  const processor = sandbox({ memory, clock: clockAt(ms) });
  return processor.lookup(operationId, AbortSignal.timeout(5_000));
}

describe('a charge at the sandbox', () => {
  it('is approved with a reference made from the operation', async () => {
    const sale = operation('visa');
    expect(await sandbox().authorize(sale)).to.deep.equal({
      outcome: 'approved',
      processorReference: `sandbox_${sale.operationId}`,
      networkTransactionId: `net_sandbox_${sale.operationId}`,
      amount: 4200,
      currency: 'eur',
    });
  });

  for (const [name, code, declineCode, retry] of [
    ['visa_chargeDeclined', 'card_declined', 'generic_decline', 'later'],
    ['visa_chargeDeclinedInsufficientFunds', 'card_declined', 'insufficient_funds', 'later'],
    ['visa_chargeDeclinedLostCard', 'card_declined', 'lost_card', 'never'],
    ['visa_chargeDeclinedStolenCard', 'card_declined', 'stolen_card', 'never'],
    [
      'visa_chargeDeclinedVelocityLimitExceeded',
      'card_declined',
      'card_velocity_exceeded',
      'later',
    ],
    ['chargeDeclinedExpiredCard', 'expired_card', 'expired_card', 'customer'],
    ['chargeDeclinedIncorrectCvc', 'incorrect_cvc', 'incorrect_cvc', 'customer'],
    ['chargeDeclinedProcessingError', 'processing_error', 'processing_error', 'later'],
    ['chargeCustomerFail', 'card_declined', 'generic_decline', 'later'],
    ['authenticationRequired', 'authentication_required', 'authentication_required', 'customer'],
  ] as const) {
    it(`is declined as ${code}, ${declineCode}: tok_${name}`, async () => {
      const outcome = await sandbox().authorize(operation(name));
      expect(outcome).to.include({ outcome: 'declined', code, declineCode, retry });
      expect(outcome).to.not.have.property('blocked');
    });
  }

  it('is blocked as fraudulent: tok_radarBlock', async () => {
    expect(await sandbox().authorize(operation('radarBlock'))).to.include({
      outcome: 'declined',
      code: 'card_declined',
      declineCode: 'fraudulent',
      blocked: true,
      retry: 'never',
    });
  });

  it('tells the payer no reason for a lost, stolen or blocked card', async () => {
    for (const name of [
      'visa_chargeDeclinedLostCard',
      'visa_chargeDeclinedStolenCard',
      'radarBlock',
    ]) {
      expect(await sandbox().authorize(operation(name))).to.include({
        message: 'Your card was declined.',
      });
    }
  });

  for (const name of ['createDispute', 'createDisputeInquiry', 'alert_then_chargeback']) {
    it(`is approved at first: tok_${name}`, async () => {
      expect((await sandbox().authorize(operation(name))).outcome).to.equal('approved');
    });
  }

  it('recovers on the third attempt: tok_recovers_on_attempt_3', async () => {
    const outcomes: Outcome['outcome'][] = [];
    for (const attempt of [1, 2, 3, 4]) {
      const sale = operation('recovers_on_attempt_3', { attempt });
      outcomes.push((await sandbox().authorize(sale)).outcome);
    }
    expect(outcomes).to.deep.equal(['declined', 'declined', 'approved', 'approved']);
  });

  it('is rejected for a card that the sandbox does not know, and in live', async () => {
    const processor = sandbox();
    expect((await processor.authorize(operation('nobody'))).outcome).to.equal('rejected');
    const live = await thrown(processor.authorize(operation('visa', { livemode: true })));
    expect(NotSentError.is(live)).to.equal(true);
  });
});

describe('a fault of the sandbox', () => {
  for (const [name, found] of [
    ['timeout_approved', 'approved'],
    ['timeout_declined', 'declined'],
  ] as const) {
    it(`leaves the caller without an answer, and a look-up finds ${found}: tok_${name}`, async () => {
      const memory = sharedMemory();
      const sale = operation(name, { deadline: AbortSignal.timeout(20) });
      const error = await thrown(sandbox({ memory }).authorize(sale));
      expect(NotSentError.is(error)).to.equal(false);
      expect(await lookup(memory, sale)).to.have.property('outcome', found);
    });
  }

  it('drops the connection after silenceMs when the caller would wait longer', async () => {
    const error = await thrown(sandbox({ silenceMs: 5 }).authorize(operation('timeout_approved')));
    expect(error.message).to.equal('The sandbox dropped the connection without an answer.');
  });

  it('answers a second submission of what timed out at once', async () => {
    const memory = sharedMemory();
    const sale = operation('timeout_approved');
    await thrown(sandbox({ memory, silenceMs: 1 }).authorize(sale));
    const again = await sandbox({ memory }).authorize({ ...sale, attempt: 2 });
    expect(again.outcome).to.equal('approved');
  });

  it('never answers about tok_unknown_forever', async () => {
    const memory = sharedMemory();
    const sale = operation('unknown_forever');
    await thrown(sandbox({ memory, silenceMs: 1 }).authorize(sale));
    await thrown(sandbox({ memory, silenceMs: 1 }).authorize({ ...sale, attempt: 2 }));
    expect((await thrown(lookup(memory, sale))).message).to.contain('no answer');
    expect((await thrown(lookup(memory, sale, 1e12))).message).to.contain('no answer');
  });

  it('sends nothing for tok_not_sent', async () => {
    const memory = sharedMemory();
    const sale = operation('not_sent');
    expect(NotSentError.is(await thrown(sandbox({ memory }).authorize(sale)))).to.equal(true);
    expect(await lookup(memory, sale)).to.equal('not_found');
  });

  it('approves one minor unit more for tok_amount_tampered', async () => {
    expect(await sandbox().authorize(operation('amount_tampered'))).to.include({
      outcome: 'approved',
      amount: 4201,
    });
  });

  it('strikes the given share of operations, the same ones for the same seed', async () => {
    const operations = Array.from({ length: 400 }, () => operation('visa'));
    const struck = async (seed: number): Promise<string[]> => {
      const processor = sandbox({ faults: { not_sent: 0.25, amount_tampered: 0.25 }, seed });
      const names = operations.map(async (sale) => {
        const outcome = await processor.authorize(sale).catch((error: unknown) => error);
        if (NotSentError.is(outcome)) return 'not_sent';
        return (outcome as { amount: number }).amount === 4201 ? 'tampered' : 'fine';
      });
      return Promise.all(names);
    };
    const first = await struck(1);
    expect(await struck(1)).to.deep.equal(first);
    expect(await struck(2)).to.not.deep.equal(first);
    const count = (name: string) => first.filter((struckAs) => struckAs === name).length;
    expect(count('not_sent')).to.be.within(60, 140);
    expect(count('tampered')).to.be.within(60, 140);
  });

  it('has shares that make sense', () => {
    expect(() => sandbox({ faults: { not_sent: 0.6, timeout_approved: 0.6 } })).to.throw(
      '`faults`',
    );
    expect(() => sandbox({ faults: { not_sent: -0.1 } })).to.throw('`faults`');
  });
});

describe('a refund at the sandbox', () => {
  const previous = { processorReference: 'sandbox_op_1' };

  it('is approved, of a part too', async () => {
    const refund = operation('visa', { amount: 100, previous });
    expect(await sandbox().refund(refund)).to.deep.equal({
      outcome: 'approved',
      processorReference: `sandbox_${refund.operationId}`,
      amount: 100,
      currency: 'eur',
    });
  });

  for (const [name, found] of [
    ['pendingRefund', 'approved'],
    ['refundRejected', 'declined'],
  ] as const) {
    it(`is pending for two seconds of business time, then ${found}: tok_${name}`, async () => {
      const memory = sharedMemory();
      const refund = operation(name, { previous });
      expect(await sandbox({ memory }).refund(refund)).to.deep.equal({
        outcome: 'pending',
        processorReference: `sandbox_${refund.operationId}`,
        expectedBy: '2026-11-21T09:30:02.000Z',
      });
      expect(await lookup(memory, refund, 1_999)).to.have.property('outcome', 'pending');
      expect(await lookup(memory, refund, 2_000)).to.have.property('outcome', found);
    });
  }

  it('is rejected without a charge of the sandbox', async () => {
    expect((await sandbox().refund(operation('visa'))).outcome).to.equal('rejected');
    const foreign = { processorReference: 'ch_elsewhere' };
    const refund = operation('visa', { previous: foreign });
    expect((await sandbox().refund(refund)).outcome).to.equal('rejected');
  });
});
