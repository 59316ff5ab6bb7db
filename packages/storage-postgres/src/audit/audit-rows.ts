import {
  type AuditEntry,
  type AuditRecord,
  CHAIN_START,
  chainEntry,
  pendingEntry,
  type UnchainedEntry,
} from '@paymount/core/changes';
import {
  type AccountId,
  type AuditId,
  environmentOf,
  livemode,
  newId,
  type RequestId,
} from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import { json } from '../shared/columns.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';

export interface AuditRow {
  readonly id: AuditId;
  readonly chain: string;
  readonly seq: bigint;
  readonly account_id: AccountId | null;
  readonly livemode: boolean | null;
  readonly created: Date;
  readonly actor_type: AuditRecord['actor']['type'];
  readonly actor_id: string;
  readonly via: string;
  readonly action: AuditRecord['action'];
  readonly target: string;
  readonly before: NonNullable<AuditRecord['before']> | null;
  readonly after: NonNullable<AuditRecord['after']> | null;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly request_id: RequestId | null;
  readonly prev_hash: string;
  readonly hash: string;
}

export const AUDIT_COLUMNS = [
  'id',
  'chain',
  'seq',
  'account_id',
  'livemode',
  'created',
  'actor_type',
  'actor_id',
  'via',
  'action',
  'target',
  'before',
  'after',
  'ip',
  'user_agent',
  'request_id',
  'prev_hash',
  'hash',
] as const satisfies readonly (keyof AuditRow)[];

const lockHead = statement(
  'pm_audit_lock_head_v1',
  (s) => `INSERT INTO ${s}.audit_heads AS h (chain, seq, hash) VALUES ($1, 0, $2)
    ON CONFLICT (chain) DO UPDATE SET chain = h.chain RETURNING seq, hash`,
);
const append = statement(
  'pm_audit_append_v1',
  (s) => `WITH head AS (UPDATE ${s}.audit_heads SET seq = $3, hash = $18 WHERE chain = $2)
    INSERT INTO ${s}.audit_log (${AUDIT_COLUMNS.join(', ')})
    VALUES (${AUDIT_COLUMNS.map((_, index) => `$${index + 1}`).join(', ')})`,
);

const insertPending = statement(
  'pm_audit_insert_pending_v2',
  // With its type, so that a library of the host that writes JSON itself gets a text.
  (s) => `INSERT INTO ${s}.audit_pending (id, entry, text_before, text_after)
    VALUES ($1::text, $2::jsonb, $3::text, $4::text)`,
);

/**
 * Writes an entry in a transaction that the host commits, some time later. The database chains it at
 * the commit: until then the head of the chain is not locked, which every revocation of the account
 * needs.
 */
export async function appendAuditAtCommit(session: Session, entry: AuditEntry): Promise<void> {
  const pending = pendingEntry(entry, newId('aud'));
  const row = { ...toRow(pending.entry), created: entry.created.toISOString() };
  await session.query(insertPending, [row.id, json(row), ...pending.texts]);
}

/**
 * Chains entries and writes them in the transaction of the changes that they record. The head of a
 * chain stays locked until the commit, so the entries of a chain are in the order of commits.
 * Chains are locked in the order of their names, so that two callers cannot deadlock.
 */
export async function appendAudit(
  session: Session,
  entries: readonly AuditEntry[],
): Promise<readonly AuditRecord[]> {
  const records: AuditRecord[] = [];
  for (const entry of entries.toSorted(byChain)) {
    const chain = entry.accountId ?? '';
    const { rows } = await session.query<{ seq: bigint; hash: string }>(lockHead, [
      chain,
      CHAIN_START,
    ]);
    const head = rows[0] ?? { seq: 0n, hash: CHAIN_START };
    const place = { id: newId('aud'), seq: head.seq + 1n, prevHash: head.hash };
    const record = chainEntry(entry, place);
    await session.query(append, toValues(record));
    records.push(record);
  }
  return records;
}

function byChain(a: AuditEntry, b: AuditEntry): number {
  const [left, right] = [a.accountId ?? '', b.accountId ?? ''];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function toValues(record: AuditRecord): unknown[] {
  const { seq, prevHash, hash, before, after } = record;
  const row = { ...toRow(record), seq, prev_hash: prevHash, hash };
  const values = { ...row, before: json(before), after: json(after) };
  return AUDIT_COLUMNS.map((name) => values[name]);
}

/** The columns that do not depend on the place in the chain. */
function toRow(entry: UnchainedEntry): Omit<AuditRow, 'seq' | 'prev_hash' | 'hash'> {
  const { environment } = entry;
  return {
    id: entry.id,
    chain: entry.accountId ?? '',
    account_id: entry.accountId ?? null,
    livemode: environment === undefined ? null : livemode(environment),
    created: entry.created,
    actor_type: entry.actor.type,
    actor_id: entry.actor.id,
    via: entry.via,
    action: entry.action,
    target: entry.target,
    before: entry.before ?? null,
    after: entry.after ?? null,
    ip: entry.ip ?? null,
    user_agent: entry.userAgent ?? null,
    request_id: entry.requestId ?? null,
  };
}

/** The record of a row. */
export function toAuditRecord(row: AuditRow): AuditRecord {
  return {
    id: row.id,
    seq: row.seq,
    created: row.created,
    actor: { type: row.actor_type, id: row.actor_id },
    via: row.via,
    action: row.action,
    target: row.target,
    prevHash: row.prev_hash,
    hash: row.hash,
    ...(row.livemode === null ? {} : { environment: environmentOf(row.livemode) }),
    ...present({
      accountId: row.account_id,
      before: row.before,
      after: row.after,
      ip: row.ip,
      userAgent: row.user_agent,
      requestId: row.request_id,
    }),
  };
}
