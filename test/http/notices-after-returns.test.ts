import { expect } from 'chai';
import type { Processor } from 'paymount/processor';
import { eventually } from '../support/eventually.ts';
import { type NoticeSetup, notice, startNoticeSetup } from '../support/notifying-bank.ts';
import { PaidOut } from '../support/paid-out.ts';

const SECOND = 1_000;
const RETURNED = { code: 'account_closed', message: 'The bank account has been closed.' };

type Found = Awaited<ReturnType<Processor['lookup']>>;
type Json = Readonly<Record<string, unknown>>;

describe('After a return, what is reported again as settled', () => {
  let setup: NoticeSetup;
  let shop: PaidOut;

  before(async () => {
    setup = await startNoticeSetup();
    shop = new PaidOut(setup, setup.clock);
    await shop.earn(100_000);
  });
  after(() => setup.close());
  afterEach(async () => {
    setup.forget();
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  const operationOf = async (subject: string): Promise<unknown> => {
    const { json } = await setup.admin(`/operations?subject=${subject}&state=any`);
    return (json['data'] as Json[])[0]?.['id'];
  };
  /** The time of the clock, moved by some seconds. */
  const moment = (seconds: number): string =>
    new Date(setup.clock.now().getTime() + seconds * SECOND).toISOString();
  const newest = async (kind: string): Promise<Json> => {
    const { json } = await setup.admin(`/notices?kind=${kind}&state=any&limit=1`);
    return (json['data'] as Json[])[0] ?? {};
  };
  const beginRefund = async (source: string): Promise<string> => {
    const sale = { amount: 10_000, currency: 'eur', source };
    const charge = await setup.post('/v1/charges', sale).expect(200);
    const sent = { charge: charge.body.id, amount: 4_000 };
    return String((await setup.post('/v1/refunds', sent).expect(200)).body.id);
  };
  const refund = () => beginRefund('tok_visa');
  const beginPayout = async (): Promise<string> => {
    await shop.addBank();
    const { body } = await setup
      .post('/v1/payouts', { amount: 1_000, currency: 'eur' })
      .expect(200);
    await setup.pass(11 * SECOND);
    return String(body.id);
  };
  const payout = async (): Promise<string> => {
    const id = await beginPayout();
    await setup.pass(3 * SECOND);
    return id;
  };

  for (const { noun, path, make, begin, data } of [
    {
      noun: 'refund',
      path: '/v1/refunds',
      make: refund,
      begin: beginRefund,
      data: { amount: 4_000, currency: 'eur' },
    },
    { noun: 'payout', path: '/v1/payouts', make: payout, begin: beginPayout, data: {} },
  ]) {
    const settled = noun === 'refund' ? 'refund.settled' : 'payout.paid';
    const returned = async (): Promise<{ id: string; operationId: unknown }> => {
      const id = await make();
      const operationId = await operationOf(id);
      const failed = { kind: `${noun}.failed`, occurredAt: moment(-30), data: RETURNED };
      await setup.deliver({ ...failed, operationId });
      expect((await setup.get(`${path}/${id}`)).body.status).to.equal('failed');
      return { id, operationId };
    };

    it(`waits for a person if a ${noun} happened later`, async () => {
      const { id, operationId } = await returned();
      await setup.deliver({ kind: settled, occurredAt: moment(-10), operationId, data });
      expect(await newest(settled)).to.deep.include({
        state: 'quarantined',
        reason: `${noun === 'refund' ? 'Refund' : 'Payout'} ${id} was returned.`,
      });
      expect((await setup.get(`${path}/${id}`)).body.status).to.equal('failed');
    });

    it(`is no contradiction if a look-up of a ${noun} has it already`, async () => {
      const { lookup } = setup.bank;
      let answer: ((found: Found) => void) | undefined;
      const source = noun === 'refund' ? 'tok_pendingRefund' : 'tok_visa';
      const id = await begin(source);
      const operationId = await operationOf(id);
      setup.bank.lookup = () =>
        new Promise((resolve) => {
          answer = resolve;
        });
      const asking = setup.pass(11 * SECOND);
      await eventually(() => answer);
      await setup.send([
        notice({ kind: settled, occurredAt: moment(-4), operationId, data }),
        notice({ kind: `${noun}.failed`, occurredAt: moment(-2), operationId, data: RETURNED }),
      ]);
      await eventually(async () => (await newest(`${noun}.failed`))['state'] === 'applied');
      answer?.({ outcome: 'declined', ...RETURNED, declineCode: 'closed', retry: 'never' });
      await asking;
      setup.bank.lookup = lookup;
      expect((await setup.get(`${path}/${id}`)).body.status).to.equal('failed');
      expect((await setup.admin('/operations')).json['data']).to.deep.equal([]);
    });

    it(`is ignored if a ${noun} happened before`, async () => {
      const { operationId } = await returned();
      await setup.deliver({ kind: settled, occurredAt: moment(-40), operationId, data });
      expect(await newest(settled)).to.deep.include({ state: 'ignored' });
    });
  }
});
