import { expect } from 'chai';
import type { ExportBatch, PaymountOptions } from 'paymount';
import { startWorker, type Worker } from 'paymount/worker';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { ask } from '../support/ask.ts';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startHost } from '../support/host.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const DAY = 86_400_000;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const TABLES = ['delivery_attempts', 'deliveries', 'replays', 'events'] as const;

describe('retention.export', () => {
  let app: AdminApp;
  let receiver: Receiver;
  /** Does what is due when a test says so; it is too young to do so by itself. */
  let own: Worker;
  const batches: ExportBatch[] = [];
  let onBatch: (batch: ExportBatch) => Promise<void> = async () => undefined;
  const retention: NonNullable<PaymountOptions['retention']> = {
    eventsDays: 30,
    export: async (batch) => {
      batches.push(batch);
      await onBatch(batch);
    },
  };

  before(async () => {
    receiver = await startReceiver();
    app = await startAdminApp({ paymount: { retention } });
    // Its tasks run again each minute, and would take the leases of a test that has become slow.
    await app.worker.close();
    const endpoint = { url: `${receiver.url}/hook`, enabled_events: ['*'] } as const;
    await app.paymount.webhookEndpoints.create(app.acting, endpoint);
  });
  beforeEach(async () => {
    batches.length = 0;
    onBatch = async () => undefined;
    own = await startWorker(app.paymount);
  });
  afterEach(() => own.close());
  after(async () => {
    await app.close();
    await receiver.close();
  });

  const post = async (path: string, body: string): Promise<void> => {
    const { status } = await ask(app.url + path, { key: app.secretKey, headers: FORM, body });
    expect(status).to.equal(200);
  };
  const charge = (): Promise<void> =>
    post('/v1/charges', 'amount=700&currency=eur&source=tok_visa');
  /** A charge whose event was delivered, and delivered again by a replay. */
  const history = async (): Promise<void> => {
    await charge();
    await own.drain();
    await post('/v1/replays', 'created[gte]=2020-01-01T00:00:00Z');
    await own.drain();
    await own.drain();
  };
  const idsIn = async (table: string): Promise<string[]> => {
    const rows = await query<{ id: string }>(
      app.databaseUrl,
      `SELECT id FROM paymount.${table} ORDER BY id`,
    );
    return rows.map(({ id }) => id);
  };
  const stored = (): Promise<string[][]> => Promise.all(TABLES.map(idsIn));
  const exported = (): string[][] =>
    TABLES.map((table) =>
      batches
        .flatMap((batch) => (batch.table === table ? batch.rows.map(({ id }) => id) : []))
        .toSorted(),
    );
  /** Ages everything, and works until it has left. */
  const age = async (): Promise<void> => {
    app.clock.advance(33 * DAY);
    for (let round = 0; round < 3; round += 1) await own.drain();
  };

  it('gets each row that leaves, and each once', async () => {
    await history();
    const before = await stored();
    expect(before.map((ids) => ids.length)).to.deep.equal([2, 2, 1, 1]);
    const [event] = await query<{ id: string; body: string }>(
      app.databaseUrl,
      'SELECT id, body FROM paymount.events',
    );
    await age();
    expect(exported()).to.deep.equal(before);
    expect(await stored()).to.deep.equal([[], [], [], []]);
    const [row] = batches.find(({ table }) => table === 'events')?.rows ?? [];
    expect(row).to.include({ ...event, type: 'charge.succeeded', livemode: false });
    const [attempt] = batches.find(({ table }) => table === 'delivery_attempts')?.rows ?? [];
    expect(attempt).to.include({ outcome: 'succeeded', response_status: 200 });
    const [replay] = batches.find(({ table }) => table === 'replays')?.rows ?? [];
    expect(replay?.['targets']).to.have.length(1);
  });

  it('keeps everything while it fails, which the health shows, and gets the same batches again', async () => {
    await history();
    const before = await stored();
    onBatch = () => Promise.reject(new Error('The archive is full.'));
    app.clock.advance(33 * DAY);
    const other = await startHost(app, { paymount: { clock: app.clock, retention } });
    const worker = await startWorker(other.paymount);
    try {
      const health = await eventually(
        () => other.paymount.health(),
        (found) => (found.worker?.failing_tasks.length ?? 0) === 2,
      );
      expect(health.worker?.failing_tasks.toSorted()).to.deep.equal([
        'old_attempts',
        'old_deliveries',
      ]);
      expect(health.problems.map(({ code }) => code)).to.deep.equal(['tasks_failing']);
      expect(await stored()).to.deep.equal(before);
      const failed = batches.map(({ id }) => id);
      batches.length = 0;
      onBatch = async () => undefined;
      for (let round = 0; round < 3; round += 1) await worker.drain();
      expect(batches.map(({ id }) => id)).to.include.members(failed);
      expect(exported()).to.deep.equal(before);
      expect(await stored()).to.deep.equal([[], [], [], []]);
      expect((await other.paymount.health()).status).to.equal('ok');
    } finally {
      await worker.close();
      await other.close();
    }
  });

  it('gets the rows again from another worker, if the first ended before it deleted them', async () => {
    await history();
    const before = await stored();
    app.clock.advance(33 * DAY);
    const crashPoint = (name: string): void => {
      if (name === 'export.before_delete') throw new Error('It ends here.');
    };
    const other = await startHost(app, { paymount: { clock: app.clock, retention, crashPoint } });
    const worker = await startWorker(other.paymount);
    await eventually(
      () => new Set(batches.map(({ table }) => table)).size,
      (tables) => tables === 2,
    );
    await worker.close();
    await other.close();
    expect(await stored()).to.deep.equal(before);
    batches.length = 0;
    await own.drain();
    expect(batches, 'while the lease of the other holds').to.deep.equal([]);
    await query(app.databaseUrl, `UPDATE paymount.purges SET lease_until = now() - interval '1 s'`);
    for (let round = 0; round < 3; round += 1) await own.drain();
    expect(exported()).to.deep.equal(before);
    expect(await stored()).to.deep.equal([[], [], [], []]);
  });

  it('is called by one worker at a time, and stops neither deliveries nor other tasks', async () => {
    await history();
    const before = await stored();
    let end: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => {
      end = resolve;
    });
    onBatch = () => slow;
    app.clock.advance(33 * DAY);
    const other = await startHost(app, { paymount: { clock: app.clock, retention } });
    const worker = await startWorker(other.paymount);
    try {
      await eventually(
        () => batches.length,
        (count) => count === 2,
      );
      const sent = receiver.requests.length;
      await charge();
      await receiver.waitFor(sent + 1);
      await own.drain();
      expect(batches).to.have.length(2);
      expect((await stored()).slice(0, 3).map((ids) => ids.length)).to.deep.equal([3, 3, 1]);
      end();
      await worker.drain();
    } finally {
      end();
      await worker.close();
      await other.close();
    }
    for (let round = 0; round < 3; round += 1) await own.drain();
    expect(exported().slice(0, 3)).to.deep.equal(before.slice(0, 3));
  });

  it('gets a long history in batches of at most 500 rows, and an unfinished delivery never', async () => {
    await charge();
    await own.drain();
    await query(
      app.databaseUrl,
      `INSERT INTO paymount.deliveries SELECT r.* FROM
         (SELECT * FROM paymount.deliveries WHERE state = 'succeeded' LIMIT 1) d,
         generate_series(1, 1201) n,
         jsonb_populate_record(NULL::paymount.deliveries, to_jsonb(d) || jsonb_build_object(
           'id', 'dlv_' || lpad(n::text, 26, '0'), 'event_id', 'evt_' || n)
           || CASE WHEN n = 7 THEN '{"state":"pending","finished_at":null,"due_at":"3000-01-01"}'::jsonb
              ELSE '{}' END) r`,
    );
    const attempts = await query<{ name: string }>(
      app.databaseUrl,
      `INSERT INTO paymount.delivery_attempts SELECT r.* FROM
         (SELECT * FROM paymount.delivery_attempts LIMIT 1) a, generate_series(1, 1000) n,
         jsonb_populate_record(NULL::paymount.delivery_attempts, to_jsonb(a) || jsonb_build_object(
           'id', 'att_' || lpad(n::text, 26, '0'))) r RETURNING tableoid::regclass::text AS name`,
    );
    expect(attempts).to.have.length(1000);
    await age();
    const counts = (table: string): number[] =>
      batches.flatMap((batch) => (batch.table === table ? [batch.rows.length] : []));
    expect(counts('deliveries').reduce((sum, count) => sum + count, 0)).to.be.greaterThan(1200);
    expect(counts('delivery_attempts').slice(0, 2)).to.deep.equal([500, 500]);
    expect(Math.max(...batches.map(({ rows }) => rows.length))).to.equal(500);
    expect(await idsIn('deliveries')).to.deep.equal([`dlv_${'7'.padStart(26, '0')}`]);
    expect(await idsIn('delivery_attempts')).to.deep.equal([]);
    expect(new Set(batches.map(({ id }) => id)).size).to.equal(batches.length);
  });
});
