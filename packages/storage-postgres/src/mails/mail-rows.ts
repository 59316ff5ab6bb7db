import type { ClaimedMail, Mail, MailLink, MailQueue, WrittenMail } from '@paymount/core/changes';
import type { AccountId, CustomerId, MailId } from '@paymount/core/kernel';
import type { Part } from '../changes/part.ts';
import { partCode } from '../changes/part-codes.ts';
import { rowSource } from '../changes/row-source.ts';
import { statement } from '../connection/statement.ts';
import { type Column, fixed, json } from '../shared/columns.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';
import { inTransaction } from '../transaction/transaction.ts';

interface MailRow {
  readonly id: MailId;
  readonly dedupe_key: string;
  readonly account_id: AccountId | null;
  readonly to_address: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly page: string | null;
  readonly link: MailLink | null;
  readonly account_name: string | null;
  readonly created: Date;
  readonly attempt: number;
}

const MAX_ERROR = 500;

const insert = statement(
  'pm_mails_insert_v4',
  (s) => `INSERT INTO ${s}.mails
      (id, dedupe_key, account_id, customer_id, to_address, subject, text, html, page, link, created,
        due_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11) ON CONFLICT (dedupe_key) DO NOTHING`,
);
const claim = statement(
  'pm_mails_claim_v3',
  (s) => `UPDATE ${s}.mails m SET due_at = $2, attempt = m.attempt + 1
    FROM (SELECT id FROM ${s}.mails
      WHERE sent_at IS NULL AND failed_at IS NULL AND due_at <= $1
      ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED) due
    WHERE m.id = due.id
    RETURNING m.id, m.dedupe_key, m.account_id, m.to_address, m.subject, m.text, m.html, m.page,
      m.link, m.created, m.attempt,
      (SELECT a.name FROM ${s}.accounts a WHERE a.id = m.account_id) AS account_name`,
);
const close = statement(
  'pm_mails_close_v1',
  (s) => `UPDATE ${s}.mails
    SET sent_at = $2, failed_at = $3, due_at = COALESCE($4, due_at), last_error = $5
    WHERE id = $1 AND sent_at IS NULL AND failed_at IS NULL`,
);
const purge = statement(
  'pm_mails_purge_v1',
  (s) => `DELETE FROM ${s}.mails WHERE id IN (
    SELECT id FROM ${s}.mails WHERE created < $1 ORDER BY created LIMIT $2 FOR UPDATE SKIP LOCKED)`,
);

const COLUMNS: readonly Column<WrittenMail>[] = [
  fixed('id', 'text', ({ id }) => id),
  fixed('dedupe_key', 'text', ({ dedupeKey }) => dedupeKey),
  fixed('account_id', 'text', ({ accountId }) => accountId ?? null),
  fixed('customer_id', 'text', ({ customerId }) => customerId ?? null),
  fixed('to_address', 'text', ({ to }) => to ?? null),
  fixed('subject', 'text', ({ subject }) => subject),
  fixed('text', 'text', ({ text }) => text),
  fixed('html', 'text', ({ html }) => html),
  fixed('page', 'text', ({ page }) => page ?? null),
  fixed('link', 'jsonb', ({ link }) => json(link ?? null)),
  fixed('created', 'timestamptz', ({ created }) => created),
];
const NAMES = COLUMNS.map(({ name }) => name).join(', ');
/** That of the owner, if the mail has none. */
const ADDRESS = 'COALESCE(n.to_address, a.email)';
const WRITTEN = COLUMNS.map(({ name }) => (name === 'to_address' ? ADDRESS : `n.${name}`)).join(
  ', ',
);

/** Adds e-mails to the outbox as part of a change. */
export function mailsPart(mails: readonly WrittenMail[]): Part {
  const rows = rowSource(COLUMNS, mails);
  return {
    code: partCode('mails', rows.code),
    values: rows.values,
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  INSERT INTO ${schema}.mails (${NAMES}, due_at)
  SELECT ${WRITTEN}, n.created FROM ${rows.sql(at)} LEFT JOIN ${schema}.accounts a ON a.id = n.account_id
  WHERE ${ADDRESS} IS NOT NULL AND ${when}
  ON CONFLICT (dedupe_key) DO NOTHING)`,
  };
}

/** Deletes the e-mails to a customer, whether they were sent or not. */
export function deleteMailsPart(customerId: CustomerId): Part {
  return {
    code: partCode('delete_mails'),
    values: [customerId],
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  DELETE FROM ${schema}.mails WHERE customer_id = ${at(0)}::text AND ${when})`,
  };
}

/** Adds e-mails to the outbox, in the transaction of a change of access. */
export async function insertMails(session: Session, mails: readonly Mail[]): Promise<void> {
  for (const mail of mails) {
    const { id, dedupeKey, accountId, customerId, to } = mail;
    const { subject, text, html, page, link, created } = mail;
    const about = [subject, text, html, page ?? null, json(link ?? null)];
    const addressee = [accountId ?? null, customerId ?? null, to];
    const values = [id, dedupeKey, ...addressee, ...about, created];
    await session.query(insert, values);
  }
}

/** The outbox on PostgreSQL. */
export function mailRows(session: Session): MailQueue {
  return {
    add: (mail) => insertMails(session, [mail]),
    async claimDue({ now, limit, leaseMs }) {
      const leaseUntil = new Date(now.getTime() + leaseMs);
      const { rows } = await session.query<MailRow>(claim, [now, leaseUntil, limit]);
      return rows.map(toMail);
    },
    async close(id, end) {
      await session.query(close, [
        id,
        'sentAt' in end ? end.sentAt : null,
        'failedAt' in end ? end.failedAt : null,
        'retryAt' in end ? end.retryAt : null,
        'error' in end ? end.error.slice(0, MAX_ERROR) : null,
      ]);
    },
    async purge(before, limit) {
      // The server enforces the limits of our transaction, even if we have given up.
      const purged = await inTransaction(session, (inner) => inner.query(purge, [before, limit]));
      return purged.rowCount ?? 0;
    },
  };
}

function toMail(row: MailRow): ClaimedMail {
  return {
    id: row.id,
    dedupeKey: row.dedupe_key,
    to: row.to_address,
    subject: row.subject,
    text: row.text,
    html: row.html,
    created: row.created,
    attempt: row.attempt,
    ...present({
      accountId: row.account_id,
      page: row.page,
      link: row.link,
      accountName: row.account_name,
    }),
  };
}
