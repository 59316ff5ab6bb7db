import type { MailId } from '../../kernel/basics/id.ts';
import type { Mail } from './mail.ts';

export interface ClaimedMail extends Mail {
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /** The name of its account now. */
  readonly accountName?: string;
}

/** The outbox. */
export interface MailQueue {
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
