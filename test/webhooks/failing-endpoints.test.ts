import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { type FailingSetup, startFailingSetup } from './failing-setup.ts';

const WARNING = 'A test webhook endpoint of Test shop is failing';
const FINAL_WARNING = 'A test webhook endpoint of Test shop will be disabled soon';
const MONITOR = new URL('../../docs/how-to/monitor.md', import.meta.url);
const DISABLED = 'A test webhook endpoint of Test shop was disabled';

describe('An endpoint that fails', () => {
  let setup: FailingSetup;

  beforeEach(async () => {
    setup = await startFailingSetup();
    setup.receiver.otherwise(500);
  });
  afterEach(() => setup.close());

  const status = async (hook: string) => {
    const { status, disabled_reason, disabled_at, failing_since } = await setup.endpoint(hook);
    return { status, disabled_reason, disabled_at, failing_since };
  };

  it('is disabled at 72:00:01, and not at 71:59:59, after warnings at 24 and 60 hours', async () => {
    const hook = await setup.register();
    await setup.fail();
    const since = '2026-11-21T12:00:00.000Z';
    const failing = { status: 'enabled', disabled_reason: null, disabled_at: null };
    expect(await status(hook)).to.deep.equal({ ...failing, failing_since: since });
    setup.at(23, 59, 59);
    await setup.fail();
    expect(setup.subjects()).to.deep.equal([]);
    setup.at(24, 0, 1);
    await setup.fail();
    expect(setup.subjects()).to.deep.equal([WARNING]);
    setup.at(59, 59, 59);
    await setup.fail();
    expect(setup.subjects()).to.deep.equal([WARNING]);
    setup.at(60, 0, 1);
    await setup.fail();
    setup.at(71, 59, 59);
    await setup.fail();
    expect(setup.subjects()).to.deep.equal([WARNING, FINAL_WARNING]);
    expect(await status(hook)).to.deep.equal({ ...failing, failing_since: since });
    setup.at(72, 0, 1);
    await setup.fail();
    expect(await status(hook)).to.deep.equal({
      status: 'disabled',
      disabled_reason: 'failing',
      disabled_at: '2026-11-24T12:00:01.000Z',
      failing_since: since,
    });
    expect(setup.subjects()).to.deep.equal([WARNING, FINAL_WARNING, DISABLED]);
    expect(setup.inbox.mails.map(({ to }) => to)).to.deep.equal(
      Array(3).fill(['owner@shop.example']),
    );
    const states = await setup.sql('SELECT DISTINCT state FROM paymount.deliveries');
    expect(states).to.deep.equal([{ state: 'parked' }]);
    setup.at(100);
    const before = setup.receiver.requests.length;
    await setup.fail();
    expect(setup.receiver.requests).to.have.length(before);
    expect(setup.subjects()).to.have.length(3);
  });

  it('is disabled by the last attempt of a lone event, warned by the one before', async () => {
    const hook = await setup.register();
    await setup.fail();
    const seen: [attempt: number, hours: number, subjects: number][] = [];
    for (let attempt = 2; attempt <= 8; attempt += 1) {
      const [row] = await setup.sql<{ due_at: Date }>('SELECT due_at FROM paymount.deliveries');
      const leftMs = (row?.due_at.getTime() ?? 0) - setup.clock.now().getTime();
      // The database's time, which the due date is compared with, is not the clock's to the millisecond.
      setup.clock.advance(leftMs + 5_000);
      await setup.drain();
      const hours = (setup.clock.now().getTime() - Date.parse('2026-11-21T12:00:00Z')) / 3_600_000;
      seen.push([setup.receiver.requests.length, Math.floor(hours), setup.subjects().length]);
    }
    expect(seen).to.deep.equal([
      [2, 0, 0],
      [3, 0, 0],
      [4, 2, 0],
      [5, 8, 0],
      [6, 20, 0],
      [7, 44, 1],
      [8, 92, 2],
    ]);
    expect(setup.subjects()).to.deep.equal([WARNING, DISABLED]);
    expect(await status(hook)).to.include({ status: 'disabled', disabled_reason: 'failing' });
    const [delivery] = await setup.sql('SELECT state, attempt FROM paymount.deliveries');
    expect(delivery).to.deep.equal({ state: 'failed', attempt: 8 });
  });

  it('is disabled by the last attempt of a lone event even if Retry-After has doubled each wait', async () => {
    const hook = await setup.register();
    // Longer than twice the longest wait.
    const later = { status: 503, headers: { 'retry-after': '999999' } };
    setup.receiver.otherwise(later);
    await setup.fail();
    const seen: [attempt: number, hours: number, status: string][] = [];
    for (let attempt = 2; attempt <= 8; attempt += 1) {
      const [row] = await setup.sql<{ due_at: Date }>('SELECT due_at FROM paymount.deliveries');
      const leftMs = (row?.due_at.getTime() ?? 0) - setup.clock.now().getTime();
      setup.clock.advance(leftMs + 5_000);
      await setup.drain();
      const hours = (setup.clock.now().getTime() - Date.parse('2026-11-21T12:00:00Z')) / 3_600_000;
      seen.push([setup.receiver.requests.length, Math.floor(hours), (await status(hook)).status]);
    }
    // The seventh attempt comes after 72 hours, and 48 hours after the warning.
    expect(seen).to.deep.equal([
      [2, 0, 'enabled'],
      [3, 1, 'enabled'],
      [4, 5, 'enabled'],
      [5, 17, 'enabled'],
      [6, 41, 'enabled'],
      [7, 89, 'enabled'],
      [8, 185, 'disabled'],
    ]);
    expect(setup.subjects()).to.deep.equal([WARNING, FINAL_WARNING, DISABLED]);
    const [delivery] = await setup.sql('SELECT state, attempt FROM paymount.deliveries');
    expect(delivery).to.deep.equal({ state: 'failed', attempt: 8 });
  });

  it('begins a new streak with another URL, whatever the one before answered', async () => {
    const hook = await setup.register();
    await setup.fail();
    setup.at(25);
    await setup.fail();
    expect(setup.subjects()).to.deep.equal([WARNING]);
    setup.at(71);
    await setup.sql("UPDATE paymount.webhook_endpoints SET lane = 'slow'");
    const url = `${setup.receiver.url}/repaired`;
    const updated = await setup.update(hook, { url });
    expect(updated).to.include({ url, failing_since: null });
    expect(await setup.sql('SELECT lane FROM paymount.webhook_endpoints')).to.deep.equal([
      { lane: 'fast' },
    ]);
    setup.at(73);
    await setup.fail();
    expect(await status(hook)).to.include({
      status: 'enabled',
      failing_since: '2026-11-24T13:00:00.000Z',
    });
    expect(setup.subjects(), 'no other mail').to.deep.equal([WARNING]);
    // The same URL again changes nothing.
    expect(await setup.update(hook, { url })).to.include({
      failing_since: '2026-11-24T13:00:00.000Z',
    });
    setup.at(97, 0, 1);
    await setup.fail();
    expect(setup.subjects()).to.deep.equal([WARNING, WARNING]);
  });

  it('is never disabled with one success per 72 hours', async () => {
    const hook = await setup.register();
    for (let day = 0; day < 12; day += 1) {
      setup.receiver.otherwise(day % 3 === 2 ? 200 : 500);
      setup.at(24 * day);
      await setup.fail();
      setup.receiver.otherwise(500);
      setup.at(24 * day, 0, 1);
      await setup.fail();
    }
    expect(await status(hook)).to.include({ status: 'enabled' });
    expect(setup.subjects().filter((subject) => subject === DISABLED)).to.deep.equal([]);
    setup.receiver.otherwise(200);
    await setup.fail();
    expect(await status(hook)).to.include({ status: 'enabled', failing_since: null });
  });

  it('is warned first, and disabled 12 hours later at the earliest, however long it fails', async () => {
    const hook = await setup.register();
    await setup.fail();
    setup.at(200);
    await setup.fail();
    expect(setup.subjects()).to.deep.equal([WARNING]);
    setup.at(211, 59, 59);
    await setup.fail();
    expect(await status(hook)).to.include({ status: 'enabled' });
    setup.at(212, 0, 1);
    await setup.fail();
    expect(await status(hook)).to.include({ status: 'disabled' });
    expect(setup.subjects()).to.deep.equal([WARNING, DISABLED]);
  });

  it('is disabled unwarned only after a mail server refused the warning for 24 hours', async () => {
    const hook = await setup.register();
    await setup.fail();
    setup.inbox.refuse(Number.POSITIVE_INFINITY);
    setup.at(50);
    await setup.fail();
    setup.at(85, 59, 59);
    await setup.fail();
    expect(await status(hook)).to.include({ status: 'enabled' });
    expect(setup.log.text()).not.to.include('although its warning could not be sent');
    setup.at(86, 0, 1);
    await setup.fail();
    expect(await status(hook)).to.include({ status: 'disabled' });
    expect(setup.log.text()).to.include(
      'An endpoint was disabled although its warning could not be sent.',
    );
  });

  it('has the operator told by the health if mails about it cannot be sent, and how to settle it', async () => {
    const mailProblems = async () => {
      const { problems, mails } = await setup.paymount.health();
      const codes = problems.map(({ code }) => code).filter((code) => code.startsWith('mails_'));
      return { codes, mails };
    };
    await setup.register();
    await setup.fail();
    setup.inbox.refuse(Number.POSITIVE_INFINITY);
    setup.at(24);
    await setup.fail();
    expect(await mailProblems()).to.deep.equal({
      codes: [],
      mails: { waiting: 1, oldest_ms: 0, given_up: 0 },
    });
    // While it waits for its next try, which is up to 6 hours away.
    setup.at(26, 0, 1);
    expect((await mailProblems()).codes).to.deep.equal(['mails_late']);
    for (let tries = 2; tries <= 10; tries += 1) {
      const [mail] = await setup.sql<{ due_at: Date }>('SELECT due_at FROM paymount.mails');
      const leftMs = (mail?.due_at.getTime() ?? 0) - setup.clock.now().getTime();
      setup.clock.advance(Math.max(leftMs, 0));
      await setup.drain();
    }
    const given = { waiting: 0, oldest_ms: null, given_up: 1 };
    expect(await mailProblems()).to.deep.equal({ codes: ['mails_given_up'], mails: given });
    const page = await readFile(MONITOR, 'utf8');
    const [list = '', again = ''] = [...page.matchAll(/```sql\n(.+?)```/gs)].map(([, sql]) => sql);
    const [unsent] = await setup.sql<{ last_error: string }>(list);
    expect(unsent).to.include({ to_address: 'owner@shop.example', subject: WARNING });
    expect(unsent?.last_error).to.include('451');
    setup.inbox.refuse(0);
    await setup.sql(again);
    await setup.drain();
    expect(setup.subjects()).to.deep.equal([WARNING]);
    expect(await mailProblems()).to.deep.equal({ codes: [], mails: { ...given, given_up: 0 } });
  });

  it('has its owner told in plain words what fails, and what to do', async () => {
    const hook = await setup.register();
    const { account } = setup;
    await setup.fail();
    setup.at(30);
    await setup.fail();
    setup.at(80);
    setup.receiver.otherwise('reset');
    await setup.fail();
    const [warning, disabled] = setup.inbox.mails.map(({ email }) => email.text?.trim());
    expect(
      warning,
    ).to.equal(`No delivery to a webhook endpoint of Test shop has succeeded for more than a day.

- Endpoint: ${hook}
- URL: ${setup.receiver.url}/hook
- Environment: test
- Failing since: 21 November 2026, 12:00 UTC
- Last failure: it answered with status 500

Paymount continues to retry. If every delivery fails until then, it disables the endpoint, at the earliest on 24 November 2026, 12:00 UTC.

Please make your server answer deliveries with a status of 200 to 299 within 20 seconds. One successful delivery is enough: then the endpoint is no longer considered failing.

If you no longer need the endpoint, delete it: DELETE /v1/webhook_endpoints/${hook}

Account name: Test shop`);
    expect(disabled).to.include('because no delivery to it has succeeded for more than 72 hours.');
    expect(disabled).to.include('Last failure: no answer (connection)');
    const audit = await setup.sql(
      `SELECT actor_type, actor_id, via, action, target, before, after FROM paymount.audit_log
       WHERE account_id = $1 AND target = $2 AND action <> 'endpoint.create'`,
      [account, hook],
    );
    const facts = {
      url: `${setup.receiver.url}/hook`,
      url_hash: createHash('sha256')
        .update(`${setup.receiver.url}/hook?token=hidden`)
        .digest('hex')
        .slice(0, 12),
      url_set_by: { type: 'host', id: 'host' },
      enabled_events: ['*'],
      description: null,
      secret_version: 1,
    };
    expect(audit).to.deep.equal([
      {
        actor_type: 'system',
        actor_id: 'paymount',
        via: 'worker',
        action: 'endpoint.disable',
        target: hook,
        before: { ...facts, status: 'enabled' },
        after: { ...facts, status: 'disabled', disabled_reason: 'failing' },
      },
    ]);
  });

  it('begins anew when it is enabled', async () => {
    const hook = await setup.register();
    await setup.fail();
    setup.at(24);
    await setup.fail();
    setup.at(72);
    await setup.fail();
    expect(await status(hook)).to.include({ status: 'disabled' });
    await setup.enable(hook);
    const enabled = { status: 'enabled', disabled_reason: null, disabled_at: null };
    expect(await status(hook)).to.deep.equal({ ...enabled, failing_since: null });
    setup.at(73);
    await setup.fail();
    expect(await status(hook)).to.deep.equal({
      ...enabled,
      failing_since: '2026-11-24T13:00:00.000Z',
    });
    setup.at(73 + 24);
    await setup.fail();
    expect(setup.subjects()).to.deep.equal([WARNING, DISABLED, WARNING]);
  });

  it('costs nothing while it is healthy: no write of its row', async () => {
    setup.receiver.otherwise(200);
    const hook = await setup.register();
    const row = () =>
      setup.sql('SELECT xmin::text, ctid::text FROM paymount.webhook_endpoints WHERE id = $1', [
        hook,
      ]);
    await setup.fail();
    const before = await row();
    await setup.fail();
    expect(await row()).to.deep.equal(before);
    setup.receiver.otherwise(500);
    await setup.fail();
    const failing = await row();
    expect(failing).not.to.deep.equal(before);
    await setup.fail();
    expect(await row()).to.deep.equal(failing);
  });
});

describe('An endpoint that answers 410 Gone', () => {
  let setup: FailingSetup;

  afterEach(() => setup.close());

  it('is retried like after any other failure', async () => {
    setup = await startFailingSetup();
    setup.receiver.otherwise(410);
    const hook = await setup.register();
    await setup.fail();
    expect(await setup.endpoint(hook)).to.include({ status: 'enabled', disabled_reason: null });
    const [delivery] = await setup.sql('SELECT state, attempt FROM paymount.deliveries');
    expect(delivery).to.deep.equal({ state: 'pending', attempt: 2 });
    expect(setup.subjects()).to.deep.equal([]);
  });

  it('is disabled at once with disableOnGone, with an e-mail, and its delivery waits', async () => {
    setup = await startFailingSetup({ disableOnGone: true });
    setup.receiver.otherwise(410);
    const hook = await setup.register();
    await setup.fail();
    expect(await setup.endpoint(hook)).to.include({
      status: 'disabled',
      disabled_reason: 'gone',
      disabled_at: '2026-11-21T12:00:00.000Z',
    });
    expect(setup.subjects()).to.deep.equal([DISABLED]);
    expect(setup.inbox.mails[0]?.email.text).to.include('because it answered 410 Gone.');
    const delivery = () => setup.sql('SELECT state, attempt FROM paymount.deliveries');
    expect(await delivery()).to.deep.equal([{ state: 'parked', attempt: 2 }]);
    setup.receiver.otherwise(200);
    await setup.enable(hook);
    await setup.drain();
    setup.at(0, 1);
    await setup.drain();
    expect(await delivery()).to.deep.equal([{ state: 'succeeded', attempt: 2 }]);
    expect(await setup.endpoint(hook)).to.include({ status: 'enabled', failing_since: null });
  });

  it('stays enabled if its URL was changed before the answer came', async () => {
    setup = await startFailingSetup({ disableOnGone: true });
    const hook = await setup.register();
    const url = `${setup.receiver.url}/moved`;
    setup.receiver.script(async () => {
      await setup.paymount.webhookEndpoints.update(setup.acting, hook, { url });
      return 410;
    });
    await setup.fail();
    expect(await setup.endpoint(hook)).to.include({
      status: 'enabled',
      disabled_reason: null,
      url,
    });
    expect(setup.subjects()).to.deep.equal([]);
    setup.receiver.otherwise(410);
    await setup.fail();
    expect(await setup.endpoint(hook)).to.include({ status: 'disabled', disabled_reason: 'gone' });
  });

  it('is reported in the log if there is nobody to write to', async () => {
    const to = () => setup.inbox.mails.flatMap((mail) => mail.to);
    const alarm = 'No mail about a failing endpoint can be sent: there is no valid address.';
    setup = await startFailingSetup({ disableOnGone: true }, null);
    setup.receiver.otherwise(410);
    const hook = await setup.register();
    await setup.fail();
    expect(await setup.endpoint(hook)).to.include({ status: 'disabled', disabled_reason: 'gone' });
    expect(to()).to.deep.equal([]);
    expect(setup.log.text()).to.include(alarm);
  });
});

describe('Enabling an endpoint', () => {
  let setup: FailingSetup;

  before(async () => {
    setup = await startFailingSetup();
  });
  after(() => setup.close());

  it('says how many deliveries continue and how many events were missed', async () => {
    const { acting, paymount, account, receiver } = setup;
    const sale = { amount: 100, currency: 'eur', payment_method: 'pm_card_visa' };
    receiver.otherwise(500);
    const id = await setup.register();
    await setup.fail();
    await setup.fail();
    setup.at(1);
    await paymount.webhookEndpoints.update(acting, id, { disabled: true });
    for (let count = 0; count < 3; count += 1) await paymount.charges.create(acting, sale);
    await setup.drain();
    expect(receiver.requests).to.have.length(2);
    receiver.otherwise(200);
    setup.at(2);
    expect(await setup.enable(id)).to.include({
      status: 'enabled',
      resuming: 2,
      missed: 3,
      missed_since: '2026-11-21T12:59:00.000Z',
    });
    expect(await setup.endpoint(id)).not.to.have.any.keys('resuming', 'missed', 'missed_since');
    await setup.drain();
    setup.at(2, 1);
    await setup.drain();
    const attempts = receiver.requests.slice(2).map(({ headers }) => headers['service-attempt']);
    expect(attempts).to.deep.equal(['2', '2']);
    expect(await setup.enable(id)).not.to.have.any.keys('resuming', 'missed', 'missed_since');
    const states = await setup.sql(
      `SELECT state, count(*)::integer AS count FROM paymount.deliveries WHERE account_id = $1
       GROUP BY 1 ORDER BY 1`,
      [account],
    );
    expect(states).to.deep.equal([
      { state: 'skipped', count: 3 },
      { state: 'succeeded', count: 2 },
    ]);
  });
});
