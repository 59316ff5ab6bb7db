import type { Languages } from '../../kernel/texts/languages.ts';
import type { InvoiceTexts } from '../customer-texts/invoice-texts.ts';
import type { SellerOf } from '../customer-texts/seller.ts';

/** Which e-mails customers get without being asked for. None by default. */
export interface CustomerEmails {
  /** A receipt for each invoice that is paid. @defaultValue false */
  readonly receipt?: boolean;
  /**
   * When a renewal is not paid, once for each period: what the customer can do, never why. The reason may
   * be one that the payer must not learn.
   * @defaultValue false
   */
  readonly paymentFailed?: boolean;
  /**
   * 30 days before a renewal that a card pays which expires before it; for a shorter period, at its
   * beginning.
   * @defaultValue false
   */
  readonly cardExpiring?: boolean;
  /**
   * So many days before a renewal, 1 to 60. A period that is not longer than that has none.
   * @defaultValue none
   */
  readonly upcomingDays?: number;
  /** When a subscription has ended. @defaultValue false */
  readonly canceled?: boolean;
}

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
  readonly sends: CustomerEmails;
  readonly sellerOf: SellerOf;
  /** Of dates that no subscription gives a zone. */
  readonly timeZone: string;
}
