import { expect } from 'chai';
import { type NoticeDesk, startNoticeDesk } from '../support/notifying-bank.ts';
import { PaidOut } from '../support/paid-out.ts';

const SECOND = 1_000;
const RETURNED = { code: 'account_closed', message: 'The bank account has been closed.' };

type Json = Readonly<Record<string, unknown>>;

describe('After a return, what is reported again as settled', () => {
  let desk: NoticeDesk;
  let shop: PaidOut;

  before(async () => {
    desk = await startNoticeDesk();
    shop = new PaidOut(desk, desk.clock);
    await shop.earn(100_000);
  });
  after(() => desk.close());
  afterEach(async () => {
    desk.forget();
    expect(await desk.paymount.verify()).to.deep.equal([]);
  });

  const operationOf = async (subject: string): Promise<unknown> => {
    const { json } = await desk.admin(`/operations?subject=${subject}&state=any`);
    return (json['data'] as Json[])[0]?.['id'];
  };
  /** The time of the clock, moved by some seconds. */
  const moment = (seconds: number): string =>
    new Date(desk.clock.now().getTime() + seconds * SECOND).toISOString();
  const newest = async (kind: string): Promise<Json> => {
    const { json } = await desk.admin(`/notices?kind=${kind}&state=any&limit=1`);
    return (json['data'] as Json[])[0] ?? {};
  };
  const refund = async (): Promise<string> => {
    const sale = { amount: 10_000, currency: 'eur', source: 'tok_visa' };
    const charge = await desk.post('/v1/charges', sale).expect(200);
    const sent = { charge: charge.body.id, amount: 4_000 };
    return String((await desk.post('/v1/refunds', sent).expect(200)).body.id);
  };
  const payout = async (): Promise<string> => {
    await shop.addBank();
    const { body } = await desk.post('/v1/payouts', { amount: 1_000, currency: 'eur' }).expect(200);
    await shop.settle();
    return String(body.id);
  };

  for (const { noun, path, make, data } of [
    { noun: 'refund', path: '/v1/refunds', make: refund, data: { amount: 4_000, currency: 'eur' } },
    { noun: 'payout', path: '/v1/payouts', make: payout, data: {} },
  ]) {
    const settled = noun === 'refund' ? 'refund.settled' : 'payout.paid';
    const returned = async (): Promise<{ id: string; operationId: unknown }> => {
      const id = await make();
      const operationId = await operationOf(id);
      const failed = { kind: `${noun}.failed`, occurredAt: moment(-30), data: RETURNED };
      await desk.deliver({ ...failed, operationId });
      expect((await desk.get(`${path}/${id}`)).body.status).to.equal('failed');
      return { id, operationId };
    };

    it(`waits for a person if a ${noun} happened later`, async () => {
      const { id, operationId } = await returned();
      await desk.deliver({ kind: settled, occurredAt: moment(-10), operationId, data });
      expect(await newest(settled)).to.deep.include({
        state: 'quarantined',
        reason: `${noun === 'refund' ? 'Refund' : 'Payout'} ${id} was returned.`,
      });
      expect((await desk.get(`${path}/${id}`)).body.status).to.equal('failed');
    });

    it(`is ignored if a ${noun} happened before`, async () => {
      const { operationId } = await returned();
      await desk.deliver({ kind: settled, occurredAt: moment(-40), operationId, data });
      expect(await newest(settled)).to.deep.include({ state: 'ignored' });
    });
  }
});
