import type { AuthEpoch, KeyReader } from '@paymount/core';
import type { Session } from '../session.ts';
import { statement } from '../shared/statement.ts';
import { type CredentialRow, KEY_COLUMNS, toKey } from './key-rows.ts';

/** A look-up that takes longer is answered 503 rather than waited for. */
const LOOKUP_LIMIT_MS = 250;

interface SyncRow {
  readonly gen: bigint;
  readonly mark: string;
  readonly in_recovery: boolean;
  readonly changes: readonly {
    readonly gen: string;
    readonly mark: string;
    readonly subjects: readonly string[];
  }[];
}

const findByHash = statement(
  'pm_keys_look_up_v1',
  (s) => `SELECT ${KEY_COLUMNS.map((name) => `k.${name}`).join(', ')}, a.status AS account_status
    FROM ${s}.api_keys k JOIN ${s}.accounts a ON a.id = k.account_id WHERE k.hash = $1`,
  LOOKUP_LIMIT_MS,
);
const sync = statement(
  'pm_epoch_sync_v1',
  (s) => `SELECT e.gen, e.mark::text AS mark, pg_is_in_recovery() AS in_recovery,
      (SELECT COALESCE(jsonb_agg(jsonb_build_object(
         'gen', c.gen::text, 'mark', c.mark, 'subjects', c.subjects) ORDER BY c.gen), '[]')
       FROM ${s}.auth_change c WHERE c.gen >= $1) AS changes
    FROM ${s}.auth_epoch e WHERE e.id = 1`,
  LOOKUP_LIMIT_MS,
);

/** Key look-ups and the generation counter, on a small pool of their own. */
export function keyReader(session: Session): KeyReader {
  return {
    async findByHash(hash) {
      const [row] = (await session.query<CredentialRow>(findByHash, [Buffer.from(hash)])).rows;
      return row && { key: toKey(row), accountStatus: row.account_status };
    },
    async syncEpoch(seen: AuthEpoch | undefined) {
      const [row] = (await session.query<SyncRow>(sync, [seen?.gen ?? null])).rows;
      if (!row) throw new Error('The generation counter has no row; run `paymount migrate`.');
      return {
        current: { gen: row.gen, mark: row.mark },
        inRecovery: row.in_recovery,
        changes: row.changes.map((change) => ({ ...change, gen: BigInt(change.gen) })),
      };
    },
  };
}
