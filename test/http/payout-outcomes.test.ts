import { expect } from 'chai';
import { type NoticeDesk, startNoticeDesk } from '../support/notifying-bank.ts';
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
  let desk: NoticeDesk;
  let shop: PaidOut;

  before(async () => {
    desk = await startNoticeDesk();
    shop = new PaidOut(desk, desk.clock);
    await desk.paymount.accounts.update(desk.account, { email: 'owner@shop.test' });
    await shop.earn(1_000_000);
  });
  after(() => desk.close());
  afterEach(async () => {
    desk.forget();
    expect(await desk.paymount.verify()).to.deep.equal([]);
  });

  const find = async (id: string): Promise<Json> => (await desk.get(`/v1/payouts/${id}`)).body;
  const available = async (): Promise<number> =>
    (await desk.get('/v1/balance')).body.available[0].amount;
  const payoutTo = async (number: string): Promise<{ id: string; bank: string }> => {
    const bank = await shop.addBank(number);
    const { body } = await desk.post('/v1/payouts', { amount: 1_000, currency: 'eur' }).expect(200);
    return { id: body.id, bank };
  };
  const bankStatus = async (bank: string): Promise<unknown> =>
    (await desk.get(`/v1/accounts/${desk.account}/external_accounts/${bank}`)).body.status;
  const operationOf = async (subject: string): Promise<Json> => {
    const { json } = await desk.admin(`/operations?subject=${subject}&state=any`);
    return (json['data'] as Json[])[0] ?? {};
  };
  const settleAs = async (subject: string, body: object): Promise<void> => {
    const { id } = await operationOf(subject);
    const path = `/operations/${String(id)}/settle`;
    const { status, text } = await desk.admin(path, { body: { reason: REASON, ...body } });
    expect(status, text).to.equal(200);
  };
  const eventsOf = async (id: string): Promise<readonly string[]> => {
    const { body } = await desk.get(`/v1/events?object_id=${id}`).expect(200);
    return body.data.map(({ type }: { type: string }) => type);
  };

  it('is found by a look-up if the call had no answer', async () => {
    const { id } = await payoutTo('000777777701');
    await desk.pass(11 * SECOND);
    expect(await find(id)).to.include({ status: 'pending' });
    expect(await operationOf(id)).to.include({ state: 'unknown', kind: 'payout', charge: null });
    await desk.pass(60 * SECOND);
    expect(await find(id)).to.include({ status: 'paid' });
    expect(desk.bank.asked('payout', id)).to.have.length(1);
  });

  it('is a failure if the call was certainly not sent, and the bank account is not at fault', async () => {
    const before = await available();
    const { id, bank } = await payoutTo('000777777704');
    await desk.pass(11 * SECOND);
    expect(await find(id)).to.include({ status: 'failed', failure_code: 'processing_error' });
    expect(await available()).to.equal(before);
    expect(await bankStatus(bank)).to.equal('new');
  });

  it('is a failure if the processor refused the request, and the bank account is not at fault', async () => {
    const before = await available();
    const { id, bank } = await payoutTo('000123456789');
    const { payout } = desk.bank;
    const message = 'The funds at the processor do not suffice.';
    Object.assign(desk.bank, {
      payout: async () => ({ outcome: 'rejected', code: 'insufficient_funds', message }),
    });
    try {
      await desk.pass(11 * SECOND);
    } finally {
      Object.assign(desk.bank, { payout });
    }
    expect(await find(id)).to.include({ status: 'failed', failure_code: 'insufficient_funds' });
    expect(await available()).to.equal(before);
    expect(await bankStatus(bank)).to.equal('new');
    const [mail] = desk.mails.filter(({ to }) => to === 'owner@shop.test');
    expect(mail?.text).to.include('the bank account was not refused');
  });

  it('waits for a person if the processor approved another amount, who settles it', async () => {
    const { id } = await payoutTo('000777777705');
    await desk.pass(11 * SECOND);
    await desk.pass(3 * SECOND);
    expect(await find(id)).to.include({ status: 'pending' });
    expect(await operationOf(id)).to.include({ state: 'quarantined' });
    expect(desk.mails.map(({ subject }) => subject)).to.include(
      `A test payout of ${id} waits for you`,
    );
    await settleAs(id, { as: 'approved' });
    expect(await find(id)).to.include({ status: 'paid' });
    expect(await eventsOf(id)).to.deep.equal(['payout.paid']);
  });

  it('waits for a person if the processor never answers, who may say that it was not executed', async () => {
    const before = await available();
    const { id, bank } = await payoutTo('000777777703');
    await desk.pass(11 * SECOND);
    for (let days = 0; days < 12; days += 1) await desk.pass(DAY);
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
    await desk.pass(11 * SECOND);
    expect(await find(id)).to.include({ status: 'in_transit' });
    const operationId = (await operationOf(id))['id'];
    await desk.deliver({ kind: 'payout.paid', operationId, data: {} });
    expect(await find(id)).to.include({ status: 'paid' });
    expect(await operationOf(id)).to.include({ state: 'done' });
  });

  it('changes when the bank returns it: the owner is e-mailed, and the bank account is stopped', async () => {
    const before = await available();
    const { id, bank } = await payoutTo('000123456789');
    await shop.settle();
    expect(await find(id)).to.include({ status: 'paid' });
    const operationId = (await operationOf(id))['id'];
    await desk.deliver({ ...RETURNED, operationId });
    expect(await find(id)).to.include({ status: 'failed', failure_code: 'account_closed' });
    expect(await available()).to.equal(before);
    expect(await bankStatus(bank)).to.equal('errored');
    expect(await eventsOf(id)).to.deep.equal(['payout.failed', 'payout.paid']);
    expect(desk.mails.filter(({ to }) => to === 'owner@shop.test')).to.have.length(1);
    const [mail] = desk.mails.filter(({ to }) => to === 'owner@shop.test');
    expect(mail?.text).to.include(id).and.to.include('ending in 6789');
    await desk.deliver({ ...RETURNED, operationId });
    expect(await available(), 'after the same notice again').to.equal(before);
  });

  it('stays when a notice contradicts it, which a person sees', async () => {
    const { id } = await payoutTo('000111111113');
    await shop.settle();
    expect(await find(id)).to.include({ status: 'failed' });
    const operationId = (await operationOf(id))['id'];
    await desk.deliver({ kind: 'payout.paid', operationId, data: {} });
    expect(await find(id)).to.include({ status: 'failed' });
    expect(desk.mails.some(({ subject }) => subject.includes('payout.paid'))).to.equal(true);
  });
});
