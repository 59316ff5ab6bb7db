import type { Languages } from '../../kernel/texts/languages.ts';
import type { InvoiceTexts } from '../customer-texts/invoice-texts.ts';
import type { SellerOf } from '../customer-texts/seller.ts';

/** How e-mails to customers look and read. */
export interface CustomerMailSettings {
  readonly looks: {
    /** At the top. @defaultValue the name of the seller */
    readonly name?: string;
    readonly colors: {
      readonly background: string;
      readonly text: string;
      readonly accent: string;
      readonly accentText: string;
    };
    readonly languages: Languages<InvoiceTexts>;
  };
  readonly sellerOf: SellerOf;
  /** Of dates that no subscription gives a zone. */
  readonly timeZone: string;
}
