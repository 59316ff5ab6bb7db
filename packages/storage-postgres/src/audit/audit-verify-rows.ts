import {
  type AuditFault,
  type AuditHead,
  type AuditVerdict,
  auditHash,
  CHAIN_START,
} from '@paymount/core/changes';
import type { AccountId } from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';
import { AUDIT_COLUMNS, type AuditRow, toAuditRecord } from './audit-rows.ts';

const BATCH = 500;
/** In a rewritten log every entry is wrong; reporting the first ones is enough. */
const MAX_FAULTS = 100;

interface HeadRow {
  readonly chain: string;
  readonly seq: bigint;
  readonly hash: string;
  /** The first entry outside the chain: after its head, or before its start. */
  readonly stray: bigint | null;
}

/** The known hashes of each position: one, unless the kept heads contradict each other. */
type KeptHashes = Map<bigint, Set<string>>;

/**
 * Chains that have a head or an entry, so that the loss of either is noticed. All is read in one
 * snapshot: a concurrent entry is either seen together with its head, or not seen.
 */
const chains = statement(
  'pm_audit_chains_v1',
  (s) => `SELECT c.chain, COALESCE(h.seq, 0) AS seq, COALESCE(h.hash, '') AS hash,
      (SELECT min(l.seq) FROM ${s}.audit_log l
       WHERE l.chain = c.chain AND (l.seq > COALESCE(h.seq, 0) OR l.seq < 1)) AS stray
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
 * Recomputes every hash of one account's chain, or of all chains, in bounded batches. Entries that
 * are written meanwhile are left for the next run.
 * @param kept heads that earlier runs gave
 */
export async function verifyAudit(
  session: Session,
  account?: AccountId,
  kept: readonly AuditHead[] = [],
): Promise<AuditVerdict> {
  const heads = (await session.query<HeadRow>(chains, [account ?? null])).rows;
  const keptHashes = keptByChain(kept, account);
  const faults: AuditFault[] = [];
  let entries = 0;
  for (const head of [...heads, ...findMissing(heads, keptHashes)]) {
    const chain = new ChainCheck(head, keptHashes.get(head.chain) ?? new Map());
    for await (const row of readEntries(session, head)) chain.add(row);
    chain.end();
    entries += chain.entries;
    faults.push(...chain.faults.slice(0, MAX_FAULTS - faults.length));
  }
  return { entries, heads: heads.map(toHead), faults };
}

function keptByChain(
  kept: readonly AuditHead[],
  account: AccountId | undefined,
): ReadonlyMap<string, KeptHashes> {
  const byChain = new Map<string, KeptHashes>();
  for (const { accountId, seq, hash } of kept) {
    if (account !== undefined && accountId !== account) continue;
    const chain = accountId ?? '';
    const hashes: KeptHashes = byChain.get(chain) ?? new Map();
    byChain.set(chain, hashes.set(seq, (hashes.get(seq) ?? new Set()).add(hash)));
  }
  return byChain;
}

/** Chains that existed earlier and have neither a head nor an entry now. */
function findMissing(
  heads: readonly HeadRow[],
  keptHashes: ReadonlyMap<string, KeptHashes>,
): readonly HeadRow[] {
  const present = new Set(heads.map(({ chain }) => chain));
  const gone = [...keptHashes.keys()].filter((chain) => !present.has(chain));
  return gone.map((chain) => ({ chain, seq: 0n, hash: '', stray: null }));
}

async function* readEntries(session: Session, head: HeadRow): AsyncGenerator<AuditRow> {
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
  /** The kept heads that have not been checked yet. */
  readonly #kept: KeptHashes;
  #seq = 0n;
  #hash = CHAIN_START;

  constructor(head: HeadRow, kept: KeptHashes) {
    this.#head = head;
    this.#kept = kept;
    for (const [seq, hashes] of kept) {
      if (hashes.size > 1) this.#fault({ seq, found: 'contradicted', kept: [...hashes] });
    }
  }

  add(row: AuditRow): void {
    this.entries += 1;
    const { seq } = row;
    const next = this.#seq + 1n;
    if (seq !== next) this.#fault({ seq: next, found: 'missing' });
    else if (row.prev_hash !== this.#hash) this.#fault({ seq, found: 'unlinked' });
    const isAsKept = this.#kept.get(seq)?.has(row.hash) ?? true;
    if (!isAsKept || auditHash(toAuditRecord(row)) !== row.hash) {
      this.#fault({ seq, found: 'changed' });
    }
    this.#kept.delete(row.seq);
    this.#seq = row.seq;
    this.#hash = row.hash;
  }

  end(): void {
    const { seq, hash, stray } = this.#head;
    if (this.#seq !== seq) this.#fault({ seq: this.#seq + 1n, found: 'missing' });
    else if (this.#hash !== hash && seq > 0n) this.#fault({ seq, found: 'unlinked' });
    if (stray !== null) this.#fault({ seq: stray, found: 'unlinked' });
    for (const cut of this.#kept.keys()) this.#fault({ seq: cut, found: 'missing' });
  }

  #fault(fault: AuditFault): void {
    if (this.faults.length >= MAX_FAULTS) return;
    if (this.faults.some(({ seq, found }) => seq === fault.seq && found === fault.found)) return;
    this.faults.push({ ...toAccount(this.#head), ...fault });
  }
}

function toHead(head: HeadRow): AuditHead {
  return { ...toAccount(head), seq: head.seq, hash: head.hash };
}

function toAccount({ chain }: HeadRow): { readonly accountId?: AccountId } {
  return chain === '' ? {} : { accountId: chain as AccountId };
}
