import { newId } from '@paymount/core/kernel';
import { expect } from 'chai';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { ask, postJson, type Reply } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { query, withClient } from '../support/database.ts';
import { fakeLogin } from '../support/fake-login.ts';
import { LiveBank } from '../support/live-bank.ts';
import { type DashboardSetup, MOUNT, openDashboard } from './dashboard-setup.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OWNER = 'owner@shop.test';

interface SentMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

describe('Payouts in live to a new destination', function () {
  this.timeout(60_000);
  let app: AdminApp;
  let clock: FakeClock;
  let dashboard: DashboardSetup;
  let mails: SentMail[];
  let sent: string[];
  let first: string;
  let firstMail: SentMail | undefined;
  let live: LiveBank;
  let pay: LiveBank['payout'];

  beforeEach(async () => {
    clock = fakeClock();
    mails = [];
    sent = [];
    live = new LiveBank(clock);
    const answer = live.payout.bind(live);
    pay = (operation) => {
      sent.push(operation.destination.accountNumber.slice(-4));
      return answer(operation);
    };
    live.payout = pay;
    app = await startAdminApp({
      environment: 'live',
      clock,
      paymount: {
        processors: { live },
        mailer: { send: async (mail) => void mails.push(mail) },
        mail: { dashboardUrl: 'https://shop.test/dashboard' },
      },
    });
    const login = fakeLogin();
    const { identity } = login;
    app.app.use(MOUNT, app.paymount.dashboardRouter({ identity, requireTls: false }));
    dashboard = openDashboard(app, { clock, login });
    await app.paymount.accounts.update(app.account, { email: OWNER });
    const card = { type: 'card', card: { token: 'tok_visa' } } as const;
    const method = await app.paymount.paymentMethods.create(app.acting, card);
    const sale = { amount: 100_000, currency: 'eur', payment_method: method.id };
    await app.paymount.charges.create(app.acting, sale);
    first = String((await addBank()).json['id']);
    await pass(3 * DAY_MS);
    firstMail = mails.find(({ subject }) => subject.includes('EUR'));
    mails.length = 0;
  });
  afterEach(async () => {
    expect(await app.paymount.verify()).to.deep.equal([]);
    await app.close();
  });

  const post = (path: string, body: object = {}): Promise<Reply> =>
    postJson(app.url + path, body, { key: app.secretKey });
  const get = (path: string): Promise<Reply> => ask(app.url + path, { key: app.secretKey });
  const bankPath = (id = '') => `/v1/accounts/${app.account}/external_accounts${id && `/${id}`}`;
  const addBank = (more: object = {}): Promise<Reply> =>
    post(bankPath(), { external_account: 'btok_us', ...more });
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await app.worker.drain();
  };
  const payOut = async (destination?: string): Promise<string> => {
    const asked = { amount: 1_000, currency: 'eur', ...(destination && { destination }) };
    const made = await post('/v1/payouts', asked);
    expect([made.status, made.json['status']], made.text).to.deep.equal([200, 'pending']);
    return String(made.json['id']);
  };
  const statusOf = async (payout: string) => (await get(`/v1/payouts/${payout}`)).json['status'];
  const confirm = (cookie: string, id: string): Promise<Reply> =>
    dashboard.call(cookie, `/bank_accounts/${id}/confirm`, { environment: 'live', body: {} });
  const audit = () =>
    query(
      app.databaseUrl,
      `SELECT actor_type, action, target FROM paymount.audit_log
        WHERE action LIKE 'bank_account.%' AND target <> $1 ORDER BY seq`,
      [first],
    );

  it('wait for a day, and go at once to one that was there before', async () => {
    const second = String((await addBank()).json['id']);
    const held = String((await get(bankPath(second))).json['payouts_held_until']);
    expect(Date.parse(held) - clock.now().getTime()).to.be.within(DAY_MS - 60_000, DAY_MS);
    const waiting = await payOut(second);
    const free = await payOut();
    await pass(11_000);
    expect([await statusOf(waiting), sent.length]).to.deep.equal(['pending', 1]);
    expect(await statusOf(free)).to.not.equal('pending');
    await pass(DAY_MS - 2 * 60_000);
    expect(await statusOf(waiting)).to.equal('pending');
    await pass(3 * 60_000);
    expect([(await statusOf(waiting)) === 'pending', sent.length]).to.deep.equal([false, 2]);
  });

  it('wait when an old bank account becomes the default, even if they were accepted before', async () => {
    const second = String((await addBank()).json['id']);
    await pass(2 * DAY_MS);
    mails.length = 0;
    const accepted = await payOut(second);
    const moved = await post(bankPath(second), { default_for_currency: true });
    expect(moved.json['payouts_held_until']).to.be.a('string');
    await pass(11_000);
    expect([await statusOf(accepted), sent.length]).to.deep.equal(['pending', 0]);
    expect((await post(`/v1/payouts/${accepted}/cancel`)).json['status']).to.equal('canceled');
    await app.worker.drain();
    expect(mails.map(({ to, subject }) => [to, subject])).to.deep.equal([
      [OWNER, 'Live payouts in EUR go to another bank account'],
    ]);
  });

  it('are told to the owner, with who did it and what to do, and are in the audit log', async () => {
    const added = String((await addBank({ default_for_currency: true })).json['id']);
    await app.worker.drain();
    const [{ to, subject, text } = { to: '', subject: '', text: '' }, ...others] = mails;
    expect([to, subject, others]).to.deep.equal([
      OWNER,
      'Live payouts in EUR go to another bank account',
      [],
    ]);
    expect(text).to.match(/Changed by: key key_\w{26}\n/);
    expect(text).to.match(/Held until: \d{1,2} \w+ 20\d\d, \d\d:\d\d UTC\n/);
    expect(text).to.include('If you did not, somebody has a secret key of yours: revoke the key');
    expect(text).to.include(
      `https://shop.test/dashboard/${app.account}/live/bank-accounts/${added}`,
    );
    await post(bankPath(first), { default_for_currency: true });
    await ask(app.url + bankPath(added), { method: 'DELETE', key: app.secretKey });
    expect(await audit()).to.deep.equal([
      { actor_type: 'key', action: 'bank_account.create', target: added },
      { actor_type: 'key', action: 'bank_account.update', target: added },
      { actor_type: 'key', action: 'bank_account.delete', target: added },
    ]);
    const defaults = await query<{ action: string; was: boolean; is: boolean }>(
      app.databaseUrl,
      `SELECT action, (before ->> 'default_for_currency')::boolean AS was,
          (after ->> 'default_for_currency')::boolean AS is
        FROM paymount.audit_log WHERE target = $1 ORDER BY seq`,
      [first],
    );
    expect(defaults).to.deep.equal([
      { action: 'bank_account.create', was: null, is: true },
      { action: 'bank_account.update', was: true, is: false },
      { action: 'bank_account.update', was: false, is: true },
    ]);
  });

  it('are told as the first ones of a currency, not as another destination', async () => {
    const { subject = '', text = '' } = firstMail ?? {};
    expect(subject).to.equal('A live bank account for payouts in EUR was added');
    expect(text).to.include('Payouts in EUR that name no bank account go to this one from now on.');
    expect(text).to.include('revoke the key, and delete this bank account.');
  });

  it('go at once after an owner with a fresh login confirms it', async () => {
    const added = String((await addBank({ default_for_currency: true })).json['id']);
    const waiting = await payOut();
    await pass(HOUR_MS);
    expect(await statusOf(waiting)).to.equal('pending');
    const late = dashboard.logIn('owner', { authTime: new Date(clock.now().getTime() - HOUR_MS) });
    const refused = await confirm(late, added);
    expect([refused.status, refused.error['code']]).to.deep.equal([
      401,
      'insufficient_user_authentication',
    ]);
    expect((await confirm(dashboard.logIn('developer'), added)).status).to.equal(403);
    const fresh = dashboard.logIn('owner');
    const listed = await dashboard.call(fresh, '/bank_accounts', { environment: 'live' });
    const [shown] = listed.json['data'] as readonly Record<string, unknown>[];
    expect([shown?.['id'], typeof shown?.['payouts_held_until']]).to.deep.equal([added, 'string']);
    const confirmed = await confirm(fresh, added);
    expect([confirmed.status, confirmed.json['payouts_held_until']]).to.deep.equal([200, null]);
    await pass(1_000);
    expect([(await statusOf(waiting)) === 'pending', sent.length]).to.deep.equal([false, 1]);
    const again = await confirm(fresh, added);
    expect(again.status).to.equal(200);
    expect((await audit()).map(({ action, actor_type }) => [actor_type, action])).to.deep.equal([
      ['key', 'bank_account.create'],
      ['user', 'bank_account.confirm'],
    ]);
  });

  it('go at once after an admin confirms it, with a reason that the audit log has', async () => {
    const added = String((await addBank()).json['id']);
    const waiting = await payOut(added);
    const path = `/bank_accounts/${added}/confirm`;
    const unexplained = await app.admin(path, { body: {} });
    expect([unexplained.status, unexplained.error['param']]).to.deep.equal([400, 'reason']);
    const confirmed = await app.admin(path, { body: { reason: ' The owner called. ' } });
    expect([confirmed.status, confirmed.json['payouts_held_until']]).to.deep.equal([200, null]);
    await pass(11_000);
    expect([(await statusOf(waiting)) === 'pending', sent.length]).to.deep.equal([false, 1]);
    const [row] = await query<{ after: object }>(
      app.databaseUrl,
      `SELECT after FROM paymount.audit_log WHERE action = 'bank_account.confirm'`,
    );
    expect(row?.after).to.deep.include({ payouts_held_until: null, reason: 'The owner called.' });
    // It is not held any more, so there is nothing to record.
    expect((await app.admin(path, { body: { reason: 'Again.' } })).status).to.equal(200);
    expect(await audit()).to.have.length(2);
    // Nor is one whose day has passed.
    const ended = `/bank_accounts/${first}/confirm`;
    expect((await app.admin(ended, { body: { reason: 'To be sure.' } })).status).to.equal(200);
    const entries = await query(
      app.databaseUrl,
      `SELECT target FROM paymount.audit_log WHERE action = 'bank_account.confirm'`,
    );
    expect(entries).to.deep.equal([{ target: added }]);
  });

  it('go at once after a confirmation, if the processor never got the first request', async () => {
    const second = String((await addBank()).json['id']);
    await pass(2 * DAY_MS);
    live.payout = async () => {
      throw new Error('The line is down.');
    };
    const waiting = await payOut(second);
    await pass(11_000);
    live.payout = pay;
    expect((await post(bankPath(second), { default_for_currency: true })).status).to.equal(200);
    // Until it has answered twice that it does not know the payout, which would be sent again then.
    for (let looks = 0; looks < 12; looks += 1) await pass(HOUR_MS);
    expect([await statusOf(waiting), sent.length]).to.deep.equal(['pending', 0]);
    expect((await confirm(dashboard.logIn('owner'), second)).status).to.equal(200);
    await pass(1_000);
    expect([(await statusOf(waiting)) === 'pending', sent.length]).to.deep.equal([false, 1]);
  });

  it('by a schedule wait with the reason, until the day has passed or it is confirmed', async () => {
    const settings = `/accounts/${app.account}/payout_settings`;
    await app.admin(settings, { body: { schedule: { interval: 'daily', delay_days: 0 } } });
    const added = String((await addBank({ default_for_currency: true })).json['id']);
    await pass(DAY_MS - HOUR_MS);
    const { json } = await app.admin(settings);
    const [eur] = json['currencies'] as readonly Record<string, unknown>[];
    expect([eur?.['waits_for'], sent]).to.deep.equal(['bank_account_held', []]);
    expect((await confirm(dashboard.logIn('owner'), added)).status).to.equal(200);
    await pass(1_000);
    await pass(11_000);
    expect(sent).to.have.length(1);
  });

  it('do not wait where an admin has turned it off, and those that wait are sent', async () => {
    const settings = `/accounts/${app.account}/payout_settings`;
    const before = String((await addBank()).json['id']);
    const waiting = await payOut(before);
    await pass(HOUR_MS);
    expect(await statusOf(waiting)).to.equal('pending');
    const set = await app.admin(settings, { body: { hold_new_destinations: false } });
    expect([set.status, set.json['hold_new_destinations']]).to.deep.equal([200, false]);
    expect((await get(bankPath(before))).json['payouts_held_until']).to.equal(null);
    await pass(1_000);
    expect([(await statusOf(waiting)) === 'pending', sent.length]).to.deep.equal([false, 1]);
    // The hold of the first one ended days ago.
    const all = await query(
      app.databaseUrl,
      `SELECT actor_type, action, target FROM paymount.audit_log
        WHERE action LIKE 'bank_account.%' ORDER BY seq`,
    );
    expect(all).to.deep.equal([
      { actor_type: 'key', action: 'bank_account.create', target: first },
      { actor_type: 'key', action: 'bank_account.create', target: before },
      { actor_type: 'admin', action: 'bank_account.confirm', target: before },
    ]);
    const added = await addBank();
    expect(added.json['payouts_held_until']).to.equal(null);
    await payOut(String(added.json['id']));
    await pass(11_000);
    expect(sent).to.have.length(2);
    await app.worker.drain();
    expect(mails.map(({ subject }) => subject)).to.deep.equal([
      'A live bank account for payouts in EUR was added',
      'A live bank account for payouts in EUR was added',
    ]);
    expect(mails[1]?.text).not.to.include('Held until');
  });

  it('wait too, and are told, if an earlier version made the change during a deployment', async () => {
    const added = newId('ba');
    // As an earlier version writes it: without the columns that it does not know.
    const columns = `account_id, livemode, version, bank_name, last4, routing_number, fingerprint, country,
      currency, metadata, status, sealed_number, kid`;
    const write = (sql: string, values: readonly unknown[]) => query(app.databaseUrl, sql, values);
    await write(
      `INSERT INTO paymount.bank_accounts (id, created, is_default, ${columns})
        SELECT $1, $2, false, ${columns} FROM paymount.bank_accounts WHERE id = $3`,
      [added, clock.now(), first],
    );
    const held = String((await get(bankPath(added))).json['payouts_held_until']);
    expect(Date.parse(held) - clock.now().getTime()).to.be.within(DAY_MS - 60_000, DAY_MS);
    // A locked one waits, and keeps nobody from being told.
    await write(
      `INSERT INTO paymount.unannounced_destinations (bank_account_id, account_id, livemode, news, noted_at)
        SELECT id, account_id, livemode, 'default', '2020-01-01' FROM paymount.bank_accounts WHERE id = $1`,
      [first],
    );
    const announced = () =>
      write('SELECT bank_account_id AS id FROM paymount.unannounced_destinations', []);
    await withClient(app.databaseUrl, async (host) => {
      await host.query('BEGIN');
      await host.query('SELECT FROM paymount.bank_accounts WHERE id = $1 FOR UPDATE', [first]);
      await pass(11_000);
      expect(await announced()).to.deep.equal([{ id: first }]);
    });
    await write('DELETE FROM paymount.unannounced_destinations', []);
    expect(mails.map(({ to, subject }) => [to, subject])).to.deep.equal([
      [OWNER, 'A live bank account for payouts in EUR was added'],
    ]);
    expect(mails[0]?.text).to.include('Changed by: not known (an earlier version of Paymount)\n');
    await write('UPDATE paymount.bank_accounts SET held_until = NULL WHERE id = $1', [added]);
    const move =
      'UPDATE paymount.bank_accounts SET is_default = $2, version = version + 1 WHERE id = $1';
    await write(move, [first, false]);
    await write(move, [added, true]);
    const [row] = await query<{ held: boolean }>(
      app.databaseUrl,
      `SELECT held_until > now() + interval '23 hours' AS held FROM paymount.bank_accounts WHERE id = $1`,
      [added],
    );
    expect(row?.held).to.equal(true);
    await pass(11_000);
    expect(mails.slice(1).map(({ subject }) => subject)).to.deep.equal([
      'Live payouts in EUR go to another bank account',
    ]);
    expect(await audit()).to.deep.equal([
      { actor_type: 'system', action: 'bank_account.create', target: added },
      { actor_type: 'system', action: 'bank_account.update', target: added },
    ]);
    // There and back within one pass: only what is true then is told.
    await write(move, [added, false]);
    await write(move, [first, true]);
    await write(move, [first, false]);
    await write(move, [added, true]);
    await pass(11_000);
    expect(
      mails.slice(2).map(({ text }) => text.includes(`Bank account: ${added},`)),
    ).to.deep.equal([true]);
    mails.pop();
    // What this version does itself is told once.
    await post(bankPath(first), { default_for_currency: true });
    await pass(11_000);
    expect(mails).to.have.length(3);
    expect(await audit()).to.have.length(4);
  });

  it('are refused by the database itself, whatever sends them', async () => {
    const added = String((await addBank()).json['id']);
    const waiting = await payOut(added);
    const send = () =>
      query(
        app.databaseUrl,
        `UPDATE paymount.operations SET state = 'sent', deadline_at = now() + interval '30 s'
          WHERE subject_id = $1`,
        [waiting],
      ).then(
        () => 'sent',
        ({ constraint }: { readonly constraint?: string }) => constraint,
      );
    expect(await send()).to.equal('operations_destination_not_held');
  });
});
