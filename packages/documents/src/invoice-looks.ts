import { createHash } from 'node:crypto';
import { createCustomerLanguages, type InvoiceTexts } from '@paymount/core/billing';
import type { Languages, TextOverrides } from '@paymount/core/kernel';
import { logoSource, type PageColors, toPageColors } from '@paymount/http';
import { styles } from './page/styles.ts';

/** The looks of what customers get. */
export interface InvoiceLooksOptions {
  /** The name of your product, at the top. */
  readonly name?: string;
  /**
   * An https or `data:image/` address of a logo, shown 40 pixels high. A PDF has it if it is a PNG or
   * JPEG in a `data:` address.
   */
  readonly logoUrl?: string;
  /** As `#rrggbb`; texts must have a contrast of at least 4.5 to what is behind them. */
  readonly colors?: Partial<PageColors>;
  /**
   * Texts by language, such as `de`; they replace or add to the built-in English and German. Each
   * has the placeholders of the English one. Texts of `de-AT` add to those of `de`.
   */
  readonly texts?: Readonly<Record<string, TextOverrides<InvoiceTexts>>>;
}

/** The looks, checked and ready to use. */
export interface InvoiceLooks {
  readonly name?: string;
  readonly logoUrl?: string;
  readonly colors: PageColors;
  readonly languages: Languages<InvoiceTexts>;
  readonly css: string;
  /** The content security policy of a page. */
  readonly csp: string;
}

const OPTION = 'invoices.appearance';

/**
 * Checks the looks that a host chose.
 * @throws TypeError for colors, a logo or texts that cannot be used
 */
export function createInvoiceLooks(options: InvoiceLooksOptions = {}): InvoiceLooks {
  const { name, logoUrl, texts } = options;
  const colors = toPageColors(options.colors, OPTION);
  const css = styles(colors);
  const hash = createHash('sha256').update(css).digest('base64');
  const images = logoUrl === undefined ? '' : `; img-src ${logoSource(logoUrl, OPTION)}`;
  return {
    ...(name === undefined ? {} : { name }),
    ...(logoUrl === undefined ? {} : { logoUrl }),
    colors,
    languages: createCustomerLanguages(texts, `${OPTION}.texts`),
    css,
    csp: `default-src 'none'; style-src 'sha256-${hash}'${images}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  };
}
