import { expect } from 'chai';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { paymount, toJson } from '../support/run-command.ts';
import { SubscriptionSetup } from '../support/subscription-setup.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NOTHING = { failing: 0, reminders: { due: 0, oldest_ms: 0, failing: 0 } };
const NOBODY = { customer: 0, limited: 0, never: 0, retry: 0 };

type Json = Readonly<Record<string, unknown>>;

describe('Renewals that are due, and subscriptions that are not paid', () => {
  let app: AdminApp;
  let clock: FakeClock;
  let shop: SubscriptionSetup;
  let price: string;
  beforeEach(async () => {
    clock = fakeClock();
    app = await startAdminApp({ clock });
    shop = new SubscriptionSetup(app);
    price = await shop.newPrice(1_000);
  });
  afterEach(() => app.close());

  /** A customer with a card who begins a subscription today. */
  const subscribe = async (card: string): Promise<string> => {
    const settings = { invoice_settings: { default_payment_method: card } };
    const { id: customer } = await shop.make('/v1/customers', {
      payment_method: card,
      ...settings,
    });
    return String((await shop.make('/v1/subscriptions', { customer, items: [{ price }] }))['id']);
  };
  const health = async () => {
    const { json } = await app.admin('/health');
    const { problems, subscriptions } = json as Json & { problems: Json[] };
    const isLate = problems.some(({ code }) => code === 'subscriptions_overdue');
    return { isLate, subscriptions };
  };
  const metrics = async (): Promise<readonly string[]> =>
    (await app.paymount.metrics()).text
      .split('\n')
      .filter((line) => line.startsWith('paymount_subscriptions_'));
  /** What the command finds, whose clock is the real one. */
  const finding = async (): Promise<Json | undefined> => {
    const found = toJson(await paymount({ DATABASE_URL: app.databaseUrl }, 'doctor', '--json'));
    return (found['findings'] as Json[]).find(({ subject }) => subject === 'subscriptions');
  };
  const dueSince = (minutes: number) =>
    query(
      app.databaseUrl,
      `UPDATE paymount.subscriptions SET next_action_at = now() - interval '${minutes} minutes'`,
    );

  it('are none where nobody sells anything', async () => {
    expect(await health()).to.deep.equal({
      isLate: false,
      subscriptions: { due: 0, oldest_ms: 0, past_due: NOBODY, ...NOTHING },
    });
    expect(await finding()).to.deep.equal({
      subject: 'subscriptions',
      verdict: 'ok',
      message:
        'None is due. Past due, by class of the last failure: customer (0), limited (0), never (0), retry (0).',
    });
  });

  it('are counted, with the oldest; after 15 minutes health is degraded', async () => {
    await subscribe('pm_card_visa');
    await subscribe('pm_card_visa');
    await app.worker.close();
    const [row] = await query<{ at: Date }>(
      app.databaseUrl,
      'SELECT max(next_action_at) AS at FROM paymount.subscriptions',
    );
    clock.advance(Number(row?.at) - clock.now().getTime() + 10 * MINUTE_MS);
    const early = await health();
    expect(early.isLate).to.equal(false);
    expect(early.subscriptions).to.include({ due: 2 });
    clock.advance(6 * MINUTE_MS);
    const late = await health();
    expect([late.isLate, (await app.admin('/health')).json['status']]).to.deep.equal([
      true,
      'degraded',
    ]);
    const { oldest_ms: oldestMs } = late.subscriptions as { oldest_ms: number };
    expect(oldestMs).to.be.within(16 * MINUTE_MS, 16 * MINUTE_MS + 10_000);
    const lines = await metrics();
    expect(lines).to.include('paymount_subscriptions_due 2');
    const oldest = lines.find((line) => line.startsWith('paymount_subscriptions_due_oldest'));
    expect(Number(oldest?.split(' ')[1])).to.be.within(960, 970);
  });

  it('are counted by the class of the last failure', async () => {
    await subscribe('pm_card_visa');
    await subscribe('pm_card_declined_from_charge_2');
    await subscribe('pm_card_expired_from_charge_2');
    await subscribe('pm_card_lost_from_charge_2');
    await subscribe('pm_card_lost_from_charge_2');
    clock.advance(31 * DAY_MS);
    const pastDue = { customer: 1, limited: 0, never: 2, retry: 1 };
    const found = await eventually(
      async () => {
        await app.worker.drain();
        return (await health()).subscriptions as { due: number; past_due: Json };
      },
      ({ due, past_due: by }) => due === 0 && by['never'] === 2 && by['retry'] === 1,
    );
    expect(found).to.deep.equal({ due: 0, oldest_ms: 0, past_due: pastDue, ...NOTHING });
    expect(await metrics()).to.include.members(
      Object.entries(pastDue).map(
        ([name, count]) => `paymount_subscriptions_past_due{class="${name}"} ${count}`,
      ),
    );
    await app.worker.close();
    await query(app.databaseUrl, 'UPDATE paymount.subscriptions SET next_action_at = NULL');
    expect((await finding())?.['message']).to.equal(
      'None is due. Past due, by class of the last failure: customer (1), limited (0), never (2), retry (1).',
    );
  });

  it('are a problem for doctor after 15 minutes, with the cure', async () => {
    await subscribe('pm_card_visa');
    await app.worker.close();
    await query(
      app.databaseUrl,
      "UPDATE paymount.subscriptions SET created = now() - interval '1 year'",
    );
    await dueSince(10);
    expect(await finding()).to.include({ verdict: 'ok' });
    await dueSince(20);
    const { verdict, message } = (await finding()) ?? {};
    expect(verdict).to.equal('problem');
    expect(message).to.match(/^Due: 1, the oldest for 20 min\. .*Is a worker running\?/);
  });

  it('are none of an account that is suspended: it is not billed until it is active', async () => {
    await subscribe('pm_card_visa');
    await app.worker.close();
    clock.advance(40 * DAY_MS);
    expect((await health()).isLate).to.equal(true);
    expect((await app.admin(`/accounts/${app.account}/suspend`, { body: {} })).status).to.equal(
      200,
    );
    const suspended = await health();
    expect(suspended.isLate).to.equal(false);
    expect(suspended.subscriptions).to.include({ due: 0, oldest_ms: 0 });
  });

  it('are not late because a worker looks early at what a customer has changed', async () => {
    await subscribe('pm_card_visa');
    await app.worker.close();
    clock.advance(20 * DAY_MS);
    await query(app.databaseUrl, 'UPDATE paymount.subscriptions SET next_action_at = created');
    expect(await health()).to.deep.equal({
      isLate: false,
      subscriptions: { due: 1, oldest_ms: 0, past_due: NOBODY, ...NOTHING },
    });
  });

  it('are listed with the reason if a worker cannot bill them, until it can', async () => {
    const id = await subscribe('pm_card_visa');
    const other = await subscribe('pm_card_visa');
    // A bug: a period that nobody can bill.
    await query(
      app.databaseUrl,
      `UPDATE paymount.subscriptions SET calendar = jsonb_set(calendar, '{timezone}', '"Mars/Base"')
        WHERE id = '${id}'`,
    );
    clock.advance(31 * DAY_MS);
    await app.worker.drain();
    const { json } = await app.admin('/health');
    const { problems, subscriptions } = json as { problems: Json[]; subscriptions: Json };
    expect(subscriptions).to.include({ due: 0, failing: 1 });
    expect(problems.map(({ code }) => code)).to.include('billing_failing');
    const listed = async (failing: boolean) =>
      ((await app.admin(`/subscriptions?failing=${failing}`)).json['data'] as Json[]).map(
        (each) => [each['id'], (each['failing'] as Json | null)?.['message']],
      );
    const message = 'An unexpected error, which is in the log of the worker.';
    expect(await listed(true)).to.deep.equal([[id, message]]);
    expect(await listed(false)).to.deep.equal([[other, undefined]]);
    expect((await app.admin('/invoices?failing=true')).json['data']).to.deep.equal([]);
    const all = (await app.paymount.metrics()).text.split('\n');
    expect(all).to.include('paymount_billing_failing 1');
    expect((await finding())?.['verdict']).to.equal('problem');
    await query(
      app.databaseUrl,
      `UPDATE paymount.subscriptions SET calendar = jsonb_set(calendar, '{timezone}', '"UTC"')
        WHERE id = '${id}'`,
    );
    clock.advance(11 * MINUTE_MS);
    await app.worker.drain();
    expect(await listed(true)).to.deep.equal([]);
    expect((await health()).subscriptions).to.include({ failing: 0 });
  });
});

describe('Reminders that are due', () => {
  const settings = (emails: object) => ({
    invoices: { emails },
    mailer: { send: async () => undefined },
  });
  let app: AdminApp;
  let clock: FakeClock;
  beforeEach(() => {
    clock = fakeClock();
  });
  afterEach(() => app.close());

  const remind = async (): Promise<void> => {
    const shop = new SubscriptionSetup(app);
    const price = await shop.newPrice(1_000);
    const { id: customer } = await shop.make('/v1/customers', {
      email: 'ada@example.com',
      payment_method: 'pm_card_visa',
      invoice_settings: { default_payment_method: 'pm_card_visa' },
    });
    await shop.make('/v1/subscriptions', { customer, items: [{ price }] });
    await app.worker.close();
  };
  const state = async () => {
    const { json } = await app.admin('/health');
    const { problems, subscriptions } = json as { problems: Json[]; subscriptions: Json };
    const { due, failing } = subscriptions['reminders'] as Json;
    return [problems.some(({ code }) => code === 'reminders_late'), due, failing];
  };
  const remindersLine = async (): Promise<Json | undefined> => {
    const found = toJson(await paymount({ DATABASE_URL: app.databaseUrl }, 'doctor', '--json'));
    return (found['findings'] as Json[]).find(({ subject }) => subject === 'reminders');
  };

  it('are counted, and late after 15 minutes, or as soon as one could not be written', async () => {
    app = await startAdminApp({ clock, paymount: settings({ upcomingDays: 7 }) });
    await remind();
    expect(await state()).to.deep.equal([false, 0, 0]);
    const [row] = await query<{ at: Date }>(
      app.databaseUrl,
      'SELECT due_at AS at FROM paymount.renewal_reminders',
    );
    clock.advance(Number(row?.at) - clock.now().getTime() + 10 * MINUTE_MS);
    expect(await state()).to.deep.equal([false, 1, 0]);
    clock.advance(6 * MINUTE_MS);
    expect(await state()).to.deep.equal([true, 1, 0]);
    const lines = (await app.paymount.metrics()).text.split('\n');
    expect(lines).to.include.members(['paymount_reminders_due 1', 'paymount_reminders_failing 0']);
    await query(
      app.databaseUrl,
      "UPDATE paymount.renewal_reminders SET due_at = due_at + interval '1 day', failing_since = now()",
    );
    expect(await state()).to.deep.equal([true, 0, 1]);
    expect(await remindersLine()).to.include({ verdict: 'warning' });
    await query(app.databaseUrl, 'UPDATE paymount.renewal_reminders SET failing_since = NULL');
    expect(await remindersLine()).to.deep.equal({
      subject: 'reminders',
      verdict: 'ok',
      message: 'Due: 0; could not be written: 0.',
    });
  });

  it('are none where the host sends none: what was planned before is not late', async () => {
    app = await startAdminApp({ clock, paymount: settings({}) });
    await remind();
    await query(
      app.databaseUrl,
      `INSERT INTO paymount.renewal_reminders
        (account_id, livemode, subscription_id, kind, period_index, due_at, is_done)
        SELECT account_id, livemode, id, 'upcoming', 0, now() - interval '1 day', false
        FROM paymount.subscriptions`,
    );
    expect(await state()).to.deep.equal([false, 0, 0]);
  });
});
