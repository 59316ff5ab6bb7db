import { expect } from 'chai';
import { type NoticeSetup, startNoticeSetup } from '../support/notifying-bank.ts';
import { PaidOut } from '../support/paid-out.ts';

const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;
const REASON = 'The bank confirmed it by telephone.';
const RETURNED = {
  kind: 'payout.failed',
  data: { code: 'account_closed', message: 'The bank account has been closed.' },
};

type Json = Readonly<Record<string, unknown>>;

describe('The outcome of a payout', function () {
  this.timeout(60_000);
  let setup: NoticeSetup;
  let shop: PaidOut;

  before(async () => {
    setup = await startNoticeSetup();
    shop = new PaidOut(setup, setup.clock);
    await setup.paymount.accounts.update(setup.account, { email: 'owner@shop.test' });
    await shop.earn(1_000_000);
  });
  after(() => setup.close());
  afterEach(async () => {
    setup.forget();
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  const find = async (id: string): Promise<Json> => (await setup.get(`/v1/payouts/${id}`)).body;
  const available = async (): Promise<number> =>
    (await setup.get('/v1/balance')).body.available[0].amount;
  const payoutTo = async (number: string): Promise<{ id: string; bank: string }> => {
    const bank = await shop.addBank(number);
    const { body } = await setup
      .post('/v1/payouts', { amount: 1_000, currency: 'eur' })
      .expect(200);
    return { id: body.id, bank };
  };
  const bankStatus = async (bank: string): Promise<unknown> =>
    (await setup.get(`/v1/accounts/${setup.account}/external_accounts/${bank}`)).body.status;
  const operationOf = async (subject: string): Promise<Json> => {
    const { json } = await setup.admin(`/operations?subject=${subject}&state=any`);
    return (json['data'] as Json[])[0] ?? {};
  };
  const settleAs = async (subject: string, body: object): Promise<void> => {
    const { id } = await operationOf(subject);
    const path = `/operations/${String(id)}/settle`;
    const { status, text } = await setup.admin(path, { body: { reason: REASON, ...body } });
    expect(status, text).to.equal(200);
  };
  const eventsOf = async (id: string): Promise<readonly string[]> => {
    const { body } = await setup.get(`/v1/events?object_id=${id}`).expect(200);
    return body.data.map(({ type }: { type: string }) => type);
  };

  it('is found by a look-up if the call had no answer', async () => {
    const { id } = await payoutTo('000777777701');
    await setup.pass(11 * SECOND);
    expect(await find(id)).to.include({ status: 'pending' });
    expect(await operationOf(id)).to.include({ state: 'unknown', kind: 'payout', charge: null });
    await setup.pass(60 * SECOND);
    expect(await find(id)).to.include({ status: 'paid' });
    expect(setup.bank.asked('payout', id)).to.have.length(1);
  });

  it('is a failure if the call was certainly not sent, and the bank account is not at fault', async () => {
    const before = await available();
    const { id, bank } = await payoutTo('000777777704');
    await setup.pass(11 * SECOND);
    expect(await find(id)).to.include({ status: 'failed', failure_code: 'processing_error' });
    expect(await available()).to.equal(before);
    expect(await bankStatus(bank)).to.equal('new');
  });

  it('is a failure if the processor refused the request, and the bank account is not at fault', async () => {
    const before = await available();
    const { id, bank } = await payoutTo('000123456789');
    const { payout } = setup.bank;
    const message = 'The funds at the processor do not suffice.';
    Object.assign(setup.bank, {
      payout: async () => ({ outcome: 'rejected', code: 'insufficient_funds', message }),
    });
    try {
      await setup.pass(11 * SECOND);
    } finally {
      Object.assign(setup.bank, { payout });
    }
    expect(await find(id)).to.include({ status: 'failed', failure_code: 'insufficient_funds' });
    expect(await available()).to.equal(before);
    expect(await bankStatus(bank)).to.equal('new');
    const [mail] = setup.mails.filter(({ to }) => to === 'owner@shop.test');
    expect(mail?.text).to.include('the bank account was not refused');
  });

  it('waits for a person if the processor approved another amount, who settles it', async () => {
    const { id } = await payoutTo('000777777705');
    await setup.pass(11 * SECOND);
    await setup.pass(3 * SECOND);
    expect(await find(id)).to.include({ status: 'pending' });
    expect(await operationOf(id)).to.include({ state: 'quarantined' });
    expect(setup.mails.map(({ subject }) => subject)).to.include(
      `A test payout of ${id} waits for you`,
    );
    await settleAs(id, { as: 'approved' });
    expect(await find(id)).to.include({ status: 'paid' });
    expect(await eventsOf(id)).to.deep.equal(['payout.paid']);
  });

  it('waits for a person if the processor never answers, who may say that it was not executed', async () => {
    const before = await available();
    const { id, bank } = await payoutTo('000777777703');
    await setup.pass(11 * SECOND);
    for (let days = 0; days < 12; days += 1) await setup.pass(DAY);
    expect(await operationOf(id)).to.include({ state: 'quarantined' });
    expect(await find(id)).to.include({ status: 'pending' });
    expect(await available()).to.equal(before - 1_000);
    await settleAs(id, { as: 'not_executed' });
    expect(await find(id)).to.include({ status: 'failed' });
    expect(await available()).to.equal(before);
    expect(await bankStatus(bank)).to.equal('new');
  });

  it('may be told by a notice before any look-up', async () => {
    const { id } = await payoutTo('000000000009');
    await setup.pass(11 * SECOND);
    expect(await find(id)).to.include({ status: 'in_transit' });
    const operationId = (await operationOf(id))['id'];
    await setup.deliver({ kind: 'payout.paid', operationId, data: {} });
    expect(await find(id)).to.include({ status: 'paid' });
    expect(await operationOf(id)).to.include({ state: 'done' });
  });

  it('changes when the bank returns it: the owner is e-mailed, and the bank account is stopped', async () => {
    const before = await available();
    const { id, bank } = await payoutTo('000123456789');
    await shop.settle();
    expect(await find(id)).to.include({ status: 'paid' });
    const operationId = (await operationOf(id))['id'];
    await setup.deliver({ ...RETURNED, operationId });
    expect(await find(id)).to.include({ status: 'failed', failure_code: 'account_closed' });
    expect(await available()).to.equal(before);
    expect(await bankStatus(bank)).to.equal('errored');
    expect(await eventsOf(id)).to.deep.equal(['payout.failed', 'payout.paid']);
    expect(setup.mails.filter(({ to }) => to === 'owner@shop.test')).to.have.length(1);
    const [mail] = setup.mails.filter(({ to }) => to === 'owner@shop.test');
    expect(mail?.text).to.include(id).and.to.include('ending in 6789');
    await setup.deliver({ ...RETURNED, operationId });
    expect(await available(), 'after the same notice again').to.equal(before);
  });

  it('stays when a notice contradicts it, which a person sees', async () => {
    const { id } = await payoutTo('000111111113');
    await shop.settle();
    expect(await find(id)).to.include({ status: 'failed' });
    const operationId = (await operationOf(id))['id'];
    await setup.deliver({ kind: 'payout.paid', operationId, data: {} });
    expect(await find(id)).to.include({ status: 'failed' });
    expect(setup.mails.some(({ subject }) => subject.includes('payout.paid'))).to.equal(true);
  });
});
