import { expect } from 'chai';
import type { Mail } from 'paymount';
import { query } from '../support/database.ts';
import { PAGES_URL, startHost } from '../support/host.ts';
import { type PagesShop, startPagesShop } from '../support/invoice-pages.ts';
import { type Json, refusal } from '../support/invoice-shop.ts';

const BY_HAND = { collection_method: 'send_invoice', days_until_due: 14 };

describe('Sending an invoice', () => {
  const mails: Mail[] = [];
  let shop: PagesShop;
  let customer: string;
  before(async () => {
    shop = await startPagesShop(
      { appearance: { name: 'Tea & Co', colors: { accent: '#0b6e4f' } } },
      { paymount: { mailer: { send: async (mail) => void mails.push(mail) } } },
    );
  });
  after(() => shop.close());
  beforeEach(async () => {
    customer = await shop.newCustomer('pm_card_visa');
    mails.length = 0;
  });

  async function sent(): Promise<readonly Mail[]> {
    await shop.worker.drain();
    return mails;
  }

  it('issues a draft, and writes to the customer with the link, each time', async () => {
    const footer = 'IBAN <1>\nThank you';
    const id = await shop.draft(customer, [1_900], { ...BY_HAND, footer });
    const { status, number, hosted_invoice_url: url } = await shop.make(`/invoices/${id}/send`);
    expect(status).to.equal('open');
    const [mail, ...others] = await sent();
    expect(others).to.deep.equal([]);
    expect(mail).to.include({
      to: 'ada@example.com',
      subject: `Invoice ${String(number)} from Test shop`,
    });
    expect(mail?.text).to.equal(
      `Test mode: no real money moves.

Test shop sends you the invoice ${String(number)}.

Please pay 19.00 EUR by 5 December 2026.

- Invoice number: ${String(number)}
- Date of issue: 21 November 2026
- Due date: 5 December 2026
- Amount due: 19.00 EUR

IBAN <1>
Thank you

Show the invoice: ${String(url)}
`,
    );
    expect(mail?.html).to.include(`<a href="${String(url)}" style="background:#0b6e4f;`);
    expect(mail?.html)
      .to.include('<strong>Tea &amp; Co</strong>')
      .and.include('IBAN &lt;1&gt;<br>');
    expect((await shop.openPage(url)).status).to.equal(200);
    await shop.make(`/invoices/${id}/send`);
    expect(await sent()).to.have.length(2);
  });

  it('has no address in the outbox, and one mail for a repeated request', async () => {
    const id = await shop.draft(customer, [1_900], BY_HAND);
    const headers = { 'idempotency-key': 'send-once' };
    const first = await shop.post(`/invoices/${id}/send`, {}, { headers });
    const again = await shop.post(`/invoices/${id}/send`, {}, { headers });
    expect(again.text).to.equal(first.text);
    const token = String(first.json['hosted_invoice_url']).slice(-32);
    const rows = await query<{ row: string }>(
      shop.databaseUrl,
      `SELECT m::text AS row FROM paymount.mails m WHERE link->>'invoice' = $1`,
      [id],
    );
    expect(rows).to.have.length(1);
    expect(rows[0]?.row).not.to.include(token);
    expect(await sent()).to.have.length(1);
  });

  it('writes in the language that the customer prefers', async () => {
    await shop.make(`/customers/${customer}`, { preferred_locales: ['fr', 'de-CH'] });
    const id = await shop.draft(customer, [1_900], BY_HAND);
    await shop.make(`/invoices/${id}/send`);
    const [mail] = await sent();
    expect(mail?.subject).to.match(/^Rechnung INV-\d{6} von Test shop$/);
    expect(mail?.text).to.include('Bitte zahlen Sie 19.00 EUR bis zum 5. Dezember 2026.');
    expect(mail?.html).to.include('<html lang="de">').and.include('>Rechnung anzeigen</a>');
  });

  it('sends a paid and an uncollectible invoice too, without asking for money', async () => {
    const id = await shop.draft(customer, [1_900], BY_HAND);
    await shop.make(`/invoices/${id}/pay`, { paid_out_of_band: true });
    await shop.make(`/invoices/${id}/send`);
    const lost = await shop.draft(customer, [1_900], BY_HAND);
    await shop.make(`/invoices/${lost}/finalize`);
    await shop.make(`/invoices/${lost}/mark_uncollectible`);
    await shop.make(`/invoices/${lost}/send`);
    const texts = (await sent()).map(({ text }) => text);
    expect(texts).to.have.length(2);
    for (const text of texts) expect(text).not.to.include('Please pay');
  });

  it('refuses what cannot be sent, and issues nothing then', async () => {
    const send = (id: string) => refusal(shop.post(`/invoices/${id}/send`));
    const charged = await shop.draft(customer, [1_900]);
    expect(await send(charged)).to.deep.equal([400, 'invoice_charged_automatically', undefined]);
    const gone = await shop.draft(customer, [1_900], BY_HAND);
    await shop.make(`/invoices/${gone}/finalize`);
    await shop.make(`/invoices/${gone}/void`);
    expect(await send(gone)).to.deep.equal([400, 'status_transition_invalid', undefined]);
    await shop.make(`/customers/${customer}`, { email: '' });
    const draft = await shop.draft(customer, [1_900], BY_HAND);
    expect(await send(draft)).to.deep.equal([400, 'customer_email_missing', undefined]);
    const states = await Promise.all(
      [charged, draft].map(async (id) => (await shop.read(`/invoices/${id}`))['status']),
    );
    expect(states).to.deep.equal(['draft', 'draft']);
    expect(await send('in_01jd3n1h4cf8k8m3v7t2q9x5ra')).to.deep.equal([
      404,
      'resource_missing',
      undefined,
    ]);
    expect(await sent()).to.deep.equal([]);
  });

  it('sends an invoice ten times a day at most', async () => {
    const [id, other] = [
      await shop.draft(customer, [1_900], BY_HAND),
      await shop.draft(customer, [500], BY_HAND),
    ];
    const send = () => shop.post(`/invoices/${id}/send`);
    const answers = await Promise.all(Array.from({ length: 12 }, send));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(
      refused.map(({ status, error }) => [status, error['code'], error['message']]),
    ).to.deep.equal(
      Array(2).fill([
        429,
        'rate_limit',
        'This invoice was sent 10 times within 24 hours; send it again tomorrow.',
      ]),
    );
    expect(refused[0]?.headers['retry-after']).to.equal('86400');
    await shop.make(`/invoices/${other}/send`);
    expect(await sent()).to.have.length(11);
  });

  it('refuses without pages, and is a call in process too', async () => {
    const id = await shop.draft(customer, [1_900], BY_HAND);
    const host = await startHost(shop, { paymount: { invoices: {} } });
    try {
      const refused = await host.paymount.invoices
        .send(shop.acting, id)
        .catch((error: Json) => error);
      expect(refused).to.include({ code: 'invoice_pages_missing' });
    } finally {
      await host.close();
    }
    const { hosted_invoice_url: url } = await shop.paymount.invoices.send(shop.acting, id);
    expect(url).to.match(new RegExp(`^${PAGES_URL}/`));
    expect(await sent()).to.have.length(1);
  });
});
