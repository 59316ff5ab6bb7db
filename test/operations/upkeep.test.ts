import { expect } from 'chai';
import { startWorker } from 'paymount/worker';
import pg from 'pg';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { ask } from '../support/ask.ts';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startHost } from '../support/host.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const DAY = 86_400_000;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('The upkeep of a worker', () => {
  let app: AdminApp;
  let receiver: Receiver;
  /** A backup, or an analyst, that reads the log for hours. */
  let reader: pg.Client;

  before(async () => {
    receiver = await startReceiver();
    app = await startAdminApp();
    const endpoint = { url: `${receiver.url}/hook`, enabled_events: ['*'] } as const;
    await app.paymount.webhookEndpoints.create(app.acting, endpoint);
    await app.worker.drain();
    reader = new pg.Client({ connectionString: app.databaseUrl });
    await reader.connect();
    await reader.query('BEGIN; SELECT count(*) FROM paymount.delivery_attempts');
  });
  after(async () => {
    await reader.end();
    await app.close();
    await receiver.close();
  });

  const charge = async (): Promise<void> => {
    const body = 'amount=700&currency=eur&source=tok_visa';
    const { status } = await ask(`${app.url}/v1/charges`, {
      key: app.secretKey,
      headers: FORM,
      body,
    });
    expect(status).to.equal(200);
  };

  it('logs attempts of a day without a partition while somebody reads the log', async () => {
    app.clock.advance(9 * DAY);
    await charge();
    await receiver.waitFor(1);
    await app.worker.drain();
    const day = app.clock.now().toISOString().slice(0, 10).replaceAll('-', '');
    const logged = await query<{ outcome: string }>(
      app.databaseUrl,
      `SELECT outcome FROM paymount.delivery_attempts_${day}`,
    );
    expect(logged.map(({ outcome }) => outcome)).to.deep.equal(['succeeded']);
  });

  it('prepares the next days while somebody reads the log, in a worker that starts', async () => {
    app.clock.advance(20 * DAY);
    const other = await startHost(app, { paymount: { clock: app.clock } });
    const worker = await startWorker(other.paymount);
    try {
      await worker.drain();
      expect((await other.paymount.health()).log_days_ahead).to.equal(7);
    } finally {
      await worker.close();
      await other.close();
    }
  });

  it('deletes attempts 30 days after their day, once nobody reads the log', async () => {
    const days = async (): Promise<number> => {
      const [row] = await query<{ count: number }>(
        app.databaseUrl,
        `SELECT count(*)::integer AS count FROM pg_inherits
         WHERE inhparent = 'paymount.delivery_attempts'::regclass`,
      );
      return row?.count ?? 0;
    };
    const before = await days();
    app.clock.advance(31 * DAY);
    await app.worker.drain();
    const held = await days();
    expect(held).to.equal(before + 8);
    await charge();
    await app.worker.drain();
    await reader.query('COMMIT');
    await app.worker.drain();
    // Those of the last 30 days are left, of which today and the next 7 are new.
    const left = await query<{ name: string }>(
      app.databaseUrl,
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits
       WHERE inhparent = 'paymount.delivery_attempts'::regclass ORDER BY 1`,
    );
    const oldest = new Date(app.clock.now().getTime() - 30 * DAY).toISOString();
    for (const { name } of left) {
      expect(name.slice(-8) >= oldest.slice(0, 10).replaceAll('-', '')).to.equal(true, name);
    }
    expect(left.length).to.be.within(8, held - 1);
  });

  it('that fails stops no delivery, and is shown until it succeeds', async () => {
    await query(
      app.databaseUrl,
      `INSERT INTO paymount.mails (id, dedupe_key, to_address, subject, text, html, created, due_at, sent_at)
       VALUES ('mail_old', 'old', 'a@example.com', 's', 't', 'h', '2020-01-01', '2020-01-01', '2020-01-01');
       CREATE FUNCTION paymount.refuse() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
       CREATE TRIGGER refuse BEFORE DELETE ON paymount.mails
         FOR EACH ROW EXECUTE FUNCTION paymount.refuse()`,
    );
    const other = await startHost(app, { paymount: { clock: app.clock } });
    const worker = await startWorker(other.paymount);
    try {
      const health = await eventually(
        () => other.paymount.health(),
        ({ worker: running }) => (running?.failing_tasks.length ?? 0) > 0,
      );
      expect(health.worker?.failing_tasks).to.deep.equal(['old_mails']);
      expect(health.status).to.equal('degraded');
      expect(health.problems.map(({ code }) => code)).to.deep.equal(['tasks_failing']);
      expect((await other.paymount.metrics()).text).to.include(
        'paymount_scheduled_work_failures_total{task="old_mails"} 1\n',
      );
      const before = receiver.requests.length;
      await charge();
      await receiver.waitFor(before + 1);
      await query(app.databaseUrl, 'DROP TRIGGER refuse ON paymount.mails');
      await worker.drain();
      expect((await other.paymount.health()).status).to.equal('ok');
      expect(await query(app.databaseUrl, 'SELECT FROM paymount.mails')).to.have.length(0);
    } finally {
      await worker.close();
      await other.close();
    }
  });

  it('leaves no event that was delivered to a replay of the undelivered', async () => {
    const before = receiver.requests.length;
    const replay = async (form: string): Promise<{ status: number; text: string }> =>
      ask(`${app.url}/v1/replays`, { key: app.secretKey, headers: FORM, body: form });
    await charge();
    await app.worker.drain();
    await receiver.waitFor(before + 1);
    app.clock.advance(32 * DAY);
    await app.worker.drain();
    const sent = receiver.requests.length;
    const refused = await replay('states[]=undelivered&created[gte]=2020-01-01T00:00:00Z');
    expect(refused.status).to.equal(400);
    expect(JSON.parse(refused.text).error).to.include({
      code: 'parameter_invalid',
      param: 'created[gte]',
      message:
        'created[gte] is more than 30 days ago, and deliveries are not kept longer: send a later ' +
        'time, or leave out `states` to replay all events of that time.',
    });
    expect((await replay('states[]=undelivered')).status).to.equal(200);
    await app.worker.drain();
    expect(receiver.requests).to.have.length(sent);
  });

  it('deletes deliveries 30 days after they finished, and none that waits', async () => {
    const deliveries = async (state: string): Promise<number> => {
      const sql = 'SELECT count(*)::integer AS n FROM paymount.deliveries WHERE state = $1';
      const [row] = await query<{ n: number }>(app.databaseUrl, sql, [state]);
      return row?.n ?? 0;
    };
    await charge();
    await app.worker.drain();
    const finished = await deliveries('succeeded');
    expect(finished).to.be.greaterThan(0);
    app.clock.advance(29 * DAY);
    receiver.otherwise(500);
    await charge();
    await app.worker.drain();
    expect(await deliveries('succeeded')).to.be.within(1, finished);
    // More than one batch deletes.
    await query(
      app.databaseUrl,
      `INSERT INTO paymount.deliveries SELECT r.* FROM
         (SELECT * FROM paymount.deliveries WHERE state = 'succeeded' LIMIT 1) d,
         generate_series(1, 5001) n,
         jsonb_populate_record(NULL::paymount.deliveries, to_jsonb(d) || jsonb_build_object(
           'id', 'dlv_' || lpad(n::text, 26, '0'), 'event_id', 'evt_' || n)) r`,
    );
    app.clock.advance(2 * DAY);
    await app.worker.drain();
    expect([await deliveries('succeeded'), await deliveries('pending')]).to.deep.equal([0, 1]);
    expect((await app.paymount.metrics()).text).to.match(
      /^paymount_purged_rows_total\{table="deliveries"\} [1-9]/m,
    );
  });

  it('renames a table that has the name of a coming day', async () => {
    const day = new Date(app.clock.now().getTime() + 9 * DAY).toISOString().slice(0, 10);
    const name = `delivery_attempts_${day.replaceAll('-', '')}`;
    await query(app.databaseUrl, `CREATE TABLE paymount.${name} (kept text)`);
    app.clock.advance(3 * DAY);
    await app.worker.drain();
    const attached = await query<{ name: string }>(
      app.databaseUrl,
      `SELECT relname AS name FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
       WHERE relkind = 'r' AND relname LIKE $1`,
      [`${name}%`],
    );
    expect(attached).to.deep.equal([{ name }]);
    expect(await query(app.databaseUrl, `SELECT kept FROM paymount.${name}_kept`)).to.have.length(
      0,
    );
  });
});
