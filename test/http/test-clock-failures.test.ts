import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { ClockSetup } from '../support/clock-setup.ts';
import { query, withClient } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { SubscriptionSetup } from '../support/subscription-setup.ts';

const PATH = '/v1/test_helpers/test_clocks';
const JAN_1 = '2030-01-01T00:00:00.000Z';
const JAN_8 = '2030-01-08T00:00:00.000Z';
const FEB_1 = '2030-02-01T00:00:00.000Z';
/** All waits between the tries. */
const TRIES_MS = [1_000, 5_000, 15_000, 60_000];

describe('a test clock whose work fails', function () {
  this.timeout(60_000);
  let app: TestApp;
  let setup: ClockSetup;
  let clock: FakeClock;
  const lines: string[] = [];

  before(async () => {
    clock = fakeClock();
    const quiet = { debug() {}, info() {}, warn() {} };
    const logger = { ...quiet, error: (_: unknown, line: string) => void lines.push(line) };
    app = await startApp({ paymount: { clock, logger } });
    await sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'secret words of the database'; END $$`);
    setup = new ClockSetup(app);
  });
  after(() => app.close());
  beforeEach(() => {
    lines.length = 0;
  });
  afterEach(async () => {
    await repair();
    expect(await app.paymount.verify()).to.deep.equal([]);
  });

  const sql = (text: string) => query(app.databaseUrl, text);
  /** Lets the database refuse every charge that fails. */
  const damage = () =>
    sql(`CREATE OR REPLACE TRIGGER refusing BEFORE UPDATE ON paymount.charges FOR EACH ROW
      WHEN (NEW.status = 'failed') EXECUTE FUNCTION refuse()`);
  const repair = () => sql('DROP TRIGGER IF EXISTS refusing ON paymount.charges');
  /** A clock with an authorization that cannot expire, on its way to February. */
  const stuck = async (): Promise<{ id: string; charge: string }> => {
    const id = await setup.clock(JAN_1);
    const charge = await setup.charge(await setup.customer(id), { capture: false });
    await damage();
    await setup.make(`${PATH}/${id}/advance`, { frozen_time: FEB_1 });
    await app.worker.drain();
    return { id, charge };
  };
  const tryAgain = async (): Promise<void> => {
    for (const wait of TRIES_MS) {
      clock.advance(wait);
      await app.worker.drain();
    }
  };
  const read = (id: string) => setup.read(`${PATH}/${id}`);

  it('waits and tries again, and then goes on by itself', async () => {
    const { id, charge } = await stuck();
    expect(await read(id)).to.include({ status: 'advancing', frozen_time: JAN_8 });
    await repair();
    await app.worker.drain();
    expect(await read(id)).to.include({ status: 'advancing' });
    clock.advance(1_000);
    await app.worker.drain();
    expect(await read(id)).to.include({ status: 'ready', frozen_time: FEB_1 });
    expect(await setup.eventsOf(charge)).to.deep.equal([`charge.failed ${JAN_8}`]);
  });

  it('is none if another transaction locks the numbers of invoices for a moment', async () => {
    const shop = new SubscriptionSetup(app);
    const id = await shop.clock(JAN_1);
    const items = [{ price: await shop.newPrice(1_000) }];
    await shop.make('/v1/subscriptions', { customer: await shop.customer(id), items });
    await shop.make(`${PATH}/${id}/advance`, { frozen_time: FEB_1 });
    await withClient(app.databaseUrl, async (other) => {
      await other.query('BEGIN; SELECT FROM paymount.invoice_numbers FOR UPDATE');
      const draining = app.worker.drain();
      const waits = new Set<string>();
      // The first wait ends with an error, and another one begins.
      await eventually(async () => {
        const waiting = await query<{ since: string }>(
          app.databaseUrl,
          `SELECT query_start::text AS since FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        for (const { since } of waiting) waits.add(since);
        return waits.size >= 2;
      });
      await other.query('COMMIT');
      await draining;
    });
    expect(await read(id)).to.include({ status: 'ready', frozen_time: FEB_1 });
    expect(lines).to.deep.equal([]);
  });

  it('stops in internal_failure after five tries, and says why without the words of an error', async () => {
    const { id, charge } = await stuck();
    await tryAgain();
    const message = `Paymount could not expire the authorization of ${charge} at ${JAN_8}; the log of the worker has the error. Advance the clock again to retry it, cancel the charge, or delete the clock.`;
    expect(await read(id)).to.deep.include({
      status: 'internal_failure',
      frozen_time: JAN_8,
      status_details: { internal_failure: { message } },
    });
    expect(lines.filter((line) => line === `Test clock: ${message}`)).to.have.lengthOf(5);
    expect(await setup.read(`/v1/charges/${charge}`)).to.include({ status: 'authorized' });
    // Nothing tries any more.
    await repair();
    clock.advance(3_600_000);
    await app.worker.drain();
    expect(await read(id)).to.include({ status: 'internal_failure' });
    // It can be left by advancing again, also to the time that it shows.
    const back = await setup.post(`${PATH}/${id}/advance`, { frozen_time: JAN_1 });
    expect(back.error['code']).to.equal('test_clock_backwards');
    await setup.advance(id, JAN_8);
    expect(await setup.eventsOf(charge)).to.deep.equal([`charge.failed ${JAN_8}`]);
    await setup.advance(id, FEB_1);
  });

  it('can be left by deleting the clock, or by hand while it stands', async () => {
    const { id, charge } = await stuck();
    await tryAgain();
    await repair();
    await setup.make(`/v1/charges/${charge}/cancel`);
    expect((await setup.delete(`${PATH}/${id}`)).status).to.equal(200);
    const second = await stuck();
    await tryAgain();
    await repair();
    await setup.make(`/v1/charges/${second.charge}/cancel`);
    await setup.advance(second.id, FEB_1);
  });

  it('does not keep other clocks from advancing', async () => {
    const { id } = await stuck();
    const other = await setup.clock(JAN_1);
    await setup.charge(await setup.customer(other));
    await setup.advance(other, FEB_1);
    await repair();
    await tryAgain();
    expect(await read(id)).to.include({ status: 'ready', frozen_time: FEB_1 });
  });
});
