import { expect } from 'chai';
import pg from 'pg';
import { type BacklogSetup, openBacklogSetup } from '../../support/backlog-setup.ts';

const BATCH = 10_000;
const MINUTE_MS = 60_000;
/** Longer than a row may take to commit and be found at once. */
const STEP_MS = 10_000;

describe('What a claim costs while an old snapshot is open', function () {
  this.timeout(40_000);
  let setup: BacklogSetup;
  let reader: pg.Client;

  before(async () => {
    setup = await openBacklogSetup({ endpoints: 20, events: BATCH });
    reader = new pg.Client({ connectionString: setup.databaseUrl });
    await reader.connect();
    // As a dump does: what other transactions end from here on stays in tables and indexes.
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await reader.query('SELECT count(*) FROM paymount.deliveries');
  });
  after(async () => {
    await reader.end();
    await setup.close();
  });

  /** Deliveries due at this time, to the last endpoint. */
  async function insert(name: string, count: number, shiftMs: number): Promise<void> {
    await setup.query(
      `INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id, event_type,
         origin, state, attempt, due_at, created)
       SELECT $1, false, $2 || n, 'evt_' || lpad((n - 1)::text, 26, '0'),
         'we_' || lpad('19', 26, '0'), 'charge.succeeded', $5, 'pending', 1,
         now() + $4 * interval '1 ms' + n * interval '1 microsecond', now()
       FROM generate_series(1, $3::integer) n`,
      [setup.owner.accountId, `dlv_${name}`, count, shiftMs, 'event'],
    );
  }

  const claim = (shiftMs: number) =>
    setup.postgres.deliveries.claimDue({
      shiftMs,
      origin: 'event',
      limit: 128,
      leaseToken: 'explained',
      leaseMs: 25_000,
      lane: 'fast',
      cursor: '',
      excluded: [],
      excludedAccounts: [],
      graceMs: 0,
    });

  it('is that of what is pending, however many have ended since then', async () => {
    await claim(0);
    for (const round of [1, 2]) {
      const shiftMs = round * STEP_MS;
      await insert(`round${round}_`, BATCH, shiftMs);
      await setup.query(
        `UPDATE paymount.deliveries SET state = 'succeeded', finished_at = now()
         WHERE state = 'pending'`,
      );
      await setup.query('DELETE FROM paymount.deliveries');
      await claim(shiftMs + 1);
    }
    const shiftMs = 2 * STEP_MS + STEP_MS / 2 + 100;
    await insert('fresh', 1, shiftMs);
    // Passes what has ended since the last claim.
    expect((await claim(shiftMs + 1)).deliveries).to.have.length(1);
    await setup.query('DELETE FROM paymount.deliveries');
    await insert('next', 1, shiftMs + 2);
    const explained = await setup.explain(() => claim(shiftMs + 3));
    const overdue = await setup.explain(() => setup.postgres.deliveries.overdueMs(shiftMs + 3));
    for (const { name, blocks, plan } of [...explained, ...overdue]) {
      expect(blocks, `${name}: ${plan}`).to.be.below(100);
    }
    // The same without what the process remembers.
    const [all] = await setup.explain(() => claim(shiftMs + MINUTE_MS));
    expect(all?.blocks).to.be.above(500);
  });

  it('finds within half a minute what a long transaction committed with an older due time', async () => {
    await setup.query('DELETE FROM paymount.deliveries');
    const shiftMs = 10 * MINUTE_MS;
    expect((await claim(shiftMs)).deliveries).to.be.empty;
    await insert('late', 1, shiftMs - MINUTE_MS);
    expect((await claim(shiftMs + 1_000)).deliveries).to.be.empty;
    const found = await claim(shiftMs + 31_000);
    expect(found.deliveries.map(({ id }) => id)).to.deep.equal(['dlv_late1']);
  });
});
