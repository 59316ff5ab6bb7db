import { query } from '../support/database.ts';
import type { ReceivedMail } from '../support/smtp-inbox.ts';

/**
 * Of each kind of mail one was written and sent. It arrived once more, with the same `Message-ID`,
 * only for each worker that died after the mail server took it and before this was recorded.
 * @param expected the subjects of what must have been sent by now, and the number of such deaths
 * @returns what is wrong; empty is good
 */
export async function checkMails(
  databaseUrl: string,
  mails: readonly ReceivedMail[],
  { subjects, deaths }: { readonly subjects: readonly string[]; readonly deaths: number },
): Promise<readonly string[]> {
  const violations: string[] = [];
  const rows = await query<{ subject: string; is_sent: boolean }>(
    databaseUrl,
    'SELECT subject, sent_at IS NOT NULL AS is_sent FROM paymount.mails ORDER BY created',
  );
  const written = rows.map(({ subject, is_sent }) => `${subject}${is_sent ? '' : ' (unsent)'}`);
  if (written.join() !== subjects.join()) {
    violations.push(`The outbox has: ${written.join(', ')}. It must have: ${subjects.join(', ')}.`);
  }
  const ids = new Set(mails.map(({ email }) => email.messageId));
  if (ids.size !== subjects.length) {
    violations.push(`${ids.size} mails arrived, and ${subjects.length} were written.`);
  }
  const copies = mails.length - ids.size;
  if (copies !== deaths)
    violations.push(`${copies} copies of mails arrived after ${deaths} deaths.`);
  return violations;
}

/** The endpoint was disabled once, because it failed, and all that waits for it is parked. */
export async function checkDisabled(
  databaseUrl: string,
  endpoint: string,
): Promise<readonly string[]> {
  const rows = await query<Record<string, unknown>>(
    databaseUrl,
    `SELECT e.status, e.disabled_reason, e.version,
       e.disabled_at - e.failing_since >= interval '72 hours' AS is_late_enough,
       (SELECT count(*)::integer FROM paymount.audit_log a
        WHERE a.target = e.id AND a.action = 'endpoint.disable') AS entries,
       (SELECT count(*)::integer FROM paymount.deliveries d
        WHERE d.endpoint_id = e.id AND d.state <> 'parked') AS not_parked
     FROM paymount.webhook_endpoints e WHERE e.id = $1`,
    [endpoint],
  );
  const found = JSON.stringify(rows[0]);
  const expected = JSON.stringify({
    status: 'disabled',
    disabled_reason: 'failing',
    version: 2,
    is_late_enough: true,
    entries: 1,
    not_parked: 0,
  });
  return found === expected ? [] : [`The endpoint is ${found}, and must be ${expected}.`];
}

/** How many deliveries of the endpoint have not ended. */
export async function countUnfinished(databaseUrl: string, endpoint: string): Promise<number> {
  const [row] = await query<{ count: number }>(
    databaseUrl,
    `SELECT count(*)::integer AS count FROM paymount.deliveries
     WHERE endpoint_id = $1 AND state IN ('pending', 'parked')`,
    [endpoint],
  );
  return row?.count ?? 0;
}
