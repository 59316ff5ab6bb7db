import type { Endpoint } from '@paymount/core/events';
import type { EndpointId } from '@paymount/core/kernel';
import { expect } from 'chai';
import pg from 'pg';
import { type Engine, makeEngine } from './engine.ts';

const BACKLOG = 8_000;
const STEP = 2_000;

describe('The deliveries of an endpoint', () => {
  let engine: Engine;
  let id: EndpointId;

  before(async () => {
    engine = await makeEngine();
  });

  beforeEach(async () => {
    await engine.query('TRUNCATE paymount.webhook_endpoints, paymount.deliveries CASCADE');
    ({ id } = await engine.endpoint('http://127.0.0.1:9/hook'));
    await engine.publish();
  });

  after(() => engine.close());

  async function turn(status: Endpoint['status']): Promise<void> {
    const { postgres, owner, clock } = engine;
    const found = await postgres.storage.read.endpoints.find(owner, id);
    if (found === undefined) throw new Error(`${id} is lost.`);
    const row = { ...found, version: found.version + 1, status };
    const writes = [{ mode: 'update', kind: 'endpoint', row }] as const;
    const applied = await postgres.storage.changes.apply({ ...owner, at: clock.now(), writes });
    expect(applied).to.equal('applied');
  }

  /** Copies the one delivery of the endpoint; copies are replays, which may repeat an event. */
  async function backlog(count: number): Promise<void> {
    await engine.query(
      `INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id, event_type,
         origin, state, attempt, due_at, created)
       SELECT account_id, livemode, 'dlv_' || lpad(n::text, 26, '0'), event_id, endpoint_id,
         event_type, 'replay', 'pending', 1 + n % 8, due_at, created
       FROM paymount.deliveries, generate_series(1, $2) n WHERE endpoint_id = $1`,
      [id, count - 1],
    );
  }

  async function states(): Promise<Record<string, number>> {
    const rows = await engine.query<{ state: string; count: number }>(
      `SELECT state, count(*)::integer AS count FROM paymount.deliveries WHERE endpoint_id = $1
       GROUP BY 1`,
      [id],
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  }

  async function isSettled(): Promise<boolean> {
    const [row] = await engine.query<{ settled: boolean }>(
      'SELECT NOT status_changed AS settled FROM paymount.webhook_endpoints WHERE id = $1',
      [id],
    );
    return row?.settled === true;
  }

  /** @returns the deliveries in each state after each step */
  async function applied(): Promise<readonly object[]> {
    const seen: object[] = [];
    for (let more = true; more; ) {
      more = await engine.postgres.deliveries.applyStatuses(STEP);
      seen.push(await states());
    }
    return seen;
  }

  it('do not delay a disabling or deletion, even if somebody has locked them', async () => {
    await backlog(BACKLOG);
    const other = new pg.Client({ connectionString: engine.databaseUrl });
    await other.connect();
    try {
      await other.query('BEGIN; SELECT FROM paymount.deliveries FOR UPDATE');
      await turn('disabled');
      expect(await states()).to.deep.equal({ pending: BACKLOG });
      await turn('enabled');
      await turn('deleted');
    } finally {
      await other.end();
    }
  });

  it('are parked, resumed and canceled in steps, with their attempt numbers', async () => {
    await backlog(BACKLOG);
    const attempts = () =>
      engine.query(
        'SELECT id, attempt FROM paymount.deliveries WHERE endpoint_id = $1 ORDER BY id',
        [id],
      );
    const before = await attempts();
    await turn('disabled');
    expect(await applied()).to.deep.equal([
      { pending: 6_000, parked: 2_000 },
      { pending: 4_000, parked: 4_000 },
      { pending: 2_000, parked: 6_000 },
      { parked: BACKLOG },
      { parked: BACKLOG },
    ]);
    expect(await isSettled()).to.equal(true);
    await turn('enabled');
    expect((await applied())[0]).to.deep.equal({ pending: 2_000, parked: 6_000 });
    expect(await states()).to.deep.equal({ pending: BACKLOG });
    expect(await attempts()).to.deep.equal(before);
    await turn('deleted');
    expect((await applied())[0]).to.deep.equal({ pending: 6_000, canceled: 2_000 });
    expect(await states()).to.deep.equal({ canceled: BACKLOG });
    expect(await isSettled()).to.equal(true);
  });

  const spreads = [
    { resumed: 100, lastDueMs: 990 },
    { resumed: 2_000, lastDueMs: 19_990 },
    { resumed: 8_000, lastDueMs: 59_970 },
  ];
  for (const { resumed, lastDueMs } of spreads) {
    it(`are due 10 ms apart when ${resumed} are resumed, within a minute`, async () => {
      await backlog(resumed);
      await turn('disabled');
      await applied();
      await turn('enabled');
      await engine.postgres.deliveries.applyStatuses(STEP);
      const [due] = await engine.query<object>(
        `SELECT count(*)::integer AS rows,
           extract(epoch FROM max(due_at) - min(due_at))::double precision * 1000 AS ms
         FROM paymount.deliveries WHERE endpoint_id = $1 AND state = 'pending'`,
        [id],
      );
      expect(due).to.deep.equal({ rows: Math.min(resumed, STEP), ms: lastDueMs });
    });
  }

  it('begin in the fast lane, without a streak of failures, when it is enabled', async () => {
    const facts = 'lane, failing_since, warning_queued_at, final_warning_queued_at';
    const found = () =>
      engine.query(`SELECT ${facts} FROM paymount.webhook_endpoints WHERE id = $1`, [id]);
    const at = new Date('2026-11-21T12:00:00Z');
    const failing = { failing_since: at, warning_queued_at: at, final_warning_queued_at: at };
    await engine.query(
      `UPDATE paymount.webhook_endpoints SET lane = 'slow', failing_since = $1,
         warning_queued_at = $1, final_warning_queued_at = $1`,
      [at],
    );
    await turn('disabled');
    expect(await found()).to.deep.equal([{ lane: 'slow', ...failing }]);
    await turn('enabled');
    const none = { failing_since: null, warning_queued_at: null, final_warning_queued_at: null };
    expect(await found()).to.deep.equal([{ lane: 'fast', ...none }]);
  });

  it('are parked once a running attempt has ended, and not before', async () => {
    const { deliveries } = engine.postgres;
    const lease = { leaseToken: 'token', leaseMs: 25_000, shiftMs: 0 };
    const claimed = await deliveries.claimDue({
      ...lease,
      lane: 'fast',
      origin: 'event',
      limit: 1,
      cursor: '',
      graceMs: 0,
      excluded: [],
      excludedAccounts: [],
    });
    const [running] = claimed.deliveries;
    if (running === undefined) throw new Error('Nothing was claimed.');
    await turn('disabled');
    await applied();
    expect(await states()).to.deep.equal({ pending: 1 });
    expect(await isSettled()).to.equal(false);
    await deliveries.release('token', [running.id]);
    await applied();
    expect(await states()).to.deep.equal({ parked: 1 });
    expect(await isSettled()).to.equal(true);
  });

  it('follow a status that changes while another worker applies the one before', async () => {
    await backlog(200);
    const { deliveries } = engine.postgres;
    const apply = async () => {
      while (await deliveries.applyStatuses(10));
    };
    await turn('disabled');
    await Promise.all([apply(), apply(), turn('enabled'), apply()]);
    await apply();
    expect(await states()).to.deep.equal({ pending: 200 });
    await turn('disabled');
    await Promise.all([apply(), apply(), turn('deleted'), apply()]);
    await apply();
    expect(await states()).to.deep.equal({ canceled: 200 });
  });

  it('are parked although they were published by a transaction that began before', async () => {
    const { deliveries } = engine.postgres;
    await turn('disabled');
    await applied();
    await engine.query(`UPDATE paymount.deliveries SET state = 'pending'`);
    await applied();
    expect(await states()).to.deep.equal({ pending: 1 });
    await deliveries.recheckStatuses();
    await applied();
    expect(await states()).to.deep.equal({ parked: 1 });
  });

  it('of other endpoints are left alone', async () => {
    await turn('disabled');
    const other = await engine.endpoint('http://127.0.0.1:9/other');
    await engine.publish();
    await applied();
    const rows = await engine.query(
      'SELECT state FROM paymount.deliveries WHERE endpoint_id = $1',
      [other.id],
    );
    expect(rows).to.deep.equal([{ state: 'pending' }]);
  });
});
