import { once } from 'node:events';
import { get, type IncomingHttpHeaders } from 'node:http';
import type { PaymountOptions } from 'paymount';
import { PAGES_URL } from './host.ts';
import { type InvoiceShop, startInvoiceShop } from './invoice-shop.ts';

export interface Document {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** Of a page. */
  readonly text: string;
}

/** A merchant whose customers can open their invoices. */
export interface PagesShop extends InvoiceShop {
  /** Opens a public address. @param language `Accept-Language` */
  openPage(address: unknown, language?: string): Promise<Document>;
}

/** Starts a host with pages of invoices; `close()` it in `after`. */
export async function startPagesShop(
  invoices: NonNullable<PaymountOptions['invoices']> = {},
  options: NonNullable<Parameters<typeof startInvoiceShop>[0]> = {},
): Promise<PagesShop> {
  const shop = await startInvoiceShop({
    mount(app, paymount) {
      app.use(paymount.router({ environment: 'test' }));
      app.use('/invoices', paymount.invoiceRouter({ environment: 'test', requireTls: false }));
    },
    ...options,
    paymount: { invoices: { urls: { test: PAGES_URL }, ...invoices }, ...options.paymount },
  });
  return { ...shop, openPage: (address, language) => openAt(shop.url, address, language) };
}

/** Opens a public address at an app. */
export async function openAt(
  url: string,
  address: unknown,
  language?: string,
  method = 'GET',
): Promise<Document> {
  const local = String(address).replace(PAGES_URL, `${url}/invoices`);
  const headers = language === undefined ? {} : { 'accept-language': language };
  const request = get(local, { headers, method, agent: false });
  const [response] = await once(request, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return {
    status: response.statusCode,
    headers: response.headers,
    bytes,
    text: bytes.toString('utf8'),
  };
}

/** What people read on a page: its text, line by line, without markup. */
export function readPage(html: string): string {
  return html
    .replace(/<style>.*<\/style>/s, '')
    .replace(/<title>.*<\/title>/s, '')
    .replace(/<[^>]+>/g, '\n')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/\n\s*/g, '\n')
    .trim();
}

/** The parts of a content security policy. */
export function policyOf({ headers }: Document): readonly string[] {
  return String(headers['content-security-policy']).split('; ');
}
