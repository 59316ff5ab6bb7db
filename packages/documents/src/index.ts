// What customers get of their invoices: the page and the PDF of an invoice and of its receipt. It reads
// what was issued and decides nothing about it; core does. PDFs are made in a thread of their own. Start
// at `invoice-pages.ts`; `invoice-document.ts` says what both forms contain.
export type { InvoiceLooks, InvoiceLooksOptions } from './invoice-looks.ts';
export { createInvoiceLooks } from './invoice-looks.ts';
export type { InvoicePagesPorts } from './invoice-pages.ts';
export { InvoicePages } from './invoice-pages.ts';
export type { PdfFonts } from './pdf/pdf-printer.ts';
export { PdfPrinter } from './pdf/pdf-printer.ts';
