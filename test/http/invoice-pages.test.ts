import { expect } from 'chai';
import { query } from '../support/database.ts';
import { PAGES_URL, startHost } from '../support/host.ts';
import {
  openAt,
  type PagesShop,
  policyOf,
  readPage,
  startPagesShop,
} from '../support/invoice-pages.ts';
import { INVOICED_AT, type Json } from '../support/invoice-shop.ts';
import { leastTurnMs, mainThreadMs } from '../support/longest-turn.ts';
import { readPdf } from '../support/read-pdf.ts';

const ADDRESS = { line1: 'Marktstraße 1', postal_code: '10115', city: 'Berlin', country: 'DE' };

/** No turn of the event loop may take longer, because all others wait for its end. */
const LIMIT_MS = 50;

describe('The page of an invoice', () => {
  let shop: PagesShop;
  let customer: string;
  before(async () => {
    shop = await startPagesShop({
      seller: { details: ['1 High Street', 'London', 'VAT GB 123'] },
      appearance: { name: 'Tea & Co', logoUrl: 'https://cdn.example.com/logo.svg' },
    });
  });
  after(() => shop.close());
  beforeEach(async () => {
    customer = await shop.newCustomer('pm_card_visa');
    await shop.make(`/customers/${customer}`, { address: ADDRESS });
  });

  async function openOf(amounts: readonly number[], more: object = {}): Promise<Json> {
    const id = await shop.draft(customer, amounts, more);
    return shop.make(`/invoices/${id}/finalize`);
  }

  it('has an address that is read again, which a draft does not have', async () => {
    const id = await shop.draft(customer, [1_900]);
    const draft = await shop.read(`/invoices/${id}`);
    expect([draft['hosted_invoice_url'], draft['invoice_pdf']]).to.deep.equal([null, null]);
    const issued = await shop.make(`/invoices/${id}/finalize`);
    const page = String(issued['hosted_invoice_url']);
    expect(page).to.match(/^https:\/\/pay\.example\.com\/invoices\/acct_\w+\/in_\w+\/[\w-]{32}$/);
    expect(issued['invoice_pdf']).to.equal(`${page}/invoice.pdf`);
    const again = await shop.read(`/invoices/${id}`);
    expect(again['hosted_invoice_url']).to.equal(page);
    const [listed] = await shop.list('/invoices?limit=1');
    expect(listed?.['hosted_invoice_url']).to.equal(page);
  });

  it('is null without the address of a mount, which refuses to start then', async () => {
    const { hosted_invoice_url: address, id } = await openOf([1_900]);
    expect(address).not.to.equal(null);
    const host = await startHost(shop, { paymount: { invoices: {} } });
    try {
      const read = await host.paymount.invoices.retrieve(shop.acting, String(id));
      expect([read.hosted_invoice_url, read.invoice_pdf]).to.deep.equal([null, null]);
      expect(() => host.paymount.invoiceRouter({ environment: 'test' })).to.throw(
        'invoiceRouter() needs `invoices.urls.test` of createPaymount(): the public URL of this mount.',
      );
    } finally {
      await host.close();
    }
  });

  it('shows what was issued, to whom, and what is to be paid', async () => {
    await shop.newItem(customer, 1_234_500, {
      description: 'Tea <b>2 kg</b>',
      period: { start: INVOICED_AT, end: '2026-12-21T12:00:00Z' },
    });
    const invoice = await openOf([-400], {
      collection_method: 'send_invoice',
      days_until_due: 14,
      description: 'Order 7',
      footer: 'Thank you\nPlease come again',
    });
    const page = await shop.openPage(invoice['hosted_invoice_url']);
    expect(page.status).to.equal(200);
    expect(page.text).to.include('<html lang="en">');
    expect(page.text).to.include('Tea &lt;b&gt;2 kg&lt;/b&gt;');
    expect(readPage(page.text).split('\n')).to.deep.equal([
      'Tea & Co',
      'Test mode: no real money moves.',
      `Invoice ${String(invoice['number'])}`,
      '12,341.00 EUR is due on 5 December 2026.',
      'Invoice number',
      String(invoice['number']),
      'Date of issue',
      '21 November 2026',
      'Due date',
      '5 December 2026',
      'From',
      'Test shop',
      '1 High Street',
      'London',
      'VAT GB 123',
      'Billed to',
      'Ada',
      'Marktstraße 1',
      '10115 Berlin',
      'Germany',
      'ada@example.com',
      'Order 7',
      'Description',
      'Quantity',
      'Amount',
      'Tea <b>2 kg</b>',
      '21 November 2026 to 21 December 2026',
      '1',
      '12,345.00 EUR',
      'Tea',
      '21 November 2026',
      '1',
      '-4.00 EUR',
      'Subtotal',
      '12,341.00 EUR',
      'Total',
      '12,341.00 EUR',
      'Amount due',
      '12,341.00 EUR',
      'Thank you',
      'Please come again',
      'Download the invoice (PDF)',
    ]);
  });

  it('becomes a receipt beside it when it is paid, and shows what paid it', async () => {
    const { id, hosted_invoice_url: address } = await openOf([1_900]);
    expect((await shop.openPage(`${String(address)}/receipt`)).status).to.equal(404);
    expect((await shop.openPage(`${String(address)}/receipt.pdf`)).status).to.equal(404);
    await shop.make(`/invoices/${String(id)}/pay`);
    const page = readPage((await shop.openPage(address)).text);
    expect(page).to.include('Paid on 21 November 2026.\n');
    expect(page).to.include('Amount paid\n19.00 EUR\n');
    expect(page).to.include('Show the receipt');
    const receipt = await shop.openPage(`${String(address)}/receipt`);
    const text = readPage(receipt.text);
    expect(text).to.match(/Receipt INV-\d{6}/);
    expect(text).to.include('Date paid\n21 November 2026\nPaid with\nVisa ending in 4242\n');
    expect(receipt.text).to.include('href="receipt.pdf"').and.to.include('href="../');
  });

  it('says what else became of it', async () => {
    const show = async (invoice: Json): Promise<string> =>
      readPage((await shop.openPage(invoice['hosted_invoice_url'])).text);
    const elsewhere = await openOf([1_900]);
    await shop.make(`/invoices/${String(elsewhere['id'])}/pay`, { paid_out_of_band: true });
    expect(await show(elsewhere)).to.include('Paid another way on 21 November 2026.');
    const gone = await openOf([1_900]);
    await shop.make(`/invoices/${String(gone['id'])}/void`);
    expect(await show(gone)).to.include('This invoice is void. Nobody has to pay it.');
    expect(await show(gone)).not.to.include('Amount due');
    const lost = await openOf([1_900]);
    await shop.make(`/invoices/${String(lost['id'])}/mark_uncollectible`);
    expect(await show(lost)).to.include('This invoice is not paid, and is not collected any more.');
    const credit = await openOf([-500]);
    expect(await show(credit)).to.include('Added to your credit\n5.00 EUR\n');
    expect(await show(credit)).to.include('Nothing is to be paid.');
    const less = await openOf([1_900]);
    expect(await show(less)).to.include('Credit used\n-5.00 EUR\nAmount due\n14.00 EUR');
    await shop.make(`/invoices/${String(less['id'])}/pay`);
    const { charge } = await shop.read(`/invoices/${String(less['id'])}`);
    await shop.make('/refunds', { charge, amount: 100 });
    expect(await show(less)).to.include('Amount paid\n14.00 EUR\nRefunded\n1.00 EUR');
  });

  it('is in the language of the browser, and writes amounts by currency', async () => {
    const waiting = { customer, currency: 'jpy', amount: 1_200, description: 'お茶' };
    await shop.make('/invoiceitems', waiting);
    const invoice = await openOf([], { currency: 'jpy' });
    const { text } = await shop.openPage(invoice['hosted_invoice_url'], 'de-AT, en;q=0.5');
    expect(text).to.include('<html lang="de">');
    const page = readPage(text);
    expect(page).to.include('1,200 JPY sind zu zahlen.').and.to.include('お茶');
    expect(page).to.include('Rechnungsdatum\n21. November 2026');
    expect(page).to.include('Deutschland').and.to.include('Testmodus');
  });

  it('has no scripts, no cookies, and is neither stored, indexed nor passed on', async () => {
    const invoice = await openOf([1_900]);
    for (const address of [invoice['hosted_invoice_url'], invoice['invoice_pdf'], PAGES_URL]) {
      const { headers } = await shop.openPage(address);
      expect(headers['cache-control']).to.equal('no-store');
      expect(headers['referrer-policy']).to.equal('no-referrer');
      expect(headers['x-robots-tag']).to.equal('noindex, nofollow, noarchive');
      expect(headers['x-content-type-options']).to.equal('nosniff');
      expect(headers).not.to.have.property('set-cookie');
      expect(headers).not.to.have.property('access-control-allow-origin');
    }
    const page = await shop.openPage(invoice['hosted_invoice_url']);
    expect(policyOf(page).filter((part) => !part.startsWith('style-src'))).to.deep.equal([
      "default-src 'none'",
      'img-src https://cdn.example.com',
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(page.text).not.to.include('<script');
  });

  it('is the same 404 for every address that was not given out', async () => {
    const [invoice, other] = [await openOf([1_900]), await openOf([1_900])];
    const address = String(invoice['hosted_invoice_url']);
    const token = address.slice(-32);
    const flipped = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BA' : 'AA'}`;
    const draft = await shop.draft(customer, [1_900]);
    const ids = [String(invoice['id']), String(other['id'])] as const;
    const wrong = [
      address.replace(token, flipped),
      address.replace(...ids),
      address.replace(ids[0], draft),
      address.replace(ids[0], 'in_01jd3n1h4cf8k8m3v7t2q9x5ra'),
      address.replace(shop.account, 'acct_01jd3n1h4cf8k8m3v7t2q9x5ra'),
      `${address}/`,
      `${address}x`,
      `${address}/other.pdf`,
      address.slice(0, -33),
      PAGES_URL,
    ];
    const [first, ...others] = await Promise.all(wrong.map((each) => shop.openPage(each)));
    expect(first?.status).to.equal(404);
    expect(readPage(first?.text ?? '')).to.equal(
      'Tea & Co\nThis page cannot be shown\nThere is no such page. Check that you have the whole link.',
    );
    for (const each of others) expect([each.status, each.text]).to.deep.equal([404, first?.text]);
    const posted = await openAt(shop.url, address, undefined, 'POST');
    expect(posted.status).to.equal(405);
  });

  it('is at the same address for every process, and nothing in the database has it', async () => {
    const invoice = await openOf([1_900]);
    const { id, hosted_invoice_url: address } = invoice;
    const host = await startHost(shop, {
      mount(app, paymount) {
        app.use('/invoices', paymount.invoiceRouter({ environment: 'test', requireTls: false }));
      },
    });
    try {
      const read = await host.paymount.invoices.retrieve(shop.acting, String(id));
      expect(read.hosted_invoice_url).to.equal(address);
      expect((await openAt(host.url, address)).status).to.equal(200);
    } finally {
      await host.close();
    }
    const [row] = await query(
      shop.databaseUrl,
      'SELECT v.*::text AS row FROM paymount.invoices v WHERE id = $1',
      [id],
    );
    expect(String(row?.['row'])).not.to.include(String(address).slice(-32));
    const secrets = await query(
      shop.databaseUrl,
      `SELECT sealed FROM paymount.installation_secrets WHERE name = 'invoice_links'`,
    );
    expect(secrets).to.have.length(1);
    expect(String(secrets[0]?.['sealed']).split('.')).to.have.length(5);
  });

  it('shows the invoice without what was expunged of the customer', async () => {
    const { id, hosted_invoice_url: address } = await openOf([1_900]);
    const kept = (does: string) =>
      `ALTER TABLE paymount.invoices ${does} TRIGGER invoices_never_change`;
    const nobody = '{"name":null,"email":null,"address":null}';
    await query(
      shop.databaseUrl,
      `${kept('DISABLE')}; UPDATE paymount.invoices SET issued_to = '${nobody}' WHERE id = '${String(id)}'; ${kept('ENABLE')}`,
    );
    const page = readPage((await shop.openPage(address)).text);
    expect(page).to.include('19.00 EUR').and.not.to.include('Ada');
    expect(page).not.to.include('Billed to');
  });

  it('is limited by address', async () => {
    const { hosted_invoice_url: address } = await openOf([1_900]);
    const host = await startHost(shop, {
      paymount: {
        rateLimit: { page: { requests: 1, seconds: 60 } },
      },
      mount(app, paymount) {
        app.use('/invoices', paymount.invoiceRouter({ environment: 'test', requireTls: false }));
      },
    });
    try {
      expect((await openAt(host.url, address)).status).to.equal(200);
      const refused = await openAt(host.url, address);
      expect(refused.status).to.equal(429);
      expect(Number(refused.headers['retry-after'])).to.be.greaterThan(0);
      expect(readPage(refused.text)).to.include('Too many pages were opened from your network.');
    } finally {
      await host.close();
    }
  });

  it('is a PDF too, with the same content in the same bytes each time', async () => {
    const invoice = await openOf([1_900], { description: 'Größe Ω Ж ąę €' });
    const first = await shop.openPage(invoice['invoice_pdf']);
    expect(first.status, first.text).to.equal(200);
    expect(first.headers['content-type']).to.equal('application/pdf');
    expect(first.headers['content-disposition']).to.equal(
      `attachment; filename="${String(invoice['number'])}.pdf"`,
    );
    const [page] = readPdf(first.bytes);
    for (const text of [
      'Tea & Co',
      'Test mode: no real money moves.',
      `Invoice ${String(invoice['number'])}`,
      'Billed to Ada',
      'Größe Ω Ж ąę €',
      'Amount due 19.00 EUR',
      '1 High Street',
    ]) {
      expect(page?.replace(/ +/g, ' ')).to.include(text);
    }
    const again = await shop.openPage(invoice['invoice_pdf']);
    expect(again.bytes.equals(first.bytes)).to.equal(true);
    await shop.make(`/invoices/${String(invoice['id'])}/pay`);
    const receipt = await shop.openPage(`${String(invoice['hosted_invoice_url'])}/receipt.pdf`);
    expect(readPdf(receipt.bytes)[0]).to.include('Visa ending in 4242');
  });

  it('shows names and descriptions that are read from right to left with their words in order', async () => {
    await shop.make(`/customers/${customer}`, { name: 'חברת התה בעמ' });
    await shop.newItem(customer, 1_000, { description: 'תה (2 קג) 50%' });
    const invoice = await openOf([]);
    const [page] = readPdf((await shop.openPage(invoice['invoice_pdf'])).bytes);
    // As it is drawn, from left to right; a space is read between parts.
    expect(page).to.include('Billed to מעב התה תרבח ');
    expect(page).to.include('50% (גק 2 ) הת');
  });

  it('is drawn on several pages while others are answered', async () => {
    const signs = 'Größe Ω Ж ąę €';
    for (let index = 0; index < 250; index += 1) {
      await shop.newItem(customer, 1_000 + index, { description: `${index}. ${signs}` });
    }
    const invoice = await openOf([]);
    let pdf: Buffer = Buffer.alloc(0);
    const print = async (): Promise<void> => {
      pdf = (await shop.openPage(invoice['invoice_pdf'])).bytes;
    };
    expect(await leastTurnMs(print, LIMIT_MS, mainThreadMs)).to.be.below(LIMIT_MS);
    const pages = readPdf(pdf);
    expect(pages.length).to.be.within(8, 16);
    expect(pages[1]).to.match(/^Invoice INV-\d{6} · Page 2 Description Quantity Amount /);
    expect(pages.join(' ')).to.include(`249. ${signs} 21 November 2026 1 12.49 EUR`);
    const page = async (): Promise<unknown> => shop.openPage(invoice['hosted_invoice_url']);
    expect(await leastTurnMs(page, LIMIT_MS, mainThreadMs)).to.be.below(LIMIT_MS);
  });
});
