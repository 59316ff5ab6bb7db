import { expect } from 'chai';
import type { PaymountOptions } from 'paymount';
import { startWorker } from 'paymount/worker';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { ask, type Reply } from '../support/ask.ts';
import { query } from '../support/database.ts';
import { startHost } from '../support/host.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const KEPT: Partial<PaymountOptions> = { retention: { eventsDays: 30 } };

describe('A worker with retention.eventsDays', () => {
  let app: AdminApp;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    app = await startAdminApp({ paymount: KEPT });
  });
  after(async () => {
    await app.close();
    await receiver.close();
  });

  const get = (path: string): Promise<Reply> => ask(app.url + path, { key: app.secretKey });
  const charge = async (): Promise<{ id: string; event: string }> => {
    const body = 'amount=700&currency=eur&source=tok_visa';
    const made = await ask(`${app.url}/v1/charges`, { key: app.secretKey, headers: FORM, body });
    const { id } = JSON.parse(made.text) as { id: string };
    const listed = await get(`/v1/events?object_id=${id}`);
    const { data } = JSON.parse(listed.text) as { data: { id: string }[] };
    return { id, event: data[0]?.id ?? '' };
  };
  const statusOf = async (event: string): Promise<number> =>
    (await get(`/v1/events/${event}`)).status;

  it('deletes an event an hour after its days are over, and not before', async () => {
    const { id, event } = await charge();
    app.clock.advance(30 * DAY + HOUR - MINUTE);
    await app.worker.drain();
    expect(await statusOf(event)).to.equal(200);
    app.clock.advance(2 * MINUTE);
    await app.worker.drain();
    const gone = await get(`/v1/events/${event}`);
    expect([
      gone.status,
      (JSON.parse(gone.text) as { error: { code: string } }).error.code,
    ]).to.deep.equal([404, 'resource_missing']);
    expect((await get(`/v1/charges/${id}`)).status).to.equal(200);
    expect((await app.paymount.metrics()).text).to.include(
      'paymount_purged_rows_total{table="events"} 1\n',
    );
  });

  it('refuses a deleted event as a cursor, and a replay of it', async () => {
    const { event } = await charge();
    app.clock.advance(31 * DAY);
    await app.worker.drain();
    const listed = await get(`/v1/events?starting_after=${event}`);
    expect([listed.status, listed.text.includes('"invalid_cursor"')]).to.deep.equal([400, true]);
    const replayed = await ask(`${app.url}/v1/events/${event}/replay`, {
      key: app.secretKey,
      headers: FORM,
      body: '',
    });
    expect(replayed.status).to.equal(404);
  });

  it('leaves data that verify finds whole, and finds what is missing since', async () => {
    expect(await app.paymount.verify()).to.deep.equal([]);
    const { id } = await charge();
    expect(await app.paymount.verify()).to.deep.equal([]);
    await query(app.databaseUrl, 'DELETE FROM paymount.events WHERE object_id = $1', [id]);
    const found = await app.paymount.verify();
    expect(
      found.map(({ subject, expected, found: count }) => [subject, expected, count]),
    ).to.deep.equal([[id, '1', '0']]);
    await query(
      app.databaseUrl,
      `UPDATE paymount.charges SET created = created - interval '40 days' WHERE id = $1`,
      [id],
    );
  });

  it('keeps an event while a delivery of it waits, and its delivery 30 days longer', async () => {
    const endpoint = { url: `${receiver.url}/hook`, enabled_events: ['*'] } as const;
    const { id } = await app.paymount.webhookEndpoints.create(app.acting, endpoint);
    receiver.otherwise(500);
    const { event } = await charge();
    await app.worker.drain();
    await app.paymount.webhookEndpoints.update(app.acting, id, { disabled: true });
    await app.worker.drain();
    app.clock.advance(90 * DAY);
    await app.worker.drain();
    expect(await statusOf(event)).to.equal(200);
    receiver.otherwise(200);
    await app.paymount.webhookEndpoints.update(app.acting, id, { disabled: false });
    app.clock.advance(HOUR);
    await app.worker.drain();
    app.clock.advance(30 * DAY);
    await app.worker.drain();
    expect(await statusOf(event)).to.equal(200);
    app.clock.advance(2 * HOUR);
    await app.worker.drain();
    await app.worker.drain();
    expect(await statusOf(event)).to.equal(404);
  });

  it('walks through a long history with two workers, and deletes no young event', async () => {
    await query(
      app.databaseUrl,
      `INSERT INTO paymount.events (id, account_id, livemode, type, api_version, created, object_id,
         object_version, body, source)
       SELECT 'evt_' || lpad(n::text, 26, '0'), a.id, n % 2 = 0, 'payout.paid', '2026-11-01',
         CASE WHEN n % 10 = 0 THEN now() + interval '1000 days' ELSE '2020-01-01' END, 'po_' || n, 1,
         '{}', 'api'
       FROM generate_series(1, 10001) n, (SELECT id FROM paymount.accounts LIMIT 1) a`,
    );
    const other = await startHost(app, { paymount: { clock: app.clock, ...KEPT } });
    const worker = await startWorker(other.paymount);
    try {
      await Promise.all([app.worker.drain(), worker.drain()]);
    } finally {
      await worker.close();
      await other.close();
    }
    // One of them found the other at work, and one was closed.
    await app.worker.drain();
    const left = await query<{ n: number }>(
      app.databaseUrl,
      `SELECT count(*)::integer AS n FROM paymount.events WHERE object_id LIKE 'po\\_%'`,
    );
    expect(left).to.deep.equal([{ n: 1000 }]);
  });

  it('keeps events for ever without the option, and with null', async () => {
    for (const retention of [{}, { eventsDays: null }]) {
      const kept = await startAdminApp({ paymount: { retention } });
      try {
        const body = 'amount=700&currency=eur&source=tok_visa';
        await ask(`${kept.url}/v1/charges`, { key: kept.secretKey, headers: FORM, body });
        kept.clock.advance(4_000 * DAY);
        await kept.worker.drain();
        const left = await query(kept.databaseUrl, 'SELECT FROM paymount.events');
        expect(left).to.have.length(1);
      } finally {
        await kept.close();
      }
    }
  });
});
