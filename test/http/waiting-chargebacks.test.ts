import { expect } from 'chai';
import pg from 'pg';
import { query } from '../support/database.ts';
import { type DisputeSetup, OPENED, startDisputeSetup } from '../support/dispute-setup.ts';

const DAY_MS = 86_400_000;
/** More than a notice is tried on its schedule. */
const MANY = 12;

describe('A chargeback that another one leaves no room', () => {
  let setup: DisputeSetup;
  before(async () => {
    setup = await startDisputeSetup();
  });
  after(() => setup.close());
  afterEach(async () => {
    setup.forget();
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  /** The status of each dispute of a charge, the newest first. */
  const statuses = async (charge: string): Promise<readonly string[]> => {
    const { body } = await setup.get(`/v1/disputes?limit=100&charge=${charge}`).expect(200);
    return body.data.map(({ status }: { status: string }) => status);
  };
  const about = (charge: string, name: string) => ({ disputeReference: `${name} of ${charge}` });
  const open = (sale: { id: string; reference: string }, name: string, amount = 10_000) =>
    setup.report('dispute.opened', sale.reference, { ...OPENED, amount, ...about(sale.id, name) });
  const win = (sale: { id: string; reference: string }, name: string) =>
    setup.report('dispute.closed', sale.reference, { outcome: 'won', ...about(sale.id, name) });

  it('is opened when that is won, although a person was asked meanwhile', async () => {
    const sale = await setup.sale();
    await open(sale, 'a');
    await open(sale, 'b');
    for (let day = 0; day < MANY; day += 1) await setup.pass(DAY_MS);
    expect(setup.errors.map(({ facts }) => facts['reason'])).to.deep.equal([
      `It takes 100.00 EUR; 0.00 EUR of charge ${sale.id} can be disputed.`,
    ]);
    await win(sale, 'a');
    expect(await statuses(sale.id)).to.deep.equal(['needs_response', 'won']);
  });

  it('is tried on its schedule however often others are applied', async () => {
    const sale = await setup.sale();
    await open(sale, 'a', 6_000);
    await open(sale, 'b', 6_000);
    for (let count = 0; count < MANY; count += 1) await open(sale, `small ${count}`, 100);
    expect(setup.errors).to.deep.equal([]);
    await win(sale, 'a');
    expect(await statuses(sale.id)).to.have.length(2 + MANY);
  });

  it('is opened when a person records that the other was won', async () => {
    const sale = await setup.sale();
    await open(sale, 'a');
    const { id } = await setup.disputeOf(sale.id);
    await open(sale, 'b');
    const body = { outcome: 'won', reason: 'The processor wrote so.' };
    await setup.admin(`/disputes/${id}/rule`, { body });
    await setup.worker.drain();
    expect(await statuses(sale.id)).to.deep.equal(['needs_response', 'won']);
  });

  it('is booked when its own ruling comes, which gives the money back', async () => {
    const sale = await setup.sale();
    await open(sale, 'a');
    await open(sale, 'b');
    await win(sale, 'b');
    expect(await statuses(sale.id)).to.deep.equal(['won', 'needs_response']);
  });

  it('is booked when its own ruling comes, although another transaction holds the charge then', async () => {
    const sale = await setup.sale();
    await open(sale, 'a');
    await open(sale, 'b');
    // The next try of its schedule is an hour later.
    for (const ms of [11_000, 61_000, 301_000]) await setup.pass(ms);
    const holder = new pg.Client({ connectionString: setup.databaseUrl });
    await holder.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM paymount.charges WHERE id = $1 FOR UPDATE', [sale.id]);
      await win(sale, 'b');
    } finally {
      await holder.end();
    }
    await setup.pass(11_000);
    expect(await statuses(sale.id)).to.deep.equal(['won', 'needs_response']);
  });

  it('is opened when the other is won, though one names the capture of the charge', async () => {
    const body = { amount: 10_000, currency: 'eur', source: 'tok_visa', capture: false };
    const { body: made } = await setup.post('/v1/charges', body).expect(200);
    const charge = String(made.id);
    await setup.post(`/v1/charges/${charge}/capture`).expect(200);
    const operations = await query<{ id: string }>(
      setup.databaseUrl,
      'SELECT id FROM paymount.operations WHERE subject_id = $1 ORDER BY id',
      [charge],
    );
    const [authorization, capture] = operations.map(({ id }) => id);
    const tell = (operationId: string | undefined, kind: string, data: object) =>
      setup.deliver({ kind, operationId, data });
    await tell(authorization, 'dispute.opened', { ...OPENED, ...about(charge, 'a') });
    await tell(capture, 'dispute.opened', { ...OPENED, ...about(charge, 'b') });
    await tell(authorization, 'dispute.closed', { outcome: 'won', ...about(charge, 'a') });
    expect(await statuses(charge)).to.deep.equal(['needs_response', 'won']);
    await tell(authorization, 'dispute.closed', { outcome: 'won', ...about(charge, 'c') });
    await tell(capture, 'dispute.opened', { ...OPENED, ...about(charge, 'c') });
    expect(await statuses(charge)).to.deep.equal(['won', 'needs_response', 'won']);
  });
});
