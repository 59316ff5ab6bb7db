import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { startWorker, type Worker } from 'paymount/worker';
import pg from 'pg';
import { startApp, type TestApp } from '../support/app.ts';
import { childProgram } from '../support/child-program.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { ClockSetup } from '../support/clock-setup.ts';
import { startHost } from '../support/host.ts';
import { PaidOut } from '../support/paid-out.ts';

const PATH = '/v1/test_helpers/test_clocks';
const JAN_1 = '2030-01-01T00:00:00.000Z';
const MARCH = '2030-03-01T00:00:00.000Z';
const CHILD = new URL('./clock-child.ts', import.meta.url);
/** Longer than a worker holds a clock without a sign of life. */
const LEASE_MS = 61_000;
/** Longer than a clock waits before it looks again for an answer. */
const ANSWER_WAIT_MS = 2_000;

/** What happens to the objects of `makeObjects` until March, in this order. */
const STORY = [
  'dispute.created 2030-01-03T00:00:00.000Z',
  'charge.refunded 2030-01-06T00:00:00.000Z',
  'charge.failed 2030-01-08T00:00:00.000Z',
  'dispute.lost 2030-01-23T00:00:00.000Z',
];

describe('workers that advance a test clock', function () {
  this.timeout(120_000);
  let app: TestApp;
  let setup: ClockSetup;
  let clock: FakeClock;
  let sql: pg.Client;

  before(async () => {
    clock = fakeClock();
    app = await startApp({ paymount: { clock } });
    await app.worker.close();
    setup = new ClockSetup(app);
    sql = new pg.Client({ connectionString: app.databaseUrl });
    await sql.connect();
    await makeRich();
  });
  after(async () => {
    await sql.end();
    await app.close();
  });
  afterEach(async () => {
    expect(await app.paymount.verify()).to.deep.equal([]);
  });

  /** A clock whose objects have one piece of work of each kind, on its way to March. */
  const makeObjects = async (): Promise<{ clock: string; before: number }> => {
    const id = await setup.clock(JAN_1);
    await setup.charge(await setup.customer(id), { capture: false });
    await setup.charge(await setup.customer(id, 'pm_card_createDispute'));
    const refunded = await setup.charge(await setup.customer(id, 'pm_card_pendingRefund'));
    await setup.make('/v1/refunds', { charge: refunded });
    const before = (await allEvents()).length;
    await setup.make(`${PATH}/${id}/advance`, { frozen_time: MARCH });
    return { clock: id, before };
  };
  const allEvents = async (): Promise<readonly string[]> => {
    const { rows } = await sql.query('SELECT type, created FROM paymount.events ORDER BY id');
    return rows.map(({ type, created }) => `${type} ${created.toISOString()}`);
  };
  const statusOf = async (id: string): Promise<unknown> =>
    (await setup.read(`${PATH}/${id}`))['status'];
  /** A worker in a process of its own, which is killed at a place. */
  const dieAt = async (place: string, times: number): Promise<void> => {
    const program = await childProgram(CHILD);
    const args = [program, app.databaseUrl, place, String(times), String(clock.shiftMs)];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, CLOCK_CHILD_KEYS: JSON.stringify(app.sealingKeys) },
    });
    const [, signal] = await once(child, 'exit');
    expect(signal).to.equal('SIGKILL');
  };
  /** A bank account, and funds that are available. */
  const makeRich = async (): Promise<void> => {
    const sale = { amount: 4_200, currency: 'eur', payment_method: 'pm_card_visa' };
    await app.paymount.charges.create(app.acting, sale);
    clock.advance(3 * 24 * 3_600_000);
    await work();
    await new PaidOut(app, clock).addBank();
  };
  const work = async (): Promise<void> => {
    const worker = await startWorker(app.paymount);
    await worker.drain();
    await worker.close();
  };

  for (const [place, times] of [
    ['test_clock.before_move', 1],
    ['test_clock.after_move', 1],
    ['test_clock.after_notices', 1],
    ['notice.before_apply', 1],
    ['notice.after_apply', 2],
    ['test_clock.after_step', 1],
    ['test_clock.after_step', 3],
    ['test_clock.after_move', 6],
  ] as const) {
    it(`goes on in another worker after a kill at ${place}, visit ${times}`, async () => {
      const { clock: id, before } = await makeObjects();
      await dieAt(place, times);
      // Until its lease ends, the clock is in the hands of the one that died.
      await work();
      expect(await statusOf(id)).to.equal('advancing');
      clock.advance(LEASE_MS);
      await work();
      expect(await statusOf(id)).to.equal('ready');
      expect((await allEvents()).slice(before)).to.deep.equal(STORY);
    });
  }

  /** A payout on a clock that is on its way to March. */
  const payoutOnClock = async (): Promise<{ clock: string; payout: string }> => {
    const id = await setup.clock(JAN_1);
    const asked = { amount: 500, currency: 'eur', test_clock: id };
    const payout = String((await setup.make('/v1/payouts', asked))['id']);
    await setup.make(`${PATH}/${id}/advance`, { frozen_time: MARCH });
    return { clock: id, payout };
  };
  const executions = async (payout: string): Promise<number> => {
    const { rows } = await sql.query(
      `SELECT FROM paymount.operations o
        JOIN paymount.sandbox_operations s ON s.operation_id = o.id WHERE o.subject_id = $1`,
      [payout],
    );
    return rows.length;
  };

  for (const [place, times] of [
    ['operation.before_call', 1],
    ['operation.after_call', 1],
    ['operation.before_result', 1],
    ['operation.after_result', 1],
  ] as const) {
    it(`sends a payout once, at its own time, after a kill at ${place}`, async () => {
      const { clock: id, payout } = await payoutOnClock();
      await dieAt(place, times);
      clock.advance(LEASE_MS);
      await work();
      // A bank that does not know it is asked once more, before it is sent again.
      const isUnknown = place === 'operation.before_call';
      if (!isUnknown) {
        // The clock waits, if a worker came to it before the look-up had its answer.
        clock.advance(ANSWER_WAIT_MS);
        await work();
      }
      expect(await statusOf(id)).to.equal(isUnknown ? 'advancing' : 'ready');
      for (const wait of [5 * 60_000, 5 * 60_000, 1_000]) {
        clock.advance(wait);
        await work();
      }
      expect(await statusOf(id)).to.equal('ready');
      expect(await executions(payout)).to.equal(1);
      expect(await setup.eventsOf(payout)).to.deep.equal(['payout.paid 2030-01-03T00:00:00.000Z']);
    });
  }

  it('runs each step once when two workers of two processes are at it', async () => {
    const clocks: string[] = [];
    const before = (await allEvents()).length;
    for (let count = 0; count < 4; count += 1) clocks.push((await makeObjects()).clock);
    const other = await startHost(app, { paymount: { clock } });
    const workers: Worker[] = [await startWorker(app.paymount), await startWorker(other.paymount)];
    await Promise.all(workers.map((worker) => worker.drain()));
    await Promise.all(workers.map((worker) => worker.drain()));
    await Promise.all(workers.map((worker) => worker.close()));
    await other.close();
    for (const each of clocks) expect(await statusOf(each)).to.equal('ready');
    const story = (await allEvents()).slice(before).filter((line) => !line.includes(JAN_1));
    expect([...story].sort()).to.deep.equal(
      STORY.flatMap((line) => [line, line, line, line]).sort(),
    );
  });

  it('shows how far it is while it advances', async () => {
    const { clock: id } = await makeObjects();
    await dieAt('test_clock.after_step', 2);
    const shown = await setup.read(`${PATH}/${id}`);
    expect(shown).to.deep.include({
      status: 'advancing',
      frozen_time: '2030-01-03T00:00:00.000Z',
      status_details: { advancing: { target_frozen_time: MARCH } },
    });
    clock.advance(LEASE_MS);
    await work();
    expect(await statusOf(id)).to.equal('ready');
  });
});
