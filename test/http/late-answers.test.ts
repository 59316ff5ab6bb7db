import { expect } from 'chai';
import type { Processor } from 'paymount/processor';
import { eventually } from '../support/eventually.ts';
import { type OperatorSetup, startOperatorSetup } from '../support/operator-setup.ts';

const SECOND = 1_000;
const DEADLINE_MS = 30 * SECOND;
/** What 30 s take here. */
const SHORT_MS = 50;
const SALE = { amount: 10_000, currency: 'eur', source: 'tok_visa' };

type Found = Awaited<ReturnType<Processor['lookup']>>;

describe('an answer after the 30 s that a processor has', () => {
  const { setTimeout: real } = globalThis;
  let setup: OperatorSetup;
  let reads: (id: string) => Promise<string>;

  before(async () => {
    setup = await startOperatorSetup({ idempotentSubmit: false });
    reads = async (id) => (await setup.get(`/v1/charges/${id}`)).body.status;
    const sooner: typeof setTimeout = Object.assign(
      (then: () => void, ms?: number) => real(then, ms === DEADLINE_MS ? SHORT_MS : ms),
      real,
    );
    globalThis.setTimeout = sooner;
  });
  after(async () => {
    globalThis.setTimeout = real;
    await setup.close();
  });

  it('settles the charge, without a look-up', async () => {
    const release = setup.bank.hold();
    const { body } = await setup.post('/v1/charges', SALE).expect(200);
    expect(body.status).to.equal('pending');
    release();
    await eventually(
      () => reads(body.id),
      (status) => status === 'succeeded',
    );
    expect(setup.bank.calls.map(({ kind }) => kind)).to.deep.equal(['authorize']);
  });

  it('settles it as well when it answers a look-up', async () => {
    let answer: (found: Found) => void = () => undefined;
    setup.bank.lookup = () =>
      new Promise<Found>((resolve) => {
        answer = resolve;
      });
    const sale = { ...SALE, source: 'tok_timeout_approved' };
    const { body } = await setup.post('/v1/charges', sale).expect(200);
    await setup.pass(41 * SECOND);
    expect(await reads(body.id)).to.equal('pending');
    const { amount, currency } = SALE;
    answer({ outcome: 'approved', processorReference: 'late_1', amount, currency });
    await eventually(
      () => reads(body.id),
      (status) => status === 'succeeded',
    );
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });
});
