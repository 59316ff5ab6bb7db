import { expect } from 'chai';
import type { HookPayload } from 'paymount';
import { startWorker, type Worker } from 'paymount/worker';
import { type DisputeSetup, OPENED, startDisputeSetup } from '../support/dispute-setup.ts';
import { eventually } from '../support/eventually.ts';
import { SILENT, startHost, type TestHost } from '../support/host.ts';
import { notice } from '../support/notifying-bank.ts';
import { BANK } from '../support/paid-out.ts';

const SECOND = 1_000;
const DAY = 86_400 * SECOND;
const ROUNDS = 5;

describe('two workers', function () {
  this.timeout(60_000);
  let setup: DisputeSetup;
  let host: TestHost;
  let second: Worker;
  /** This result waits in the hook until `release` is called. */
  let slow: string | undefined;
  let release: () => void = () => undefined;
  let gate: Promise<void> = Promise.resolve();
  const told: string[] = [];
  const waiting: string[] = [];

  const hook = async (_: unknown, settled: HookPayload): Promise<void> => {
    const text = describeResult(settled);
    if (slow !== undefined && text.startsWith(slow)) {
      slow = undefined;
      waiting.push(text);
      await gate;
    }
    told.push(text);
  };
  const slowDown = (result: string): void => {
    slow = result;
    gate = new Promise((resolve) => {
      release = resolve;
    });
  };

  before(async () => {
    setup = await startDisputeSetup({ hook });
    const { clock, bank: test } = setup;
    const paymount = { clock, hook, processors: { test }, logger: SILENT, mailer: false } as const;
    host = await startHost(setup, { paymount });
    second = await startWorker(host.paymount);
    const path = `/v1/accounts/${setup.account}/external_accounts`;
    await setup.post(path, { external_account: BANK }).expect(200);
    for (let sold = 0; sold < 3; sold += 1) await setup.sale();
    await setup.pass(3 * DAY);
  });
  after(async () => {
    await second.close();
    await host.close();
    await setup.close();
  });
  afterEach(async () => expect(await setup.paymount.verify()).to.deep.equal([]));

  const read = async (path: string) => (await setup.get(path).expect(200)).body;
  const eventsOf = async (id: string): Promise<readonly string[]> =>
    (await read(`/v1/events?object_id=${id}`)).data.map(({ type }: { type: string }) => type);
  const newPayout = async (): Promise<string> =>
    (await setup.post('/v1/payouts', { amount: 100, currency: 'eur' }).expect(200)).body.id;
  /** Both do what is due at once. */
  const passBoth = async (ms: number): Promise<void> => {
    setup.clock.advance(ms);
    await Promise.all([setup.worker.drain(), second.drain()]);
  };

  it('send a payout once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const ids = [await newPayout(), await newPayout()];
      await passBoth(11 * SECOND);
      await passBoth(61 * SECOND);
      for (const id of ids) {
        expect(setup.bank.asked('payout', id)).to.have.length(1);
        expect(await read(`/v1/payouts/${id}`)).to.include({ status: 'paid' });
        expect(await eventsOf(id)).to.deep.equal(['payout.paid']);
        expect(told.filter((text) => text === `payout ${id} paid`)).to.have.length(1);
      }
    }
  });

  it('apply a notice that waited once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { body: charge } = await setup
        .post('/v1/charges', {
          amount: 10_000,
          currency: 'eur',
          source: 'tok_visa',
          capture: false,
        })
        .expect(200);
      const processorReference = charge.processor.reference;
      const data = { ...OPENED, disputeReference: `case_${round}`, contestable: true };
      // Nothing was captured yet, so it waits.
      await setup.send([notice({ kind: 'dispute.opened', processorReference, data })]).expect(200);
      await setup.post(`/v1/charges/${charge.id}/capture`).expect(200);
      await passBoth(61 * SECOND);
      const { id } = await setup.disputeOf(charge.id);
      expect(await eventsOf(String(id))).to.deep.equal(['dispute.created']);
      expect(told.filter((text) => text === `dispute ${id} needs_response`)).to.have.length(1);
    }
  });

  it('let an account go on while the hook is slow with its payout', async () => {
    await setup.sale();
    await setup.pass(3 * DAY);
    const id = await newPayout();
    slowDown(`payout ${id} paid`);
    setup.clock.advance(72 * SECOND);
    const drained = Promise.all([setup.worker.drain(), second.drain()]);
    await eventually(() => waiting.includes(`payout ${id} paid`));
    const { id: charge, reference } = await setup.sale();
    await setup.post('/v1/refunds', { charge, amount: 50 }).expect(200);
    const other = await newPayout();
    await setup.post(`/v1/payouts/${other}/cancel`).expect(200);
    const data = { ...OPENED, amount: 500, disputeReference: 'case_beside', contestable: true };
    await setup
      .send([notice({ kind: 'dispute.opened', processorReference: reference, data })])
      .expect(200);
    await eventually(async () => (await read(`/v1/charges/${charge}`)).disputed);
    expect(await read(`/v1/payouts/${id}`)).to.not.include({ status: 'paid' });
    release();
    await drained;
    await eventually(async () => (await read(`/v1/payouts/${id}`)).status === 'paid');
    expect(told.filter((text) => text === `payout ${id} paid`)).to.have.length(1);
  });

  it('let an account go on while the hook is slow with a dispute', async () => {
    const { id: charge, reference } = await setup.sale();
    const data = { ...OPENED, disputeReference: 'case_slow', contestable: true };
    slowDown('dispute ');
    const sent = setup
      .send([notice({ kind: 'dispute.opened', processorReference: reference, data })])
      .then((answer) => answer);
    await eventually(() => waiting.some((text) => text.startsWith('dispute ')));
    await setup.sale();
    const payout = await newPayout();
    await setup.post(`/v1/payouts/${payout}/cancel`).expect(200);
    release();
    expect((await sent).status).to.equal(200);
    await eventually(async () => (await read(`/v1/charges/${charge}`)).disputed);
    expect(await eventsOf(String((await setup.disputeOf(charge))['id']))).to.deep.equal([
      'dispute.created',
    ]);
  });
});

function describeResult(settled: HookPayload): string {
  switch (settled.kind) {
    case 'charge':
      return `charge ${settled.charge.id} ${settled.charge.status}`;
    case 'refund':
      return `refund ${settled.refund.id} ${settled.refund.status}`;
    case 'dispute':
      return `dispute ${settled.dispute.id} ${settled.dispute.status}`;
    case 'payout':
      return `payout ${settled.payout.id} ${settled.payout.status}`;
    case 'invoice':
      return `invoice ${settled.invoice.id} ${settled.event}`;
    case 'subscription':
      return `${settled.event} ${settled.subscription.id}`;
  }
}
