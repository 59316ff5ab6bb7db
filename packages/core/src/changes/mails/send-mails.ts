import type { Clock } from '../../kernel/basics/clock.ts';
import type { CrashPoint } from '../../kernel/basics/crash-point.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { withTimeout } from '../../kernel/basics/with-timeout.ts';
import { toError } from '../../kernel/errors/to-error.ts';
import { finishMail, type LinkTargets } from './finish-mail.ts';
import type { Mailer } from './mail.ts';
import type { ClaimedMail, MailQueue } from './mail-repository.ts';
import { isSendable, retryMailAt } from './mail-schedule.ts';

const BATCH = 10;
/** After this time an attempt counts as failed. */
const SEND_LIMIT_MS = 60_000;
/**
 * Longer than a batch in which every mail reaches the limit, so that two processes never send one
 * mail.
 */
const LEASE_MS = (BATCH + 5) * SEND_LIMIT_MS;

export interface SendMailsPorts extends LinkTargets {
  readonly mails: MailQueue;
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly crashPoint: CrashPoint;
  /**
   * Once it returns true, no further mail is sent; claimed mails are due again when their lease
   * ends.
   */
  readonly isClosing: () => boolean;
}

/**
 * Sends one batch of due mails from the outbox, one after another. Failed mails are tried again
 * after 1 minute up to 6 hours, ten times in all; mails older than 7 days are dropped.
 * @returns whether more mails may be due
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
    ports.crashPoint('mail.before_smtp');
    await inTime(mailer.send(finishMail(mail, ports)));
    ports.crashPoint('mail.after_smtp');
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
  const err = toError(cause);
  const facts = { mail: mail.id, account: mail.accountId, attempt: mail.attempt, err };
  const now = clock.now();
  const retryAt = retryMailAt(mail.attempt, now);
  if (retryAt === undefined) {
    await mails.close(mail.id, { failedAt: now, error: err.message });
    logger.error(facts, 'A mail could not be sent, and is given up.');
    return;
  }
  await mails.close(mail.id, { retryAt, error: err.message });
  logger.warn(facts, 'A mail could not be sent; Paymount tries again.');
}

async function inTime(sending: Promise<void>): Promise<void> {
  await withTimeout(sending, SEND_LIMIT_MS, () => {
    throw new Error(`The mailer did not answer within ${SEND_LIMIT_MS} ms.`);
  });
}
