import type { CustomerEmails, InvoiceSeller, SellerOf } from '@paymount/core/billing';
import { ENVIRONMENTS, type Environment } from '@paymount/core/kernel';
import {
  createInvoiceLooks,
  type InvoiceLooks,
  type InvoiceLooksOptions,
  type PdfFonts,
} from '@paymount/documents';
import { requirePublicUrl } from './public-url.ts';

/** What customers get of their invoices. */
export interface InvoiceSettings {
  /**
   * The public URLs of your mounts of `invoiceRouter()`, without a slash at the end, such as
   * `https://pay.example.com/invoices`. In live they use https. Set them in all processes.
   * @defaultValue no pages: `hosted_invoice_url` and `invoice_pdf` are null
   */
  readonly urls?: Readonly<Partial<Record<Environment, string>>>;
  /**
   * Who issues the invoices: a name, and lines such as your address and tax number. Pass a function if
   * your merchants have addresses of their own.
   * @defaultValue the name of the account
   */
  readonly seller?: InvoiceSeller | SellerOf;
  /** The looks of the pages and PDFs, and the texts. */
  readonly appearance?: InvoiceLooksOptions;
  /** Which e-mails customers get without being asked for. @defaultValue none */
  readonly emails?: CustomerEmails;
  /** The zone of dates on invoices without a subscription, such as `Europe/Berlin`. @defaultValue `UTC` */
  readonly timeZone?: string;
  /**
   * Files of the fonts of PDFs, for scripts that DejaVu Sans does not have, such as Chinese.
   * @defaultValue DejaVu Sans, of the package `dejavu-fonts-ttf`
   */
  readonly fonts?: PdfFonts;
}

/** The settings, checked and ready to use. */
export interface ReadInvoiceSettings {
  readonly urls: Readonly<Partial<Record<Environment, string>>>;
  readonly sellerOf: SellerOf;
  readonly sends: CustomerEmails;
  readonly looks: InvoiceLooks;
  readonly timeZone: string;
  readonly fonts?: PdfFonts;
}

const MAX_DETAILS = 10;

/**
 * Checks the settings of invoices.
 * @throws Error or TypeError that names the option and says what it must be
 */
export function readInvoiceSettings(settings: InvoiceSettings = {}): ReadInvoiceSettings {
  const { urls = {}, seller = {}, appearance, timeZone = 'UTC', fonts, emails = {} } = settings;
  for (const environment of ENVIRONMENTS) {
    const url = urls[environment];
    if (url !== undefined) requirePublicUrl(url, environment, `invoices.urls.${environment}`);
  }
  assertTimeZone(timeZone);
  if (typeof seller !== 'function') assertSeller(seller);
  return {
    urls,
    sellerOf:
      typeof seller === 'function' ? (account) => assertSeller(seller(account)) : () => seller,
    sends: emails,
    looks: createInvoiceLooks(appearance),
    timeZone,
    ...(fonts && { fonts }),
  };
}

function assertTimeZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch (cause) {
    const message = '`invoices.timeZone` is a time zone such as Europe/Berlin.';
    throw new TypeError(message, { cause });
  }
}

function assertSeller(seller: InvoiceSeller): InvoiceSeller {
  const { name = '', details = [] } = seller;
  const isRight =
    typeof name === 'string' && Array.isArray(details) && details.length <= MAX_DETAILS;
  if (isRight && details.every((line) => typeof line === 'string')) return seller;
  throw new TypeError(
    `\`invoices.seller\` is \`{ name, details }\`, or a function that returns it: a text, and at most ${MAX_DETAILS} lines.`,
  );
}
