import { expect } from 'chai';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { ask } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import { freshDatabase, query, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** The value of one series in a text of metrics; undefined if it is not there. */
function seriesIn(text: string, series: string): string | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line?.slice(series.length + 1);
}

describe('The metrics of a process', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let app: AdminApp;
  let receiver: Receiver;

  const charge = (body: string) =>
    ask(`${app.url}/v1/charges`, { key: app.secretKey, headers: FORM, body });
  const series = async (name: string) => seriesIn((await app.paymount.metrics()).text, name);

  before(async () => {
    database = await freshDatabase();
    proxy = await openTcpProxy(database.url);
    receiver = await startReceiver();
    app = await startAdminApp({ paymount: { database: proxy.url } });
    const endpoint = { url: `${receiver.url}/hook`, enabled_events: ['*'] } as const;
    await app.paymount.webhookEndpoints.create(app.acting, endpoint);
  });
  after(async () => {
    proxy.mend();
    await app.close();
    await receiver.close();
    await proxy.close();
    await database.drop();
  });

  it('count attempts by outcome and error, and how long they took', async () => {
    receiver.script(200, 500);
    for (let nth = 0; nth < 2; nth += 1) {
      expect((await charge('amount=700&currency=eur&source=tok_visa')).status).to.equal(200);
      await app.worker.drain();
    }
    const attempts = 'paymount_delivery_attempts_total';
    expect(await series(`${attempts}{outcome="succeeded",error=""}`)).to.equal('1');
    expect(await series(`${attempts}{outcome="failed",error="http_status"}`)).to.equal('1');
    expect(await series('paymount_delivery_attempt_seconds_count')).to.equal('2');
    expect(await series('paymount_delivery_lag_seconds_count{origin="event"}')).to.equal('2');
    expect(await series('paymount_connections_reused_total')).to.equal('1');
    expect(await series('paymount_deliveries_in_flight{lane="fast"}')).to.equal('0');
  });

  it('count calls to processors, and error responses by code', async () => {
    const calls = 'paymount_processor_calls_total{environment="test",operation="authorize"';
    const approved = Number((await series(`${calls},outcome="approved"}`)) ?? 0);
    await charge('amount=700&currency=eur&source=tok_visa');
    const declined = await charge('amount=700&currency=eur&source=tok_visa_chargeDeclined');
    expect(declined.status).to.equal(402);
    expect((await charge('amount=seven&currency=eur&source=tok_visa')).status).to.equal(400);
    expect(await series(`${calls},outcome="approved"}`)).to.equal(String(approved + 1));
    expect(await series(`${calls},outcome="declined"}`)).to.equal('1');
    const errors = 'paymount_error_responses_total';
    expect(await series(`${errors}{code="card_declined"}`)).to.equal('1');
    expect(await series(`${errors}{code="parameter_invalid_integer"}`)).to.equal('1');
  });

  it('tell the state of the installation', async () => {
    expect(await series('paymount_database_reachable')).to.equal('1');
    const endpoints = async () => {
      const { text } = await app.paymount.metrics();
      return text.split('\n').filter((line) => line.startsWith('paymount_endpoints{'));
    };
    const counts = (fast: number, slow: number) => [
      `paymount_endpoints{status="enabled",lane="fast"} ${fast}`,
      `paymount_endpoints{status="enabled",lane="slow"} ${slow}`,
      'paymount_endpoints{status="disabled",lane="fast"} 0',
      'paymount_endpoints{status="disabled",lane="slow"} 0',
    ];
    expect(await endpoints()).to.deep.equal(counts(1, 0));
    await query(database.url, "UPDATE paymount.webhook_endpoints SET lane = 'slow'");
    expect(await eventually(endpoints, ([first]) => first?.endsWith(' 0') ?? false)).to.deep.equal(
      counts(0, 1),
    );
    expect(await series('paymount_endpoints_failing')).to.equal('0');
    await query(
      database.url,
      "UPDATE paymount.webhook_endpoints SET lane = 'fast', failing_since = now()",
    );
    const failing = () => series('paymount_endpoints_failing');
    expect(await eventually(failing, (value) => value !== '0')).to.equal('1');
    await query(database.url, 'UPDATE paymount.webhook_endpoints SET failing_since = NULL');
    expect(await series('paymount_log_partitions_ahead')).to.equal('7');
    expect(await series('paymount_mails_waiting')).to.equal('0');
    expect(await series('paymount_queue_up')).to.equal(undefined);
  });

  it('are the same in the management API', async () => {
    const { status, headers, text } = await app.admin('/metrics');
    expect(status).to.equal(200);
    expect(headers['content-type']).to.equal((await app.paymount.metrics()).contentType);
    expect(text).to.include('\npaymount_delivery_attempts_total{outcome="succeeded",error=""} ');
  });

  it('leave out what the database cannot tell, and say that it does not answer', async () => {
    proxy.freeze();
    try {
      const { text } = await app.paymount.metrics();
      expect(seriesIn(text, 'paymount_database_reachable')).to.equal('0');
      expect(seriesIn(text, 'paymount_endpoints{status="enabled",lane="fast"}')).to.equal(
        undefined,
      );
      expect(seriesIn(text, 'paymount_deliveries_overdue_seconds{lane="fast"}')).to.equal(
        undefined,
      );
      expect(seriesIn(text, 'paymount_delivery_attempt_seconds_count')).not.to.equal(undefined);
    } finally {
      proxy.mend();
    }
  });

  it('of two mounts in one process are separate', async () => {
    const other = await startAdminApp({ clock: fakeClock() });
    try {
      const attempts = 'paymount_delivery_attempt_seconds_count';
      expect(seriesIn((await other.paymount.metrics()).text, attempts)).to.equal('0');
    } finally {
      await other.close();
    }
  });
});
