import type {
  BillingPosition,
  ExpungeWalk,
  InvoiceQueue,
  SubscriptionQueue,
} from '@paymount/core/billing';
import { type AccountId, environmentOf, firstIdAt, livemode } from '@paymount/core/kernel';
import { type Statement, statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';

/** The rows after a position, in the order of the primary key. */
const seen = (s: string, table: string): string => `seen AS MATERIALIZED (
    SELECT account_id, livemode, id FROM ${s}.${table}
    WHERE (account_id, livemode, id) > ($1::text, $2::boolean, $3::text)
    ORDER BY account_id, livemode, id LIMIT $6)`;
const SEEN = `(v.account_id, v.livemode, v.id) = (seen.account_id, seen.livemode, seen.id)`;
const LAST = `SELECT account_id, livemode, id, (SELECT count(*) FROM seen)::integer AS read FROM seen
    ORDER BY account_id DESC, livemode DESC, id DESC LIMIT 1`;

/**
 * Ids are in the order of time, and `$4` is the first one of the time before which invoices are expunged: what
 * a test clock shows says nothing about the age of what is on it. One that is not paid is kept.
 */
const expungeInvoices = statement(
  'pm_invoices_expunge_v1',
  (s) => `WITH ${seen(s, 'invoices')},
    gone AS (
      UPDATE ${s}.invoices v SET description = NULL, footer = NULL, metadata = '{}',
        issued_to = CASE WHEN v.issued_to IS NOT NULL THEN
          '{"name": null, "email": null, "address": null}'::jsonb END,
        lines = (SELECT coalesce(jsonb_agg(CASE WHEN l ->> 'invoiceItemId' IS NULL THEN l
            ELSE l || '{"description": ""}' END ORDER BY n), '[]')
          FROM jsonb_array_elements(v.lines) WITH ORDINALITY AS e (l, n)),
        expunged_at = $7, version = v.version + 1
      FROM seen WHERE ${SEEN} AND v.expunged_at IS NULL AND v.id < $4
        AND v.status IN ('paid', 'void', 'uncollectible', 'deleted')
        AND (v.test_clock_id IS NOT NULL OR coalesce(v.finalized_at, v.deleted_at) < $5)
      RETURNING v.account_id, v.livemode, v.id),
    items AS (
      UPDATE ${s}.invoice_items t SET description = '', metadata = '{}', version = t.version + 1
      FROM gone WHERE (t.account_id, t.livemode, t.invoice_id)
        = (gone.account_id, gone.livemode, gone.id))
    ${LAST}`,
);

const expungeSubscriptions = statement(
  'pm_subscriptions_expunge_v1',
  (s) => `WITH ${seen(s, 'subscriptions')},
    gone AS (
      UPDATE ${s}.subscriptions v SET description = NULL, metadata = '{}',
        cancellation = v.cancellation || '{"comment": null}',
        items = (SELECT jsonb_agg(i || '{"metadata": {}}' ORDER BY n)
          FROM jsonb_array_elements(v.items) WITH ORDINALITY AS e (i, n)),
        version = v.version + 1
      FROM seen WHERE ${SEEN} AND v.id < $4 AND v.status IN ('canceled', 'incomplete_expired')
        AND (v.test_clock_id IS NOT NULL OR (v.state ->> 'endedAt')::timestamptz < $5)
        AND (v.description IS NOT NULL OR v.metadata <> '{}' OR v.cancellation ->> 'comment' IS NOT NULL
          OR jsonb_path_exists(v.items, '$[*].metadata.*')))
    ${LAST}`,
);

/** A subscription that is being billed is passed over: the next pass finds it. */
const forgetComments = statement(
  'pm_subscriptions_forget_v1',
  (s) => `UPDATE ${s}.subscriptions v
    SET cancellation = v.cancellation || '{"comment": null}', version = v.version + 1
    FROM (SELECT u.account_id, u.livemode, u.id FROM ${s}.subscriptions u
      JOIN ${s}.customers x ON (x.account_id, x.livemode, x.id)
        = (u.account_id, u.livemode, u.customer_id)
      WHERE u.cancellation ->> 'comment' IS NOT NULL AND x.deleted_at IS NOT NULL
      LIMIT $1 FOR NO KEY UPDATE OF u SKIP LOCKED) seen WHERE ${SEEN}`,
);

interface SeenRow {
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly id: string;
  readonly read: number;
}

/** Deletes the personal data and the texts of what is older than its retention. */
export function billingExpunges(session: Session): {
  readonly invoices: Pick<InvoiceQueue, 'expunge'>;
  readonly subscriptions: Pick<SubscriptionQueue, 'expunge' | 'forgetComments'>;
} {
  const walk = async (
    by: Statement,
    prefix: 'in' | 'sub',
    { after, endedBefore, limit }: ExpungeWalk,
    ...more: readonly unknown[]
  ): Promise<BillingPosition | undefined> => {
    const { rows } = await session.query<SeenRow>(by, [
      after?.accountId ?? '',
      after !== undefined && livemode(after.environment),
      after?.id ?? '',
      firstIdAt(prefix, endedBefore.getTime()),
      endedBefore,
      limit,
      ...more,
    ]);
    const [last] = rows;
    if (last === undefined || last.read < limit) return undefined;
    const { account_id: accountId, livemode: live, id } = last;
    return { accountId, environment: environmentOf(live), id };
  };
  return {
    invoices: { expunge: (asked) => walk(expungeInvoices, 'in', asked, asked.at) },
    subscriptions: {
      expunge: (asked) => walk(expungeSubscriptions, 'sub', asked),
      forgetComments: async (limit) => (await session.query(forgetComments, [limit])).rowCount ?? 0,
    },
  };
}
