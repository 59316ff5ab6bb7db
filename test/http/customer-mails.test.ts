import { expect } from 'chai';
import type { CustomerEmails, HostHook, Mail } from 'paymount';
import { fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';
import { startHost } from '../support/host.ts';
import { type PagesShop, startPagesShop } from '../support/invoice-pages.ts';
import { INVOICED_AT } from '../support/invoice-shop.ts';
import { keptLog } from '../support/kept-log.ts';

const DAY = 86_400_000;
const ALL: CustomerEmails = { receipt: true, paymentFailed: true, canceled: true };
/** What issuers say, and no customer is told. */
const REASONS = /stolen|lost|fraud|declin|insufficient|expired/i;

describe('E-mails to customers', () => {
  const clock = fakeClock(INVOICED_AT);
  const mails: Mail[] = [];
  let shop: PagesShop;
  let customer: string;
  let isRefusing = false;
  let isUnknown = false;
  const log = keptLog();
  before(async () => {
    const mailer = { send: async (mail: Mail) => void mails.push(mail) };
    const hook: HostHook = async () => {
      if (isRefusing) throw new Error('The shop is closed.');
    };
    const seller = () => {
      if (isUnknown) throw new Error('The table of sellers is locked.');
      return {};
    };
    shop = await startPagesShop(
      { emails: ALL, seller },
      { paymount: { mailer, clock, hook, logger: log } },
    );
  });
  after(() => shop.close());

  const subjects = () => mails.map(({ subject }) => subject);
  async function pass(ms: number): Promise<void> {
    mails.length = 0;
    clock.advance(ms);
    await shop.worker.drain();
  }

  /** A subscription of a new customer, with this card. */
  async function subscribe(card: string, more: object = {}): Promise<string> {
    customer = await shop.newCustomer(card);
    const product = String((await shop.make('/products', { name: 'Basic' }))['id']);
    const price = {
      currency: 'eur',
      unit_amount: 1_900,
      recurring: { interval: 'month' },
      product,
    };
    const made = await shop.make('/subscriptions', {
      customer,
      items: [{ price_data: price }],
      ...more,
    });
    await pass(0);
    return String(made['id']);
  }

  it('send a receipt for each payment, with the link, and none for nothing', async () => {
    customer = await shop.newCustomer('pm_card_visa');
    const id = await shop.open(customer, 1_900);
    const { hosted_invoice_url: url, number } = await shop.make(`/invoices/${id}/pay`);
    const elsewhere = await shop.open(customer, 500);
    await shop.make(`/invoices/${elsewhere}/pay`, { paid_out_of_band: true });
    const free = await shop.draft(customer, [0]);
    await shop.make(`/invoices/${free}/finalize`);
    await pass(0);
    expect(subjects()).to.deep.equal(Array(2).fill('Your receipt from Test shop'));
    expect(mails[0]?.text).to.equal(
      `Test mode: no real money moves.

Test shop has received your payment of 19.00 EUR. Thank you.

- Invoice number: ${String(number)}
- Date paid: 21 November 2026
- Amount paid: 19.00 EUR

Show the receipt: ${String(url)}/receipt
`,
    );
  });

  it('are written in the transaction of the payment, or not at all', async () => {
    const id = await shop.open(await shop.newCustomer(), 500);
    isRefusing = true;
    const refused = await shop.post(`/invoices/${id}/pay`, { paid_out_of_band: true });
    isRefusing = false;
    expect(refused.status).to.equal(409);
    const written = () =>
      query(shop.databaseUrl, 'SELECT FROM paymount.mails WHERE dedupe_key = $1', [
        `receipt:${id}`,
      ]);
    expect(await written()).to.have.length(0);
    await shop.make(`/invoices/${id}/pay`, { paid_out_of_band: true });
    expect(await written()).to.have.length(1);
    await pass(0);
  });

  it('say that a renewal was not paid, once for a period, when it is tried again, and never why', async () => {
    await subscribe('pm_card_recovers_on_charge_3');
    await pass(31 * DAY);
    expect(subjects()).to.deep.equal(['Your payment to Test shop did not go through']);
    const text = String(mails[0]?.text);
    expect(text).to.include('Your payment of 19.00 EUR to Test shop did not go through.');
    expect(text).to.match(/It is tried again on \d+ \w+ 2026\. If you use another card/);
    expect(text)
      .to.include('Amount due: 19.00 EUR')
      .and.match(/Show the invoice: https:/);
    expect(text).not.to.match(REASONS);
    await pass(2 * DAY);
    expect(subjects()).to.deep.equal(['Your receipt from Test shop']);
  });

  it('ask for another card where no attempt may follow, without the reason', async () => {
    for (const card of ['pm_card_lost_from_charge_2', 'pm_card_expired_from_charge_2']) {
      await subscribe(card);
      await pass(31 * DAY);
      // The subscriptions of other tests renew, too.
      const failed = mails.filter(({ subject }) => subject.endsWith('did not go through'));
      expect(failed, card).to.have.length(1);
      const text = String(failed[0]?.text);
      expect(text).to.include('Please give Test shop another card or bank account.');
      expect(text.replace(/expires/g, '')).not.to.match(REASONS);
    }
  });

  it('say that a subscription has ended, in the zone of the subscription', async () => {
    const id = await subscribe('pm_card_visa', { billing_timezone: 'Pacific/Auckland' });
    await shop.remove(`/subscriptions/${id}`);
    mails.length = 0;
    await pass(0);
    const [mail] = mails;
    expect(mail?.subject).to.equal('Your subscription at Test shop has ended');
    const today = new Intl.DateTimeFormat('en-GB', {
      dateStyle: 'long',
      timeZone: 'Pacific/Auckland',
    }).format(clock.now());
    expect(mail?.text).to.include(`Your subscription to Basic ended on ${today}.`);
  });

  it('hold up no payment and no end if the host does not say who sells', async () => {
    isUnknown = true;
    try {
      const id = await subscribe('pm_card_visa');
      expect(await shop.read(`/subscriptions/${id}`)).to.include({ status: 'active' });
      expect((await shop.remove(`/subscriptions/${id}`)).json).to.include({ status: 'canceled' });
    } finally {
      isUnknown = false;
    }
    await pass(0);
    expect(subjects()).to.deep.equal([]);
    const unwritten = 'An e-mail to a customer could not be written, so it is not sent.';
    expect(log.lines.filter(({ text }) => text.startsWith(unwritten))).to.have.length(2);
  });

  it('link to no invoice that was never issued', async () => {
    const id = await subscribe('pm_card_visa');
    await shop.make(`/subscriptions/${id}`, { pause_collection: { behavior: 'keep_as_draft' } });
    await pass(31 * DAY);
    await shop.remove(`/subscriptions/${id}`);
    await pass(0);
    const ended = mails.find(({ subject }) => subject.endsWith('has ended'));
    expect(ended?.text).to.include('Your subscription to Basic ended').and.not.include('http');
  });

  it('are deleted with the customer, sent or not', async () => {
    await subscribe('pm_card_visa');
    const outbox = () =>
      query<{ sent: boolean }>(
        shop.databaseUrl,
        'SELECT sent_at IS NOT NULL AS sent FROM paymount.mails WHERE customer_id = $1 ORDER BY 1',
        [customer],
      );
    const second = await shop.open(customer, 500);
    await shop.make(`/invoices/${second}/pay`, { paid_out_of_band: true });
    expect(await outbox()).to.deep.equal([{ sent: false }, { sent: true }]);
    await shop.remove(`/customers/${customer}`);
    expect(await outbox()).to.deep.equal([]);
    await pass(0);
    expect(subjects()).to.deep.equal([]);
  });

  it('are not sent to a customer without an address, and none are sent by default', async () => {
    const { id: nobody } = await shop.make('/customers', { name: 'Ada' });
    const unpaid = await shop.open(String(nobody), 500);
    await shop.make(`/invoices/${unpaid}/pay`, { paid_out_of_band: true });
    const host = await startHost(shop, { paymount: { clock, hook: async () => undefined } });
    try {
      const silent = await shop.open(await shop.newCustomer(), 500);
      await host.paymount.invoices.pay(shop.acting, silent, { paid_out_of_band: true });
    } finally {
      await host.close();
    }
    await pass(0);
    expect(subjects()).to.deep.equal([]);
  });
});
