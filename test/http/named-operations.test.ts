import { expect } from 'chai';
import type { Outcome } from 'paymount/processor';
import { type NoticeSetup, startNoticeSetup } from '../support/notifying-bank.ts';

const SALE = { amount: 10_000, currency: 'eur', source: 'tok_visa' };
const DECLINED = {
  outcome: 'declined',
  code: 'card_declined',
  declineCode: 'generic_decline',
  message: 'Your card was declined.',
  retry: 'never',
} as const;
const FAILURE = { code: 'card_declined', message: 'Your card was declined.' };

type Json = Readonly<Record<string, unknown>>;

describe('The reference of an operation that was declined', () => {
  let setup: NoticeSetup;
  let numbered = 0;
  before(async () => {
    setup = await startNoticeSetup();
  });
  after(() => setup.close());
  afterEach(() => {
    Reflect.deleteProperty(setup.bank, 'authorize');
    setup.forget();
  });

  const newReference = (): string => {
    numbered += 1;
    return `declined_${numbered}`;
  };
  /** A charge that the bank declines. @returns its id, and the operation as an admin sees it */
  const decline = async (answer: Outcome) => {
    setup.bank.authorize = async () => answer;
    const { body } = await setup.post('/v1/charges', SALE).expect(402);
    const charge = String(body.error.charge);
    return { charge, operation: await operationOf(charge) };
  };
  const operationOf = async (charge: string): Promise<Json> => {
    const { json } = await setup.admin(`/operations?state=any&subject=${charge}`);
    return (json['data'] as Json[])[0] ?? {};
  };
  const newest = async (): Promise<Json> => {
    const { json } = await setup.admin('/notices?state=any&limit=1');
    return (json['data'] as Json[])[0] ?? {};
  };

  it('is that of the answer, so that later notices and lines find it', async () => {
    const reference = newReference();
    const { charge, operation } = await decline({ ...DECLINED, processorReference: reference });
    expect(operation).to.include({ state: 'done', processor_reference: reference });
    const { body } = await setup.get(`/v1/charges/${charge}`).expect(200);
    expect(body.processor).to.deep.equal({ name: 'watched', reference });
    await setup.deliver({ kind: 'charge.failed', processorReference: reference, data: FAILURE });
    expect(await newest()).to.include({ state: 'ignored', operation: operation['id'] });
    const settled = { amount: 10_000, currency: 'eur' };
    await setup.deliver({ kind: 'charge.settled', processorReference: reference, data: settled });
    expect(await newest()).to.include({
      state: 'quarantined',
      account: setup.account,
      reason: `Operation ${operation['id']} (authorize) was declined.`,
    });
    const settledOn = setup.clock.now().toISOString();
    const line = { lineId: `fee of ${reference}`, amount: 1, currency: 'eur', settledOn };
    await setup.deliver({
      kind: 'settlement_line',
      processorReference: reference,
      data: { ...line, kind: 'decline_fee' },
    });
    const { json } = await setup.admin('/settlement_differences');
    expect((json['data'] as Json[])[0]).to.include({
      kind: 'amount_differs',
      account: setup.account,
    });
  });

  it('is that of a notice that names the operation, if no answer told it', async () => {
    const reference = newReference();
    const { operation } = await decline(DECLINED);
    expect(operation).to.include({ processor_reference: null });
    const operationId = String(operation['id']);
    const about = { kind: 'charge.failed', processorReference: reference, data: FAILURE };
    await setup.deliver({ ...about, operationId });
    expect(await newest()).to.include({ state: 'ignored', operation: operationId });
    expect(await operationOf(String(operation['subject']))).to.include({
      state: 'done',
      processor_reference: reference,
    });
    await setup.deliver(about);
    expect(await newest()).to.include({ state: 'ignored', operation: operationId });
    // Another reference would be another payment.
    await setup.deliver({ ...about, operationId, processorReference: newReference() });
    expect(await operationOf(String(operation['subject']))).to.include({
      processor_reference: reference,
    });
  });

  it('is that of the notice that declined it', async () => {
    const reference = newReference();
    const sale = { ...SALE, source: 'tok_timeout_approved' };
    const { body } = await setup.post('/v1/charges', sale).expect(200);
    const { id: operationId } = await operationOf(String(body.id));
    await setup.deliver({
      kind: 'charge.failed',
      operationId,
      processorReference: reference,
      data: FAILURE,
    });
    expect(await operationOf(String(body.id))).to.include({
      state: 'done',
      processor_reference: reference,
    });
    const shown = await setup.get(`/v1/charges/${body.id}`).expect(200);
    expect(shown.body).to.deep.include({
      status: 'failed',
      processor: { name: 'watched', reference },
    });
  });
});
