import type { AccountReader } from '@paymount/core/access';
import {
  type InvoiceReader,
  type InvoiceTexts,
  type IssuedInvoice,
  type SellerOf,
  type SubscriptionReader,
  sellerFacts,
} from '@paymount/core/billing';
import {
  type Clock,
  chooseLanguage,
  type Environment,
  errorFacts,
  fill,
  type InvoiceId,
  type Owner,
  PaymountError,
  parseId,
  type RequestId,
} from '@paymount/core/kernel';
import { type ChargeReader, timeOf } from '@paymount/core/payments';
import { connectionHeaders, type RouteResponse } from '@paymount/http';
import {
  type InvoiceDocument,
  type InvoiceFacts,
  type Paper,
  toInvoiceDocument,
} from './invoice-document.ts';
import type { InvoiceLooks } from './invoice-looks.ts';
import { type PaperLinks, renderInvoice, renderProblem } from './page/render-invoice.ts';
import type { PdfPrinter } from './pdf/pdf-printer.ts';

export interface InvoicePagesPorts {
  readonly environment: Environment;
  readonly looks: InvoiceLooks;
  readonly sellerOf: SellerOf;
  /** Of dates that no subscription gives a zone. */
  readonly timeZone: string;
  /** Whether a token is that of an invoice; takes the same time for every wrong one. */
  readonly isGenuine: (of: Owner & { readonly id: InvoiceId }, token: string) => boolean;
  readonly read: {
    readonly accounts: AccountReader;
    readonly invoices: InvoiceReader;
    readonly subscriptions: SubscriptionReader;
    readonly charges: ChargeReader;
  };
  readonly printer: Pick<PdfPrinter, 'print'>;
  readonly clock: Clock;
}

/** The part of an address after its token. */
const SUFFIXES = {
  '': { paper: 'invoice', isPdf: false },
  '/invoice.pdf': { paper: 'invoice', isPdf: true },
  '/receipt': { paper: 'receipt', isPdf: false },
  '/receipt.pdf': { paper: 'receipt', isPdf: true },
} as const satisfies Readonly<Record<string, { readonly paper: Paper; readonly isPdf: boolean }>>;
const PATH =
  /^\/(?<account>acct_\w+)\/(?<invoice>in_\w+)\/(?<token>[\w-]{32})(?<suffix>|\/invoice\.pdf|\/receipt|\/receipt\.pdf)$/;
/** Said to every cache, crawler and other site. A link in the page does not pass the address on. */
const PRIVATE = {
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow, noarchive',
} as const;

/** The pages and PDFs of one mount. A wrong address gets the same answer, whatever is wrong with it. */
export class InvoicePages {
  readonly #ports: InvoicePagesPorts;

  constructor(ports: InvoicePagesPorts) {
    this.#ports = ports;
  }

  /** The pattern of a path, for logs: never the address, which gives access. */
  static routeOf(pathname: string): string | undefined {
    const suffix = PATH.exec(pathname)?.groups?.['suffix'];
    return suffix === undefined ? undefined : `/:account/:invoice/:token${suffix}`;
  }

  /**
   * Answers a GET.
   * @param accept `Accept-Language` of the browser
   * @throws PaymountError `route_missing` for any address that was not given out
   */
  async respond(pathname: string, accept: string | undefined): Promise<RouteResponse> {
    const { looks, printer } = this.#ports;
    const language = chooseLanguage(looks.languages, accept);
    const asked = this.#read(pathname);
    const facts = asked && (await this.#load(asked));
    if (asked === undefined || facts === undefined) throw new PaymountError('route_missing');
    const { paper, isPdf, token, of } = asked;
    const content = toInvoiceDocument(facts, paper, language);
    if (isPdf) {
      return pdfResponse(content, await printer.print(printed(looks, content), of.accountId));
    }
    const links = linksOf(paper, token, facts.invoice);
    const page = renderInvoice(looks, content, { texts: language.texts, links });
    return { ...page, headers: { ...page.headers, ...PRIVATE } };
  }

  /** The page for an error. @param requestId with which the log names its cause */
  renderError(
    error: PaymountError,
    accept: string | undefined,
    requestId: RequestId,
  ): RouteResponse {
    const { status } = errorFacts(error.code);
    const { language, texts } = chooseLanguage(this.#ports.looks.languages, accept);
    const message = fill(problemOf(texts, status), { request: requestId });
    const { title } = texts.problems;
    const page = renderProblem(this.#ports.looks, { status, language, title, message });
    return { ...page, headers: { ...page.headers, ...PRIVATE, ...connectionHeaders(error) } };
  }

  #read(pathname: string) {
    const { account, invoice, token, suffix } = PATH.exec(pathname)?.groups ?? {};
    const { environment, isGenuine } = this.#ports;
    const accountId = parseId('acct', account ?? '');
    const id = parseId('in', invoice ?? '');
    if (!accountId || !id || token === undefined || !isSuffix(suffix)) return undefined;
    const of = { accountId, environment, id };
    return isGenuine(of, token) ? { of, token, ...SUFFIXES[suffix] } : undefined;
  }

  /** Undefined also for the receipt of what is not paid. */
  async #load({
    of,
    paper,
  }: {
    readonly of: Owner & { readonly id: InvoiceId };
    readonly paper: Paper;
  }): Promise<InvoiceFacts | undefined> {
    const { read, sellerOf, clock } = this.#ports;
    const invoice = await read.invoices.find(of, of.id);
    if (invoice === undefined || !('issue' in invoice)) return undefined;
    if (paper === 'receipt' && invoice.status !== 'paid') return undefined;
    const { subscriptionId, chargeId, accountId } = invoice;
    const [account, subscription, charge] = await Promise.all([
      read.accounts.find(accountId),
      subscriptionId === null ? undefined : read.subscriptions.find(of, subscriptionId),
      chargeId === null ? undefined : read.charges.find(of, chargeId),
    ]);
    if (account === undefined) return undefined;
    return {
      invoice,
      seller: sellerFacts(account, sellerOf),
      timeZone: subscription?.calendar.timezone ?? this.#ports.timeZone,
      charge,
      now: timeOf(invoice, clock.now()),
    };
  }
}

function isSuffix(text: string | undefined): text is keyof typeof SUFFIXES {
  return text !== undefined && Object.hasOwn(SUFFIXES, text);
}

/** Relative, so that they are right under every mount and behind every proxy. */
function linksOf(paper: Paper, token: string, { status }: IssuedInvoice): PaperLinks {
  if (paper === 'receipt') return { pdf: 'receipt.pdf', other: `../${token}` };
  const other = status === 'paid' ? { other: `${token}/receipt` } : {};
  return { pdf: `${token}/invoice.pdf`, ...other };
}

/** What the thread draws: the paper, and the looks of the host. */
function printed(
  { name, logoUrl, colors }: InvoiceLooks,
  content: InvoiceDocument,
): Parameters<PdfPrinter['print']>[0] {
  return {
    content,
    text: colors.text,
    ...(name !== undefined && { name }),
    ...(logoUrl !== undefined && { logoUrl }),
  };
}

function pdfResponse({ number, paper }: InvoiceDocument, bytes: Uint8Array): RouteResponse {
  const fileName = paper === 'receipt' ? `${number}-receipt.pdf` : `${number}.pdf`;
  return {
    status: 200,
    body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    headers: {
      'Content-Type': 'application/pdf',
      'Content-Disposition': `attachment; filename="${fileName}"`,
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      ...PRIVATE,
    },
  };
}

function problemOf({ problems }: InvoiceTexts, status: number): string {
  if (status === 429) return problems.tooMany;
  if (status === 503) return problems.unavailable;
  return status >= 500 ? problems.failed : problems.unknown;
}
