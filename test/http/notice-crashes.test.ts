import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { type NoticeSetup, notice, startNoticeSetup } from '../support/notifying-bank.ts';

const SECOND = 1_000;
const SALE = { amount: 10_000, currency: 'eur', source: 'tok_timeout_approved' };

describe('A process that dies with a notice', () => {
  let setup: NoticeSetup;
  let dieAt: string | undefined;

  before(async () => {
    const crashPoint = (name: string): void => {
      if (name !== dieAt) return;
      dieAt = undefined;
      throw new Error(`died at ${name}`);
    };
    setup = await startNoticeSetup({ crashPoint });
  });
  after(() => setup.close());

  for (const { point, status, recorded } of [
    { point: 'notice.before_record', status: 500, recorded: 1 },
    { point: 'notice.after_record', status: 500, recorded: 0 },
    { point: 'notice.before_apply', status: 200, recorded: 0 },
    { point: 'notice.after_apply', status: 200, recorded: 0 },
  ]) {
    it(`at ${point} loses and doubles nothing: the processor sends it again`, async () => {
      const { body } = await setup.post('/v1/charges', SALE).expect(200);
      const operationId = setup.bank.calls.at(-1)?.operationId;
      // It answers no look-up, so that only the notice can settle the charge.
      setup.bank.found = 'not_found';
      const data = { amount: 10_000, currency: 'eur' };
      const sent = notice({ kind: 'charge.settled', operationId, processorReference: 'b', data });
      dieAt = point;
      await setup.send([sent]).expect(status);
      await eventually(() => dieAt === undefined);
      await setup.send([sent]).expect(200, { received: 1, recorded });
      // The lease of the process that died, and the wait after an error.
      await setup.pass(31 * SECOND);
      // The request that recorded it also applies it, beside the worker.
      const read = async () => (await setup.get(`/v1/charges/${body.id}`)).body;
      await eventually(async () => {
        // The two may get into each other's way; then it is tried again after a second.
        await setup.pass(SECOND);
        return (await read()).status === 'succeeded';
      });
      const charge = await read();
      expect(charge).to.include({ status: 'succeeded', amount_captured: 10_000 });
      const { body: events } = await setup.get(`/v1/events?limit=100`);
      const types = events.data
        .filter((event: { data: { object: { id: string } } }) => event.data.object.id === body.id)
        .map((event: { type: string }) => event.type);
      expect(types).to.deep.equal(['charge.succeeded']);
      expect(await setup.paymount.verify()).to.deep.equal([]);
    });
  }
});
