import { expect } from 'chai';
import type { Mail } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { makeKey } from '../support/credentials.ts';
import { startPagesShop } from '../support/invoice-pages.ts';
import { paymount } from '../support/run-command.ts';
import { SubscriptionSetup } from '../support/subscription-setup.ts';

type Json = Readonly<Record<string, unknown>>;

describe('paymount subscriptions and paymount invoices', function () {
  this.timeout(30_000);
  let app: TestApp;
  let shop: SubscriptionSetup;
  let env: Record<string, string>;
  let customer: string;
  let price: string;
  before(async () => {
    app = await startApp();
    shop = new SubscriptionSetup(app);
    env = { PAYMOUNT_API_KEY: app.secretKey, PAYMOUNT_BASE_URL: app.url };
    price = await shop.newPrice(1_000);
  });
  after(() => app.close());
  beforeEach(async () => {
    const clock = await shop.clock('2030-04-01T00:00:00.000Z');
    customer = await shop.customer(clock);
  });

  const subscribe = async (): Promise<string> =>
    String((await shop.make('/v1/subscriptions', { customer, items: [{ price }] }))['id']);
  const newDraft = async (): Promise<string> => {
    const { id } = await shop.make('/v1/invoices', { customer, currency: 'eur' });
    const item = { customer, invoice: id, amount: 700, currency: 'eur', description: 'Tea' };
    await shop.make('/v1/invoiceitems', item);
    return String(id);
  };
  const run = async (...args: readonly string[]) => {
    const { exitCode, out, said } = await paymount(env, ...args);
    return { exitCode, out, said };
  };

  it('list subscriptions page by page, and show one', async () => {
    const first = await subscribe();
    const second = await subscribe();
    const listed = await run('subscriptions', 'list', '--customer', customer);
    expect(listed.exitCode, listed.said).to.equal(0);
    expect(listed.out[0]).to.match(/^ID +STATUS +CUSTOMER +PERIOD ENDS/);
    expect(listed.out.slice(1).map((line) => line.split(/ +/).slice(0, 4))).to.deep.equal([
      [second, 'active', customer, '2030-05-01T00:00:00.000Z'],
      [first, 'active', customer, '2030-05-01T00:00:00.000Z'],
    ]);
    const page = ['--customer', customer, '--after', second, '--json'];
    const after = await run('subscriptions', 'list', ...page);
    const { data } = JSON.parse(after.out.join('')) as { data: Json[] };
    expect(data.map(({ id }) => id)).to.deep.equal([first]);
    const none = await run('subscriptions', 'list', '--customer', customer, '--status', 'unpaid');
    expect(none.out).to.deep.equal(['There is no such subscription.']);
    const shown = await run('subscriptions', 'show', first);
    const lines = shown.out.map((line) => line.replace(/ +/, ' '));
    expect(lines).to.include.members([
      'FIELD VALUE',
      `id ${first}`,
      'status active',
      'cancel_at -',
      `items 1 x ${price} (1000 eur)`,
    ]);
    const json = await run('subscriptions', 'show', first, '--json');
    expect(JSON.parse(json.out.join(''))).to.deep.equal(await shop.subscription(first));
  });

  it('list what is on a test clock when they are asked for it', async () => {
    const id = await subscribe();
    const { test_clock: clock, latest_invoice: invoice } = await shop.subscription(id);
    const first = async (...args: readonly string[]) =>
      (await run(...args)).out.map((line) => line.split(/ +/)[0]);
    expect(await first('subscriptions', 'list')).not.to.include(id);
    expect(await first('invoices', 'list')).not.to.include(invoice);
    const on = ['--test-clock', String(clock)];
    expect(await first('subscriptions', 'list', ...on)).to.deep.equal(['ID', id]);
    expect(await first('invoices', 'list', ...on)).to.deep.equal(['ID', invoice]);
  });

  it('cancel a subscription now, or with its period', async () => {
    const id = await subscribe();
    const later = await run('subscriptions', 'cancel', id, '--at-period-end', '--comment', 'Bye');
    expect([later.exitCode, later.out]).to.deep.equal([
      0,
      [`${id} ends with its period, 2030-05-01T00:00:00.000Z.`],
    ]);
    expect(await shop.subscription(id)).to.deep.include({
      status: 'active',
      cancellation_details: { reason: 'cancellation_requested', comment: 'Bye', feedback: null },
    });
    const now = await run('subscriptions', 'cancel', id, '--prorate');
    expect([now.exitCode, now.out]).to.deep.equal([0, [`${id} is canceled.`]]);
    const waiting = await shop.read(`/v1/invoiceitems?customer=${customer}&pending=true`);
    expect((waiting['data'] as Json[]).map(({ amount }) => amount)).to.deep.equal([-1_000]);
    const again = await run('subscriptions', 'cancel', id);
    expect([again.exitCode, /canceled/.test(again.said)]).to.deep.equal([1, true]);
    const both = await run('subscriptions', 'cancel', id, '--at-period-end', '--prorate');
    expect(both.exitCode).to.equal(2);
  });

  it('list, show, finalize, pay and void invoices', async () => {
    const paid = await newDraft();
    const gone = await newDraft();
    const finalized = await run('invoices', 'finalize', paid);
    expect(finalized.out.join()).to.match(new RegExp(`^${paid} \\(INV-\\d{6}\\) is open\\.$`));
    const { out } = await run('invoices', 'list', '--customer', customer, '--status', 'open');
    expect(out.slice(1).map((line) => line.split(/ +/))).to.deep.equal([
      [paid, out[1]?.split(/ +/)[1], 'open', customer, '-', '700', 'eur', '-'],
    ]);
    const shown = await run('invoices', 'show', paid);
    expect(shown.out.map((line) => line.replace(/ +/, ' '))).to.include.members([
      'amount_due 700',
      'lines 700 eur  Tea',
    ]);
    expect((await run('invoices', 'pay', paid)).out.join()).to.match(/ is paid\.$/);
    expect(await shop.read(`/v1/invoices/${paid}`)).to.include({ amount_paid: 700 });
    await run('invoices', 'finalize', gone);
    expect((await run('invoices', 'void', gone)).out.join()).to.match(/ is void\.$/);
    const elsewhere = await newDraft();
    expect((await run('invoices', 'pay', elsewhere, '--out-of-band')).exitCode).to.equal(0);
    expect(await shop.read(`/v1/invoices/${elsewhere}`)).to.include({
      paid_out_of_band: true,
      charge: null,
    });
  });

  it('send an invoice to its customer', async () => {
    const mails: Mail[] = [];
    const mailer = { send: async (mail: Mail) => void mails.push(mail) };
    const pages = await startPagesShop({}, { paymount: { mailer } });
    try {
      const own = { PAYMOUNT_API_KEY: pages.secretKey, PAYMOUNT_BASE_URL: pages.url };
      const payer = await pages.newCustomer('pm_card_visa');
      const asked = { collection_method: 'send_invoice', days_until_due: 14 };
      const id = await pages.draft(payer, [1_900], asked);
      const { exitCode, out, said } = await paymount(own, 'invoices', 'send', id);
      expect(exitCode, said).to.equal(0);
      expect(out.join()).to.match(/^in_\w+ \(INV-\d{6}\) is open\.$/);
      await pages.worker.drain();
      expect(mails.map(({ to }) => to)).to.deep.equal(['ada@example.com']);
      const charged = await pages.draft(payer, [1_900], {});
      expect((await paymount(own, 'invoices', 'send', charged)).exitCode).to.equal(1);
    } finally {
      await pages.close();
    }
  });

  it('end with 1 and the words of the API when it refuses, and name the flag', async () => {
    const id = await newDraft();
    const method = await shop.attach(customer, 'pm_card_visa_chargeDeclined');
    const declined = await run('invoices', 'pay', id, '--payment-method', method);
    expect([declined.exitCode, declined.out]).to.deep.equal([1, []]);
    expect(declined.said).to.match(/declined/);
    const unknown = await run('invoices', 'pay', id, '--payment-method', `pm_${'0'.repeat(26)}`);
    expect(unknown.said).to.match(/^paymount: --payment-method: /);
    const status = await run('subscriptions', 'list', '--status', 'gone');
    expect([status.exitCode, status.said.startsWith('paymount: --status: ')]).to.deep.equal([
      1,
      true,
    ]);
    const { secret } = await makeKey(app.paymount, app.account, {
      type: 'restricted',
      scopes: ['charges:read'],
    });
    const weak = await paymount({ ...env, PAYMOUNT_API_KEY: secret }, 'invoices', 'list');
    expect([weak.exitCode, weak.said.includes('subscriptions:write')]).to.deep.equal([1, true]);
  });

  it('take no other text for an id', async () => {
    for (const [args, said] of [
      [['subscriptions', 'show', '../charges'], 'A subscription has an id such as sub_...'],
      [['subscriptions', 'cancel', 'in_1?x=1'], 'A subscription has an id such as sub_...'],
      [['invoices', 'void', 'in_1/pay'], 'An invoice has an id such as in_...'],
    ] as const) {
      const refused = await run(...args);
      expect([refused.exitCode, refused.said]).to.deep.equal([2, `paymount: ${said}`]);
    }
  });
});
