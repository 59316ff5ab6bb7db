import { type AuditEntry, type AuditRecord, CHAIN_START, chainEntry } from '@paymount/core/changes';
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
    await session.query(append, toValues(record, chain));
    records.push(record);
  }
  return records;
}

function byChain(a: AuditEntry, b: AuditEntry): number {
  const [left, right] = [a.accountId ?? '', b.accountId ?? ''];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function toValues(record: AuditRecord, chain: string): unknown[] {
  const { environment } = record;
  return [
    record.id,
    chain,
    record.seq,
    record.accountId ?? null,
    environment === undefined ? null : livemode(environment),
    record.created,
    record.actor.type,
    record.actor.id,
    record.via,
    record.action,
    record.target,
    json(record.before),
    json(record.after),
    record.ip ?? null,
    record.userAgent ?? null,
    record.requestId ?? null,
    record.prevHash,
    record.hash,
  ];
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
