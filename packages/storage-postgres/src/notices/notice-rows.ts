import {
  type AccountId,
  environmentOf,
  type Id,
  livemode,
  newId,
  type OperationId,
  type StoredNoticeId,
} from '@paymount/core/kernel';
import {
  type KeptNotice,
  type NoticeOf,
  type NoticeQueue,
  type NoticeRepository,
  READ_LATER,
  SCHEDULED_TRIES,
  type StoredNotice,
  unreadableKey,
} from '@paymount/core/payments';
import { type Statement, statement } from '../connection/statement.ts';
import { noHookIn } from '../hook-use/hook-use-rows.ts';
import { insertMails } from '../mails/mail-rows.ts';
import { OPERATION_COLUMNS, type OperationRow, toOperation } from '../operations/operation-rows.ts';
import { json } from '../shared/columns.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';

export interface NoticeRow {
  readonly id: StoredNoticeId;
  readonly livemode: boolean;
  readonly processor: string;
  readonly notice_id: string;
  readonly kind: KeptNotice['kind'];
  readonly operation_id: OperationId | null;
  readonly processor_reference: string | null;
  readonly occurred_at: Date;
  readonly data: KeptNotice['data'];
  readonly account_id: AccountId | null;
  readonly found_id: OperationId | null;
  readonly root_id: Id<string> | null;
  readonly state: StoredNotice['state'];
  readonly reason: string | null;
  readonly tries: number;
  readonly next_try_at: Date | null;
  readonly review_since: Date | null;
  readonly created: Date;
}

/** A ruling that waits. */
interface RulingRow {
  readonly occurred_at: Date;
  readonly data: NoticeOf<'dispute.closed'>['data'];
}

export const NOTICE_COLUMNS = [
  'id',
  'livemode',
  'processor',
  'notice_id',
  'kind',
  'operation_id',
  'processor_reference',
  'occurred_at',
  'data',
  'account_id',
  'found_id',
  'root_id',
  'state',
  'reason',
  'tries',
  'next_try_at',
  'review_since',
  'created',
] as const satisfies readonly (keyof NoticeRow)[];

/** Of these only one is taken. */
const MAX_REPORTED = 100;

/** The database's time, shifted as the business time is, after a wait; both in milliseconds. */
function dueAfter(shift: string, wait: string): string {
  return `date_trunc('milliseconds',
    statement_timestamp() + (${shift} + ${wait}) * interval '1 ms')`;
}

const COLUMNS = NOTICE_COLUMNS.join(', ');

/** Sorted, so that two callers with the same notices never wait for each other in a circle. */
const record = statement(
  'pm_notices_record_v1',
  (s) => `INSERT INTO ${s}.notices (id, livemode, processor, notice_id, kind, operation_id,
      processor_reference, occurred_at, data, state, tries, next_try_at, created)
    SELECT n.id, $1::boolean, $2::text, n.notice_id, n.kind, n.operation_id, n.processor_reference,
      n.occurred_at, n.data::jsonb, 'received', 0,
      ${dueAfter('$3::double precision', '$4::double precision')}, $5::timestamptz
    FROM unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::timestamptz[],
      $12::text[]) AS n (id, notice_id, kind, operation_id, processor_reference, occurred_at, data)
    ORDER BY n.notice_id COLLATE "C"
    ON CONFLICT (processor, livemode, notice_id) DO NOTHING RETURNING id`,
);
const claimDue = claimStatement('pm_notices_claim_v1', () => '');
/** For a process without a hook, while a hook is in use. */
const claimHookless = claimStatement(
  'pm_notices_claim_hookless_v1',
  (s) => `AND (review_since IS NULL OR ${noHookIn(s)})`,
);
const findOpen = statement(
  'pm_notices_open_v1',
  (s) => `SELECT n.id FROM unnest($3::text[]) WITH ORDINALITY AS g (notice_id, place)
    JOIN ${s}.notices n ON n.processor = $1 AND n.livemode = $2 AND n.notice_id = g.notice_id
    WHERE n.state IN ('received', 'waiting') ORDER BY g.place`,
);
const take = statement(
  'pm_notices_take_v2',
  (s) => `SELECT ${COLUMNS} FROM ${s}.notices WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED`,
);
/** The unreadable version of the same notice is closed with it; `$11` is its key. */
const save = statement(
  'pm_notices_save_v3',
  (s) => `WITH unread AS (UPDATE ${s}.notices SET state = 'ignored', reason = '${READ_LATER}',
      review_since = NULL, next_try_at = NULL
    WHERE processor = $12 AND livemode = $13 AND notice_id = $11
      AND kind = 'unreadable' AND state <> 'ignored')
    UPDATE ${s}.notices SET account_id = $2, found_id = $3, state = $4, reason = $5,
      tries = $6, review_since = $7, root_id = $10,
      next_try_at = ${dueAfter('$8::double precision', '$9::double precision')}
    WHERE id = $1`,
);
const isRead = statement(
  'pm_notices_is_read_v1',
  (s) => `SELECT FROM ${s}.notices WHERE processor = $1 AND livemode = $2 AND notice_id = $3`,
);
const byOperation = reportedStatement('pm_notices_operation_v3', 'id = $1');
/** A charge and many refunds of it may share a reference. */
const byReference = reportedStatement(
  'pm_notices_reference_v4',
  'processor_reference = $1 AND kind = ANY ($4::text[])',
);
const newestApplied = statement(
  'pm_notices_newest_v3',
  (s) => `SELECT max(least(occurred_at, created)) AS newest FROM ${s}.notices
    WHERE found_id = $1 AND state = 'applied'
      AND split_part(kind, '.', 1) = split_part($2::text, '.', 1)`,
);
/**
 * Notices about a root that wait for another notice, or did until their schedule ended. The index
 * `notices_waiting` has them.
 */
const WAITING = `root_id = $1 AND state IN ('waiting', 'quarantined')
  AND (state = 'waiting' OR tries > ${SCHEDULED_TRIES})`;
const waitingRulings = statement(
  'pm_notices_waiting_rulings_v1',
  (s) => `SELECT least(occurred_at, created) AS occurred_at, data FROM ${s}.notices
    WHERE ${WAITING} AND kind = 'dispute.closed'
      AND data ->> 'disputeReference' = $2
    ORDER BY data ->> 'round' DESC NULLS LAST, least(occurred_at, created) DESC`,
);
const NOW = `statement_timestamp() + $2::double precision * interval '1 ms'`;
/** The try that it adds is not counted. One that is due already is left as it is. */
const hasten = statement(
  'pm_notices_hasten_v1',
  (s) => `UPDATE ${s}.notices n
    SET next_try_at = ${NOW}, state = 'waiting', review_since = NULL, tries = greatest(tries - 1, 0)
    FROM (SELECT id FROM ${s}.notices
      WHERE ${WAITING} AND (state = 'quarantined' OR review_since IS NULL AND next_try_at > ${NOW})
      FOR NO KEY UPDATE SKIP LOCKED) waiting
    WHERE n.id = waiting.id`,
);

/** The index `notices_of_token` has them. */
const updatedAfter = statement(
  'pm_notices_updated_after_v1',
  (s) => `SELECT DISTINCT name FROM ${s}.notices, jsonb_object_keys(data) AS name
    WHERE kind = 'account_update' AND state = 'applied'
      AND data ->> 'processorToken' = $1 AND livemode = $2 AND processor = $3
      AND LEAST(occurred_at, created) > $4`,
);

function claimStatement(name: `pm_${string}`, condition: (s: string) => string): Statement {
  return statement(
    name,
    (s) => `UPDATE ${s}.notices n
    SET next_try_at = ${dueAfter('$1::double precision', '$3::double precision')}
    FROM (SELECT id FROM ${s}.notices
      WHERE livemode = $2::boolean
        AND next_try_at <= statement_timestamp() + $1::double precision * interval '1 ms'
        ${condition(s)}
      ORDER BY next_try_at LIMIT $4::integer FOR NO KEY UPDATE SKIP LOCKED) due
    WHERE n.id = due.id RETURNING n.id`,
  );
}

function reportedStatement(name: `pm_${string}`, named: string): Statement {
  return statement(
    name,
    (s) => `SELECT ${OPERATION_COLUMNS.join(', ')} FROM ${s}.operations
      WHERE ${named} AND livemode = $2 AND processor = $3 ORDER BY id DESC
      LIMIT ${MAX_REPORTED}`,
  );
}

/** Notices in one transaction. @param clock its offset is added to the database's time */
export function noticeRows(
  session: Session,
  clock: { readonly shiftMs: number },
): NoticeRepository {
  const operations = async (by: Statement, values: readonly unknown[]) =>
    (await session.query<OperationRow>(by, [...values])).rows.map(toOperation);
  return {
    async take(id) {
      const [row] = (await session.query<NoticeRow>(take, [id])).rows;
      return row && toStoredNotice(row);
    },
    async save({ stored, waitMs }, mails) {
      const { id, accountId, foundId, rootId, state, tries, notice } = stored;
      await session.query(save, [
        id,
        accountId ?? null,
        foundId ?? null,
        state,
        'reason' in stored ? stored.reason : null,
        tries,
        ('reviewSince' in stored && stored.reviewSince) || null,
        clock.shiftMs,
        waitMs ?? null,
        rootId ?? null,
        notice.kind === 'unreadable' ? null : unreadableKey(notice.noticeId),
        stored.processor,
        livemode(stored.environment),
      ]);
      await insertMails(session, mails);
    },
    async findReported({ environment, processor }, { operationId, processorReference }, kinds) {
      const from = [livemode(environment), processor];
      const named =
        operationId === undefined ? [] : await operations(byOperation, [operationId, ...from]);
      if (named.length > 0 || processorReference === undefined) return named;
      return operations(byReference, [processorReference, ...from, kinds]);
    },
    async isRead({ environment, processor }, noticeId) {
      const values = [processor, livemode(environment), noticeId];
      return (await session.query(isRead, values)).rows.length > 0;
    },
    async findUpdatedAfter({ environment, processor }, processorToken, time) {
      const values = [processorToken, livemode(environment), processor, time];
      const { rows } = await session.query<{ name: string }>(updatedAfter, values);
      return rows.map(({ name }) => name);
    },
    async newestAppliedAt(operationId, kind) {
      const values = [operationId, kind];
      const { rows } = await session.query<{ newest: Date | null }>(newestApplied, values);
      return rows[0]?.newest ?? undefined;
    },
    async findWaitingRulings(rootId, disputeReference) {
      const values = [rootId, disputeReference];
      const { rows } = await session.query<RulingRow>(waitingRulings, values);
      return rows.map(({ occurred_at: occurredAt, data }) => ({ occurredAt, data }));
    },
    async hasten(rootId) {
      await session.query(hasten, [rootId, clock.shiftMs]);
    },
  };
}

/**
 * The queue of notices for workers.
 * @param clock as for `noticeRows`
 * @param hook of this process, if it has one
 */
export function noticeQueue(
  session: Session,
  clock: { readonly shiftMs: number },
  hook: unknown,
): NoticeQueue {
  const claim = hook === undefined ? claimHookless : claimDue;
  return {
    async record({ origin, notices, at, leaseMs }) {
      const ids = notices.map(() => newId('ntc'));
      const { rows } = await session.query<{ id: StoredNoticeId }>(record, [
        livemode(origin.environment),
        origin.processor,
        clock.shiftMs,
        leaseMs,
        at,
        ids,
        notices.map(({ noticeId }) => noticeId),
        notices.map(({ kind }) => kind),
        notices.map(({ operationId = null }) => operationId),
        notices.map(({ processorReference = null }) => processorReference),
        notices.map(({ occurredAt }) => occurredAt),
        notices.map(({ data }) => json(data)),
      ]);
      const inserted = new Set(rows.map(({ id }) => id));
      return ids.filter((id) => inserted.has(id));
    },
    async findOpen({ environment, processor }, noticeIds) {
      const values = [processor, livemode(environment), noticeIds];
      const { rows } = await session.query<{ id: StoredNoticeId }>(findOpen, values);
      return rows.map(({ id }) => id);
    },
    async claimDue({ environment, limit, leaseMs }) {
      const values = [clock.shiftMs, livemode(environment), leaseMs, limit];
      const { rows } = await session.query<{ id: StoredNoticeId }>(claim, values);
      return rows.map(({ id }) => id);
    },
  };
}

/** The stored notice of a row. */
export function toStoredNotice(row: NoticeRow): StoredNotice {
  const facts = {
    id: row.id,
    environment: environmentOf(row.livemode),
    processor: row.processor,
    notice: toNotice(row),
    tries: row.tries,
    created: row.created,
    ...present({
      accountId: row.account_id,
      foundId: row.found_id,
      rootId: row.root_id,
      nextTryAt: row.next_try_at,
    }),
  };
  const { state, reason, review_since: reviewSince } = row;
  switch (state) {
    case 'received':
    case 'applied':
      return { ...facts, state };
    case 'waiting':
      return { ...facts, state, reason: reason ?? '', ...present({ reviewSince }) };
    case 'ignored':
      return { ...facts, state, reason: reason ?? '' };
    case 'quarantined':
      return { ...facts, state, reason: reason ?? '', reviewSince: reviewSince ?? row.created };
  }
}

function toNotice(row: NoticeRow): KeptNotice {
  return {
    noticeId: row.notice_id,
    kind: row.kind,
    occurredAt: row.occurred_at,
    data: row.data,
    ...present({ operationId: row.operation_id, processorReference: row.processor_reference }),
  } as KeptNotice;
}
