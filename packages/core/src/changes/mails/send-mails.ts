import type { Clock } from '../../kernel/basics/clock.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { isError } from '../../kernel/errors/is-error.ts';
import type { ClaimedMail, Mailer, MailStore } from './mail.ts';
import { isSendable, retryMailAt } from './mail-schedule.ts';

const BATCH = 10;
/** A mailer that has not answered by then is taken to have failed. */
const SEND_LIMIT_MS = 60_000;
/** Longer than a batch whose every mail runs into the limit, so that no mail is sent by two. */
const LEASE_MS = (BATCH + 5) * SEND_LIMIT_MS;

export interface SendMailsPorts {
  readonly mails: MailStore;
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Once true, no further mail is begun; what was claimed is due again when its lease ends. */
  readonly isClosing: () => boolean;
}

/**
 * Sends one batch of what is due in the outbox, one mail after the other. What fails is tried
 * again after 1 minute up to 6 hours, ten times in all; what is older than 7 days is dropped.
 * @returns whether more may be waiting
 */
export async function sendMails(ports: SendMailsPorts): Promise<boolean> {
  const { mails, clock } = ports;
  const claim = { now: clock.now(), limit: BATCH, leaseMs: LEASE_MS };
  const claimed = await mails.claimDue(claim);
  for (const mail of claimed) {
    if (ports.isClosing()) return false;
    await sendOne(ports, mail);
  }
  return claimed.length === BATCH;
}

async function sendOne(ports: SendMailsPorts, mail: ClaimedMail): Promise<void> {
  const { mails, mailer, clock, logger } = ports;
  const facts = { mail: mail.id, account: mail.accountId, attempt: mail.attempt };
  if (!isSendable(mail, clock.now())) {
    await mails.close(mail.id, { failedAt: clock.now(), error: 'Older than 7 days.' });
    logger.warn(facts, 'A mail was dropped: it is older than 7 days.');
    return;
  }
  try {
    await inTime(mailer.send(mail));
  } catch (cause) {
    await recordFailure(ports, mail, cause);
    return;
  }
  await mails.close(mail.id, { sentAt: clock.now() });
  logger.info(facts, 'A mail was sent.');
}

async function recordFailure(
  { mails, clock, logger }: SendMailsPorts,
  mail: ClaimedMail,
  cause: unknown,
): Promise<void> {
  const err = isError(cause) ? cause : new Error(String(cause));
  const facts = { mail: mail.id, account: mail.accountId, attempt: mail.attempt, err };
  const now = clock.now();
  const retryAt = retryMailAt(mail.attempt, now);
  if (retryAt === undefined) {
    await mails.close(mail.id, { failedAt: now, error: err.message });
    logger.error(facts, 'A mail could not be sent, and is given up.');
    return;
  }
  await mails.close(mail.id, { retryAt, error: err.message });
  logger.warn(facts, 'A mail could not be sent; it is tried again.');
}

async function inTime(sending: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`The mailer did not answer within ${SEND_LIMIT_MS} ms.`)),
      SEND_LIMIT_MS,
    );
  });
  try {
    await Promise.race([sending, limit]);
  } finally {
    clearTimeout(timer);
  }
}
