import type { DeliveryQueue } from '@paymount/core/events';
import { expect } from 'chai';
import pg from 'pg';
import { eventually } from '../support/eventually.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Engine, makeEngine } from './engine.ts';

const LONG_MS = 60_000;

describe('While a transaction has locked the row of one endpoint', function () {
  this.timeout(LONG_MS);
  let engine: Engine;
  let locked: Receiver;
  let others: Receiver;
  let other: pg.Client;
  let hook: string;

  beforeEach(async () => {
    engine = await makeEngine();
    locked = await startReceiver();
    others = await startReceiver();
    hook = (await engine.endpoint(locked.url)).id;
    other = new pg.Client({
      connectionString: engine.databaseUrl,
      application_name: 'a host that forgot its transaction',
    });
    await other.connect();
  });

  afterEach(async () => {
    await other.end();
    await engine.close();
    await locked.close();
    await others.close();
  });

  const lock = async (): Promise<void> => {
    await other.query('BEGIN');
    await other.query("UPDATE paymount.webhook_endpoints SET description = 'x' WHERE id = $1", [
      hook,
    ]);
  };
  const states = async (): Promise<Readonly<Record<string, string>>> => {
    const rows = await engine.query<{ url: string; states: string }>(
      `SELECT e.url, string_agg(DISTINCT d.state || ' ' || d.attempt, ', ') AS states
       FROM paymount.deliveries d JOIN paymount.webhook_endpoints e ON e.id = d.endpoint_id
       GROUP BY e.url`,
    );
    return Object.fromEntries(rows.map(({ url, states: all }) => [url, all]));
  };

  /** How long the leases of the deliveries there last at least, or at most. */
  const leaseMs = async (which: 'min' | 'max'): Promise<number> => {
    const [row] = await engine.query<{ ms: number }>(
      `SELECT extract(epoch FROM ${which}(lease_until) - now())::double precision * 1000 - $2 AS ms
       FROM paymount.deliveries WHERE endpoint_id = $1 AND lease_token IS NOT NULL`,
      [hook, engine.clock.shiftMs],
    );
    return row?.ms ?? 0;
  };
  const leastLeaseMs = (): Promise<number> => leaseMs('min');
  const mostLeaseMs = (): Promise<number> => leaseMs('max');
  const hoursAgo = (hours: number): Date =>
    new Date(engine.clock.now().getTime() - hours * 3_600_000);
  const heldLines = () =>
    engine.lines.filter(({ line }) => line.includes('has locked an endpoint'));

  it('only its own results wait, the log and the status name who holds it, and nothing is sent twice', async () => {
    locked.otherwise(500);
    await engine.endpoint(others.url);
    const worker = await engine.startWorker({ reconcile: true });
    await lock();
    await engine.publish(1);
    await locked.waitFor(1);
    await others.waitFor(1);
    for (let round = 1; round <= 5; round += 1) {
      await engine.publish(20);
      await others.waitFor(1 + 20 * round, LONG_MS);
    }
    const delivered = async () => (await states())[`${others.url}/`] === 'succeeded 1';
    await eventually(delivered, Boolean, 10_000);
    expect((await states())[`${locked.url}/`]).to.equal('pending 1');
    expect(worker.status().sendingHeld).to.equal(false);

    const { lockedEndpoints } = await eventually(
      () => worker.status(),
      ({ lockedEndpoints: [named] }) => named !== undefined && named.holders.length > 0,
      10_000,
    );
    const [pid] = (await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows;
    expect(lockedEndpoints).to.have.length(1);
    expect(lockedEndpoints[0]).to.include({ endpoint: hook });
    expect(lockedEndpoints[0]?.holders).to.have.length(1);
    expect(lockedEndpoints[0]?.holders[0]).to.include({
      ...pid,
      applicationName: 'a host that forgot its transaction',
      state: 'idle in transaction',
    });
    const line = heldLines().at(-1);
    expect(line).to.include({ endpoint: hook, account: engine.owner.accountId });
    expect(line?.['locked_by']).to.match(
      /^pid \d+ \(a host that forgot its transaction\), idle in transaction, open for \d+ s$/,
    );
    // Its leases would have ended: no other worker may send the same.
    const sent = locked.requests.length;
    await engine.startWorker({ reconcile: true });
    for (let round = 1; round <= 3; round += 1) {
      engine.clock.advance(10_000);
      await eventually(leastLeaseMs, (ms) => ms > 16_000, 10_000);
    }
    await other.query('COMMIT');
    await eventually(states, (all) => !all[`${locked.url}/`]?.includes('pending 1'), 10_000);
    const ids = locked.requests.map(({ headers }) => headers['service-delivery']);
    expect(new Set(ids).size).to.equal(ids.length);
    expect(locked.requests.length).to.be.greaterThan(sent);
    await eventually(() => worker.status().lockedEndpoints.length === 0);
    const [row] = await engine.query<{ failing_since: Date | null }>(
      'SELECT failing_since FROM paymount.webhook_endpoints WHERE id = $1',
      [hook],
    );
    expect(row?.failing_since).to.not.equal(null);
  });

  it('a success that ends its streak waits, and others of the same batch do not', async () => {
    await engine.endpoint(others.url);
    await engine.query('UPDATE paymount.webhook_endpoints SET failing_since = $1 WHERE id = $2', [
      engine.clock.now(),
      hook,
    ]);
    const worker = await engine.startWorker();
    await lock();
    await engine.publish(5);
    await locked.waitFor(1);
    await others.waitFor(5);
    await eventually(async () => (await states())[`${others.url}/`] === 'succeeded 1');
    expect((await states())[`${locked.url}/`]).to.equal('pending 1');
    await other.query('COMMIT');
    await worker.drain();
    expect(await states()).to.deep.equal({
      [`${others.url}/`]: 'succeeded 1',
      [`${locked.url}/`]: 'succeeded 1',
    });
    const streaks = await engine.query(
      'SELECT failing_since FROM paymount.webhook_endpoints WHERE failing_since IS NOT NULL',
    );
    expect(streaks).to.deep.equal([]);
  });

  it('a result that is added to others has its lease lengthened at once', async () => {
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    locked.script(500, () => asked.then(() => 500));
    await engine.startWorker();
    await lock();
    await engine.publish(2);
    await locked.waitFor(2);
    const [before] = await eventually(heldLines, ({ length }) => length > 0, 10_000);
    expect(before).to.include({ results: 1 });
    engine.clock.advance(3_000);
    answer();
    // Both end within 22 s now; the first is lengthened again after 8 s.
    await eventually(mostLeaseMs, (ms) => ms > 22_000, 2_000);
    await other.query('ROLLBACK');
  });

  it('a locked delivery delays no other result', async () => {
    await engine.endpoint(others.url);
    const answer = locked.holdAnswers();
    const worker = await engine.startWorker();
    await engine.publish(1);
    await locked.waitFor(1);
    await other.query('BEGIN');
    await other.query('SELECT FROM paymount.deliveries WHERE endpoint_id = $1 FOR UPDATE', [hook]);
    answer();
    await engine.publish(20);
    await others.waitFor(21, LONG_MS);
    await eventually(
      async () => (await states())[`${others.url}/`] === 'succeeded 1',
      Boolean,
      10_000,
    );
    expect(worker.status().sendingHeld).to.equal(false);
    await other.query('COMMIT');
    await worker.drain();
    expect(new Set(Object.values(await states()))).to.deep.equal(new Set(['succeeded 1']));
    expect(engine.lines.some(({ line }) => line.includes('Another result'))).to.equal(false);
  });

  it('a locked event of a superseded result delays no other result', async () => {
    const answer = locked.holdAnswers();
    const worker = await engine.startWorker();
    const [event] = await engine.publish(1);
    await locked.waitFor(1);
    await engine.query("UPDATE paymount.deliveries SET state = 'canceled', finished_at = now()");
    await engine.endpoint(others.url);
    await other.query('BEGIN');
    await other.query('SELECT FROM paymount.events WHERE id = $1 FOR UPDATE', [event?.id]);
    answer();
    await eventually(() => worker.status().inFlight['fast'] === 0);
    await engine.publish(20);
    await others.waitFor(20, LONG_MS);
    const delivered = async () => (await states())[`${others.url}/`] === 'succeeded 1';
    await eventually(delivered, Boolean, 10_000);
    expect(worker.status().sendingHeld).to.equal(false);
    const logged = async () => (await engine.attempts()).map(({ outcome }) => outcome);
    expect(await logged()).to.not.include('superseded');
    await other.query('COMMIT');
    await worker.drain();
    expect((await logged()).filter((outcome) => outcome === 'superseded')).to.have.length(1);
  });

  it('a decision that waits for the account delays no result of other accounts', async () => {
    const merchant = await engine.account();
    await engine.endpoint(others.url, merchant);
    // It fails for the last time, and is disabled: with an e-mail and an audit entry.
    await engine.query(
      `UPDATE paymount.webhook_endpoints SET failing_since = $1,
          warning_queued_at = $2, final_warning_queued_at = $2 WHERE id = $3`,
      [hoursAgo(80), hoursAgo(50), hook],
    );
    locked.otherwise(500);
    const worker = await engine.startWorker();
    await other.query('BEGIN');
    await other.query('SELECT FROM paymount.audit_heads WHERE chain = $1 FOR UPDATE', [
      engine.owner.accountId,
    ]);
    await engine.publish(1);
    for (let round = 1; round <= 5; round += 1) {
      await engine.publish(20, undefined, merchant);
      await others.waitFor(20 * round, LONG_MS);
    }
    const recorded = async () => (await states())[`${others.url}/`];
    await eventually(recorded, (state) => state === 'succeeded 1', 10_000);
    const { sendingHeld, lockedEndpoints } = await eventually(
      () => worker.status(),
      ({ lockedEndpoints: [named] }) => named !== undefined && named.holders.length > 0,
      10_000,
    );
    expect(sendingHeld).to.equal(false);
    expect(lockedEndpoints[0]).to.include({ endpoint: hook });
    expect(lockedEndpoints[0]?.holders[0]).to.include({
      applicationName: 'a host that forgot its transaction',
    });
    expect(engine.lines.some(({ line }) => line.includes('cannot be recorded'))).to.equal(false);
    const disabled = () =>
      engine.lines.filter(({ line }) => line.includes('A failing endpoint was disabled'));
    expect(disabled()).to.deep.equal([]);
    await other.query('ROLLBACK');
    const status = async () =>
      (
        await engine.query<{ status: string }>(
          'SELECT status FROM paymount.webhook_endpoints WHERE id = $1',
          [hook],
        )
      )[0]?.status;
    expect(await eventually(status, (now) => now === 'disabled', 10_000)).to.equal('disabled');
    expect(locked.requests).to.have.length(1);
    await eventually(disabled, ({ length }) => length > 0);
    expect(disabled()).to.have.length(1);
  });

  it('many decisions that wait for one account delay no result of healthy endpoints in their batch', async () => {
    const merchant = await engine.account();
    for (let count = 1; count < 20; count += 1) await engine.endpoint(`${locked.url}/${count}`);
    for (let count = 1; count <= 5; count += 1) {
      await engine.endpoint(`${others.url}/${count}`, merchant);
    }
    // Each is warned now: with an e-mail, which refers to its account.
    await engine.query("UPDATE paymount.accounts SET email = 'owner@shop.test'");
    await engine.query(
      'UPDATE paymount.webhook_endpoints SET failing_since = $1 WHERE account_id = $2',
      [hoursAgo(30), engine.owner.accountId],
    );
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    locked.otherwise(() => asked.then(() => 500));
    others.otherwise(() => asked.then(() => 200));
    const worker = await engine.startWorker();
    await other.query('BEGIN');
    await other.query('SELECT FROM paymount.accounts WHERE id = $1 FOR UPDATE', [
      engine.owner.accountId,
    ]);
    await engine.publish(1);
    await engine.publish(1, undefined, merchant);
    await locked.waitFor(20, LONG_MS);
    await others.waitFor(5, LONG_MS);
    answer();
    const read = () =>
      engine.query<{ state: string; count: number }>(
        `SELECT state || ' ' || attempt AS state, count(*)::integer AS count
          FROM paymount.deliveries GROUP BY 1 ORDER BY 1`,
      );
    await eventually(read, ([, succeeded]) => succeeded?.count === 5, 3_000);
    expect(await read()).to.deep.equal([
      { state: 'pending 1', count: 20 },
      { state: 'succeeded 1', count: 5 },
    ]);
    await eventually(heldLines, ({ length }) => length > 0, 10_000);
    expect(worker.status().sendingHeld).to.equal(false);
    await other.query('ROLLBACK');
    const warned = () => engine.lines.filter(({ line }) => line.includes('more than 24 hours'));
    await eventually(warned, ({ length }) => length === 20, 10_000);
    expect(await engine.query('SELECT FROM paymount.mails')).to.have.length(20);
  });

  it('what is due for it makes no claim of others more frequent', async () => {
    const merchant = await engine.account();
    await engine.endpoint(others.url, merchant);
    locked.otherwise(500);
    let claims = 0;
    const { deliveries } = engine.postgres;
    const counted: DeliveryQueue = {
      ...deliveries,
      claimDue: (claim) => {
        if (claim.lane === 'fast' && claim.origin === 'event') claims += 1;
        return deliveries.claimDue(claim);
      },
    };
    await engine.startWorker({ reconcile: true, deliveries: counted });
    await lock();
    await engine.publish(1);
    await eventually(heldLines, ({ length }) => length > 0, 10_000);
    await engine.publish(5);
    const before = claims;
    for (let count = 1; count <= 100; count += 1) {
      await engine.publish(1, undefined, merchant);
      await others.waitFor(count, LONG_MS);
    }
    // A poll each second claims once.
    expect(claims - before).to.be.below(10);
    await other.query('ROLLBACK');
    await locked.waitFor(6, 10_000);
  });

  it('a failure that waited begins no streak before a later success', async () => {
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    locked.script(() => asked.then(() => 500));
    await engine.startWorker();
    await engine.publish(1);
    await locked.waitFor(1);
    await other.query('BEGIN');
    await other.query('SELECT FROM paymount.deliveries WHERE endpoint_id = $1 FOR UPDATE', [hook]);
    answer();
    await eventually(heldLines, ({ length }) => length > 0, 10_000);
    // Another worker delivers to it meanwhile.
    await engine.startWorker({ reconcile: true });
    await engine.publish(1);
    const succeeded = await eventually(async () => {
      const rows = await engine.query<{ finished_at: Date }>(
        "SELECT finished_at FROM paymount.deliveries WHERE state = 'succeeded'",
      );
      return rows[0]?.finished_at;
    });
    await other.query('ROLLBACK');
    const since = await eventually(async () => {
      const rows = await engine.query<{ failing_since: Date | null }>(
        'SELECT failing_since FROM paymount.webhook_endpoints WHERE id = $1',
        [hook],
      );
      return rows[0]?.failing_since;
    });
    expect(since.getTime()).to.be.at.least(succeeded.getTime());
  });

  it('the lanes, statuses and old deliveries of others are written', async () => {
    const { id } = await engine.endpoint(others.url);
    const { deliveries } = engine.postgres;
    await engine.publish(1);
    await engine.query("UPDATE paymount.deliveries SET state = 'parked'");
    await lock();
    const lanes: Parameters<DeliveryQueue['changeLanes']>[0] = new Map([
      [hook as never, 'slow'],
      [id, 'slow'],
    ]);
    await deliveries.changeLanes(lanes);
    await deliveries.recheckStatuses();
    const read = () =>
      engine.query('SELECT id, lane, status_changed FROM paymount.webhook_endpoints ORDER BY id');
    expect(await read()).to.deep.equal([
      { id: hook, lane: 'fast', status_changed: false },
      { id, lane: 'slow', status_changed: true },
    ]);
    await other.query('ROLLBACK');
    await deliveries.recheckStatuses();
    expect((await read())[0]).to.include({ status_changed: true });

    await engine.query(
      "UPDATE paymount.deliveries SET state = 'canceled', finished_at = now() - interval '1 day'",
    );
    await other.query('BEGIN');
    await other.query('SELECT FROM paymount.deliveries WHERE endpoint_id = $1 FOR UPDATE', [hook]);
    const walk = { after: '', finishedBefore: new Date(Date.now() + 86_400_000), limit: 100 };
    expect((await deliveries.purge(walk)).deleted).to.equal(1);
    await other.query('COMMIT');
    expect((await deliveries.purge(walk)).deleted).to.equal(1);
  });
});
