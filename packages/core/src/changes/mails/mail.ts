import type { Environment } from '../../kernel/basics/environment.ts';
import type { AccountId, CustomerId, InvoiceId, MailId } from '../../kernel/basics/id.ts';

/**
 * The link of a mail to a customer. Its address gives access to the invoice, so that it is written only into the mail
 * that is sent: the outbox is kept for months.
 */
export interface MailLink {
  readonly environment: Environment;
  readonly invoice: InvoiceId;
  /** A line with `{url}`, which is replaced. */
  readonly text: string;
  /** The same as markup. */
  readonly html: string;
}

/** Where a link stands in the markup of a mail. */
export const LINK_MARK = '<!--link-->';

/** An e-mail in the outbox: written in the transaction of its cause, sent by a worker. */
export interface Mail {
  readonly id: MailId;
  /** A second mail with the same key is not written: one mail per cause. */
  readonly dedupeKey: string;
  readonly accountId?: AccountId;
  /** To whom it is, if it is to a customer: it is deleted with him. */
  readonly customerId?: CustomerId;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The page of the dashboard that it is about, below its URL: `acct_…/live/charges/ch_…`. */
  readonly page?: string;
  /** Of a mail to a customer. @defaultValue none */
  readonly link?: MailLink;
  readonly created: Date;
}

/**
 * An e-mail as a change writes it. `to` is absent for one to the owner of the account: its address is
 * looked up as it is written, and nothing is written if there is none.
 */
export type WrittenMail =
  | Mail
  | (Omit<Mail, 'to' | 'accountId'> & { readonly accountId: AccountId; readonly to?: never });

/** Sends e-mail; the adapter is the host's or SMTP. */
export interface Mailer {
  /**
   * @param mail its id becomes the `Message-ID`, so that a mail sent twice after a crash is one
   * @throws if the mail was not accepted; Paymount tries again later
   */
  send(mail: Mail): Promise<void>;
}
