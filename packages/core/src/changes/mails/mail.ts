import type { AccountId, MailId } from '../../kernel/basics/id.ts';

/** An e-mail in the outbox: written in the transaction of its cause, sent by a worker. */
export interface Mail {
  readonly id: MailId;
  /** A second mail with the same one is not written: once per cause. */
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
   * @throws when it was not accepted; it is tried again later
   */
  send(mail: Mail): Promise<void>;
}

export interface ClaimedMail extends Mail {
  /** Number of this try, from 1. */
  readonly attempt: number;
}

/** The outbox. */
export interface MailStore {
  /** Leases what is due, SKIP LOCKED: two callers never get one mail. */
  claimDue(claim: {
    readonly now: Date;
    readonly limit: number;
    readonly leaseMs: number;
  }): Promise<readonly ClaimedMail[]>;
  /** Records how a try ended; a mail that is sent or given up stays so. */
  close(
    id: MailId,
    end:
      | { readonly sentAt: Date }
      | { readonly retryAt: Date; readonly error: string }
      | { readonly failedAt: Date; readonly error: string },
  ): Promise<void>;
  /** Deletes what was written before, sent or not. @returns how many */
  purge(before: Date, limit: number): Promise<number>;
}
