const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Waits between the attempts to send one mail: about 20 hours in all, as long as a server may be
 * down.
 */
const WAITS_SECONDS = [
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  6 * HOUR,
  6 * HOUR,
] as const;

/** Older mails are dropped: a host that configures mail late is not flooded. */
const SENDABLE_SECONDS = 7 * DAY;

/**
 * The time of the next attempt to send a mail.
 * @param attempt number of the failed attempt, from 1
 * @returns undefined after the tenth attempt: the mail is given up
 */
export function retryMailAt(attempt: number, now: Date): Date | undefined {
  const wait = WAITS_SECONDS[attempt - 1];
  return wait === undefined ? undefined : new Date(now.getTime() + wait * 1000);
}

/** Whether a mail is still worth sending: written within the last 7 days. */
export function isSendable({ created }: { readonly created: Date }, now: Date): boolean {
  return now.getTime() - created.getTime() <= SENDABLE_SECONDS * 1000;
}
