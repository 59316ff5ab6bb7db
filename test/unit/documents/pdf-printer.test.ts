import type { AccountId } from '@paymount/core/kernel';
import { PdfPrinter } from '@paymount/documents';
import { expect } from 'chai';
import { rejectionCode } from '../../support/rejection-code.ts';

type Paper = Parameters<PdfPrinter['print']>[0];

const BUSY = 'acct_busy' as AccountId;
const QUIET = 'acct_quiet' as AccountId;
const MOST_OF_ACCOUNT = 20;

describe('The printer of PDFs', () => {
  let printer: PdfPrinter;
  beforeEach(() => {
    printer = new PdfPrinter();
  });
  afterEach(() => printer.close());

  it('lets accounts take turns', async () => {
    const order: string[] = [];
    const ask = async (title: string, account: AccountId): Promise<void> => {
      await printer.print(paper(title), account);
      order.push(title);
    };
    const asked = ['1', '2', '3', '4'].map((title) => ask(title, BUSY));
    await Promise.all([...asked, ask('quiet', QUIET)]);
    expect(order).to.deep.equal(['1', 'quiet', '2', '3', '4']);
  });

  it('draws a paper once for all who wait for it, and refuses the 21st of an account', async () => {
    const titles = Array.from({ length: MOST_OF_ACCOUNT }, (_, index) => String(index));
    const drawn = titles.map((title) => printer.print(paper(title), BUSY));
    const ends = drawn.map(rejectionCode);
    const same = printer.print(paper('0'), BUSY);
    expect(await rejectionCode(printer.print(paper('more'), BUSY))).to.equal('unavailable');
    expect((await same) === (await drawn[0])).to.equal(true);
    expect(await rejectionCode(printer.print(paper('more'), QUIET))).to.equal('no error');
    await printer.close();
    expect(await ends.at(-1)).to.equal('unavailable');
  });

  it('refuses a paper that cannot be drawn, and draws the others', async () => {
    const broken = printer.print({ ...paper('broken'), text: '#xyz', content: {} as never }, BUSY);
    const drawn = printer.print(paper('drawn'), BUSY);
    expect(String(await rejectionCode(broken))).to.match(/could not be drawn/);
    expect(Buffer.from((await drawn).subarray(0, 4)).toString()).to.equal('%PDF');
  });
});

function paper(title: string): Paper {
  return {
    text: '#000000',
    content: {
      paper: 'invoice',
      language: 'en',
      title,
      number: 'INV-000001',
      issuedAt: new Date('2026-11-21T12:00:00.000Z'),
      state: 'Due',
      parties: [{ label: 'From', lines: ['Tea'] }],
      facts: [],
      columns: { description: 'Description', quantity: 'Quantity', amount: 'Amount' },
      lines: [{ description: 'Tea', period: '', quantity: '1', amount: '1.00 EUR' }],
      sums: [],
      pageLabel: 'Page {number}',
    },
  };
}
