import {
  type AccountId,
  type AuditFault,
  type AuditHead,
  type AuditVerdict,
  auditHash,
  CHAIN_START,
} from '@paymount/core';
import type { Session } from '../session.ts';
import { statement } from '../shared/statement.ts';
import { AUDIT_COLUMNS, type AuditRow, toAuditRecord } from './audit-rows.ts';

const BATCH = 500;
/** A log that was rewritten has a fault in every entry; the first of them tell enough. */
const MAX_FAULTS = 100;

interface HeadRow {
  readonly chain: string;
  readonly seq: bigint;
  readonly hash: string;
}

/** Chains that have a head or an entry, so that neither can vanish alone. */
const chains = statement(
  'pm_audit_chains_v1',
  (s) => `SELECT c.chain, COALESCE(h.seq, 0) AS seq, COALESCE(h.hash, '') AS hash
    FROM (SELECT chain FROM ${s}.audit_heads UNION SELECT chain FROM ${s}.audit_log) c
    LEFT JOIN ${s}.audit_heads h ON h.chain = c.chain
    WHERE $1::text IS NULL OR c.chain = $1 ORDER BY c.chain`,
);
const batch = statement(
  'pm_audit_batch_v1',
  (s) => `SELECT ${AUDIT_COLUMNS.join(', ')} FROM ${s}.audit_log
    WHERE chain = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT ${BATCH}`,
);

/**
 * Recomputes every hash of one account's chain, or of all, in bounded batches. Entries written
 * meanwhile are left for the next time. A tail that was cut together with its head is not seen
 * here: compare the heads with those that an earlier run printed.
 */
export async function verifyAudit(session: Session, account?: AccountId): Promise<AuditVerdict> {
  const heads = (await session.query<HeadRow>(chains, [account ?? null])).rows;
  let entries = 0;
  const faults: AuditFault[] = [];
  for (const head of heads) {
    const chain = new ChainCheck(head);
    for await (const row of rowsOf(session, head)) chain.add(row);
    chain.end();
    entries += chain.entries;
    faults.push(...chain.faults.slice(0, MAX_FAULTS - faults.length));
  }
  return { entries, heads: heads.map(headOf), faults };
}

async function* rowsOf(session: Session, head: HeadRow): AsyncGenerator<AuditRow> {
  let after = 0n;
  for (;;) {
    const { rows } = await session.query<AuditRow>(batch, [head.chain, after, head.seq]);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    after = last.seq;
  }
}

/** One walk along a chain, from its first entry to its head. */
class ChainCheck {
  readonly faults: AuditFault[] = [];
  entries = 0;
  readonly #head: HeadRow;
  #seq = 0n;
  #hash = CHAIN_START;

  constructor(head: HeadRow) {
    this.#head = head;
  }

  add(row: AuditRow): void {
    this.entries += 1;
    if (row.seq !== this.#seq + 1n) this.#fault(this.#seq + 1n, 'missing');
    else if (row.prev_hash !== this.#hash) this.#fault(row.seq, 'unlinked');
    if (auditHash(toAuditRecord(row)) !== row.hash) this.#fault(row.seq, 'changed');
    this.#seq = row.seq;
    this.#hash = row.hash;
  }

  end(): void {
    const { seq, hash } = this.#head;
    if (this.#seq !== seq) this.#fault(this.#seq + 1n, 'missing');
    else if (this.#hash !== hash && seq > 0n) this.#fault(seq, 'unlinked');
  }

  #fault(seq: bigint, found: AuditFault['found']): void {
    this.faults.push({ ...accountOf(this.#head), seq, found });
  }
}

function headOf(head: HeadRow): AuditHead {
  return { ...accountOf(head), seq: head.seq, hash: head.hash };
}

function accountOf({ chain }: HeadRow): { readonly accountId?: AccountId } {
  return chain === '' ? {} : { accountId: chain as AccountId };
}
