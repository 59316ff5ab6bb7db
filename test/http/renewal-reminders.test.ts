import { expect } from 'chai';
import type { Mail } from 'paymount';
import { startWorker } from 'paymount/worker';
import { fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';
import { startHost } from '../support/host.ts';
import { type PagesShop, startPagesShop } from '../support/invoice-pages.ts';
import { INVOICED_AT } from '../support/invoice-shop.ts';

const DAY = 86_400_000;
const EMAILS = { cardExpiring: true, upcomingDays: 7 };
const UPCOMING = (date: string) => `Your subscription at Test shop renews on ${date}`;
const CARD = 'Your card expires before your next payment to Test shop';

describe('Reminders of renewals', () => {
  const clock = fakeClock(INVOICED_AT);
  const mails: Mail[] = [];
  const ids: string[] = [];
  const mailer = { send: async (mail: Mail) => void mails.push(mail) };
  let shop: PagesShop;
  before(async () => {
    shop = await startPagesShop({ emails: EMAILS }, { paymount: { mailer, clock } });
  });
  after(() => shop.close());
  beforeEach(() => {
    mails.length = 0;
    ids.length = 0;
  });
  // So that they send nothing in the tests that follow.
  afterEach(async () => {
    for (const id of ids) await shop.remove(`/subscriptions/${id}`);
  });

  /** A test card that is valid to the end of a month. */
  async function newCard(expMonth: number, expYear: number): Promise<string> {
    const card = { number: '4242424242424242', exp_month: expMonth, exp_year: expYear, cvc: '123' };
    return String((await shop.make('/payment_methods', { type: 'card', card }))['id']);
  }

  async function subscribe(
    { expMonth = 12, expYear = 2030, interval = 'month' } = {},
    more: object = {},
    ofCustomer: object = {},
  ): Promise<void> {
    const card = await newCard(expMonth, expYear);
    const { id: customer } = await shop.make('/customers', {
      email: 'ada@example.com',
      payment_method: card,
      invoice_settings: { default_payment_method: card },
      ...ofCustomer,
    });
    const product = String((await shop.make('/products', { name: 'Basic' }))['id']);
    const price = { currency: 'eur', unit_amount: 1_900, recurring: { interval }, product };
    const items = [{ price_data: price, quantity: 2 }];
    ids.push(String((await shop.make('/subscriptions', { customer, items, ...more }))['id']));
  }

  /** What follows from a renewal is due in the next pass. */
  const drain = async (): Promise<void> => {
    await shop.worker.drain();
    await shop.worker.drain();
  };
  const to = (day: number): Promise<void> => {
    clock.advance(Date.parse(INVOICED_AT) + day * DAY - clock.now().getTime());
    return drain();
  };
  const subjects = () => mails.map(({ subject }) => subject);

  it('come so many days before each renewal, once, also to two workers', async () => {
    await subscribe();
    const other = await startHost(shop, {
      paymount: { mailer, clock, invoices: { emails: EMAILS } },
    });
    const second = await startWorker(other.paymount);
    try {
      await to(22);
      expect(subjects()).to.deep.equal([]);
      clock.advance(1.1 * DAY);
      await Promise.all([shop.worker.drain(), second.drain()]);
      await to(29);
      expect(subjects()).to.deep.equal([UPCOMING('21 December 2026')]);
      expect(mails[0]?.text).to.equal(
        `Test mode: no real money moves.

Your subscription to 2 × Basic renews on 21 December 2026. The regular price is 38.00 EUR.
`,
      );
      mails.length = 0;
      await to(60);
      expect(subjects()).to.deep.equal([UPCOMING('21 January 2027')]);
    } finally {
      await second.close();
      await other.close();
    }
  });

  it('come after a time in which no worker ran, unless the renewal has come first', async () => {
    await subscribe();
    clock.advance(29 * DAY);
    await shop.worker.drain();
    expect(subjects()).to.have.length(1);
    mails.length = 0;
    clock.advance(35 * DAY);
    await drain();
    expect(subjects()).to.deep.equal([]);
  });

  it('are tried again later if one fails, and do not hold up others', async () => {
    const database = (sql: string) => query(shop.databaseUrl, sql);
    await subscribe();
    await subscribe({}, {}, { email: 'eve@example.com' });
    await database(`ALTER TABLE paymount.mails
      ADD CONSTRAINT no_eve CHECK (to_address <> 'eve@example.com') NOT VALID`);
    clock.advance(29 * DAY);
    await shop.worker.drain();
    expect(mails.map(({ to }) => to)).to.deep.equal(['ada@example.com']);
    await database('ALTER TABLE paymount.mails DROP CONSTRAINT no_eve');
    clock.advance(5 * 60_000);
    await shop.worker.drain();
    expect(mails).to.have.length(1);
    clock.advance(6 * 60_000);
    await shop.worker.drain();
    expect(mails.map(({ to }) => to)).to.deep.equal(['ada@example.com', 'eve@example.com']);
  });

  it('say that the card expires before the renewal, once for a period', async () => {
    const month = clock.now().getUTCMonth() + 1;
    const year = clock.now().getUTCFullYear();
    await subscribe({ expMonth: month, expYear: year, interval: 'year' });
    await subscribe({ interval: 'year' });
    clock.advance(334 * DAY);
    await shop.worker.drain();
    expect(subjects()).to.deep.equal([]);
    clock.advance(2 * DAY);
    await shop.worker.drain();
    await shop.worker.drain();
    expect(subjects()).to.deep.equal([CARD]);
    expect(mails[0]?.text).to.match(
      /Visa ending in 4242 expires before \d+ \w+ \d{4}\. On that day your subscription to 2 × Basic renews\./,
    );
    expect(mails[0]?.text).to.include('Please give Test shop a new card or bank account');
  });

  it('name the plan and the price of the next period', async () => {
    await subscribe();
    const [id] = ids;
    const { items } = await shop.read(`/subscriptions/${id}`);
    const [item] = (items as { data: { id: string }[] }).data;
    const changes = { items: [{ id: item?.id, quantity: 5 }], apply_at: 'period_end' };
    await shop.make(`/subscriptions/${id}`, changes);
    clock.advance(29 * DAY);
    await shop.worker.drain();
    expect(mails).to.have.length(1);
    expect(mails[0]?.text).to.match(
      /subscription to 5 × Basic renews on \d+ \w+ \d{4}\. The regular price is 95\.00 EUR\./,
    );
  });

  it('look at the card that is charged, not at one that was detached', async () => {
    const month = clock.now().getUTCMonth() + 1;
    const year = clock.now().getUTCFullYear();
    const own = await newCard(month, year);
    await subscribe({ interval: 'year', expYear: year + 5 });
    const { customer } = await shop.read(`/subscriptions/${ids[0]}`);
    await shop.make(`/payment_methods/${own}/attach`, { customer });
    await shop.make(`/subscriptions/${ids[0]}`, { default_payment_method: own });
    await shop.make(`/payment_methods/${own}/detach`);
    clock.advance(336 * DAY);
    await shop.worker.drain();
    expect(subjects()).to.deep.equal([]);
  });

  it('do not come for what does not renew, or is shorter than the days before', async () => {
    await subscribe({}, { cancel_at_period_end: true });
    await subscribe({ interval: 'week' });
    await subscribe({}, {}, { email: '' });
    await subscribe();
    await shop.make(`/subscriptions/${ids[3]}`, { pause_collection: { behavior: 'void' } });
    await subscribe();
    await shop.remove(`/subscriptions/${ids[4]}`);
    clock.advance(29 * DAY);
    await shop.worker.drain();
    expect(subjects()).to.deep.equal([]);
  });

  it('do not come while the account is suspended', async () => {
    await subscribe();
    await shop.paymount.accounts.suspend(shop.account);
    clock.advance(29 * DAY);
    await shop.worker.drain();
    expect(subjects()).to.deep.equal([]);
    await shop.paymount.accounts.resume(shop.account);
    clock.advance(60_000);
    await shop.worker.drain();
    expect(subjects()).to.have.length(1);
  });

  it('come when they are due now, also if the previous version has moved the period', async () => {
    await subscribe();
    await query(shop.databaseUrl, `UPDATE paymount.renewal_reminders SET due_at = 'epoch'`);
    clock.advance(20 * DAY);
    await drain();
    expect(subjects()).to.deep.equal([]);
    clock.advance(9 * DAY);
    await drain();
    expect(subjects()).to.have.length(1);
  });

  it('come on a test clock at its time', async () => {
    const frozen = '2030-01-31T12:00:00.000Z';
    const made = await shop.make('/test_helpers/test_clocks', { frozen_time: frozen });
    const test_clock = String(made['id']);
    await subscribe({ expMonth: 2, expYear: 2030 }, {}, { test_clock });
    const advance = async (frozen_time: string): Promise<void> => {
      await shop.make(`/test_helpers/test_clocks/${test_clock}/advance`, { frozen_time });
      await shop.worker.drain();
      expect((await shop.read(`/test_helpers/test_clocks/${test_clock}`))['status']).to.equal(
        'ready',
      );
    };
    await advance('2030-02-20T12:00:00.000Z');
    expect(subjects()).to.deep.equal([]);
    await advance('2030-02-22T12:00:00.000Z');
    expect(subjects()).to.deep.equal([UPCOMING('28 February 2030')]);
    await advance('2030-03-30T12:00:00.000Z');
    expect(subjects()).to.deep.equal([
      UPCOMING('28 February 2030'),
      CARD,
      UPCOMING('31 March 2030'),
    ]);
  });
});
