import type { AccountId, MailId } from '../../kernel/basics/id.ts';

/** An e-mail in the outbox: written in the transaction of its cause, sent by a worker. */
export interface Mail {
  readonly id: MailId;
  /** A second mail with the same key is not written: one mail per cause. */
  readonly dedupeKey: string;
  readonly accountId?: AccountId;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly created: Date;
}

/** Sends e-mail; the adapter is the host's or SMTP. */
export interface Mailer {
  /**
   * @param mail its id becomes the `Message-ID`, so that a mail sent twice after a crash is one
   * @throws if the mail was not accepted; Paymount tries again later
   */
  send(mail: Mail): Promise<void>;
}

export interface ClaimedMail extends Mail {
  /** Number of this attempt, from 1. */
  readonly attempt: number;
}

/** The outbox. */
export interface MailStore {
  /** Writes a mail that belongs to no change; one whose `dedupeKey` is there already is left out. */
  add(mail: Mail): Promise<void>;
  /** Leases due mails with SKIP LOCKED: two callers never get the same mail. */
  claimDue(claim: {
    readonly now: Date;
    readonly limit: number;
    readonly leaseMs: number;
  }): Promise<readonly ClaimedMail[]>;
  /** Records the result of an attempt; a mail that is sent or given up stays so. */
  close(
    id: MailId,
    end:
      | { readonly sentAt: Date }
      | { readonly retryAt: Date; readonly error: string }
      | { readonly failedAt: Date; readonly error: string },
  ): Promise<void>;
  /** Deletes the mails written before, sent or not. @returns how many */
  purge(before: Date, limit: number): Promise<number>;
}
