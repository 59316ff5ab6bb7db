import type { AuthEpoch, Credential, CredentialReader } from '@paymount/core/access';
import { environmentOf } from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import { LOOK_UP_LIMIT_MS, type WatchConnection } from '../connection/watch-connection.ts';
import { findTokenByHash } from '../oauth/token-look-up.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';
import type { KeyRow } from './key-rows.ts';

/** More changes than this would take longer to read than a lease lasts. */
const MAX_CHANGES = 1_000;

/** The fields that decide about a request; the others would only use memory in the caches. */
type LookedUp =
  | 'id'
  | 'account_id'
  | 'livemode'
  | 'version'
  | 'type'
  | 'hash'
  | 'scopes'
  | 'allowed_ips'
  | 'status'
  | 'expires_at'
  | 'ended_at'
  | 'replaced_at';

/** The key's columns are null when no key has the hash. */
type LookUpRow = { readonly in_recovery: boolean } & (
  | { readonly id: null }
  | (Pick<KeyRow, LookedUp> & {
      readonly account_status: Credential['accountStatus'];
      readonly account_version: number;
    })
);

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
  'pm_keys_look_up_v2',
  (s) => `SELECT pg_is_in_recovery() AS in_recovery, k.*
    FROM (VALUES (1)) AS one LEFT JOIN (
      SELECT k.id, k.account_id, k.livemode, k.version, k.type, k.hash, k.scopes,
        k.allowed_ips::text[] AS allowed_ips, k.status, k.expires_at, k.ended_at, k.replaced_at,
        a.status AS account_status, a.version AS account_version
      FROM ${s}.api_keys k JOIN ${s}.accounts a ON a.id = k.account_id WHERE k.hash = $1) k ON true`,
  LOOK_UP_LIMIT_MS,
);
const sync = statement(
  'pm_epoch_sync_v2',
  // If there are too many changes, none are returned, and the caller clears its cache.
  (s) => `SELECT e.gen, e.mark::text AS mark, pg_is_in_recovery() AS in_recovery,
      (SELECT COALESCE(jsonb_agg(jsonb_build_object(
         'gen', c.gen::text, 'mark', c.mark, 'subjects', c.subjects) ORDER BY c.gen), '[]')
       FROM ${s}.auth_change c WHERE c.gen >= $1 AND e.gen - $1 <= ${MAX_CHANGES}) AS changes
    FROM ${s}.auth_epoch e WHERE e.id = 1`,
  LOOK_UP_LIMIT_MS,
);

/** Key look-ups on a separate small pool, and the generation counter on a separate connection. */
export function credentialReader(session: Session, watch: WatchConnection): CredentialReader {
  return {
    async findByHash(hash) {
      const [row] = (await session.query<LookUpRow>(findByHash, [Buffer.from(hash)])).rows;
      if (!row) throw new Error('The look-up of a key answers one row.');
      return { credential: toCredential(row), inRecovery: row.in_recovery };
    },
    findTokenByHash: (hash) => findTokenByHash(session, hash),
    async syncEpoch(seen: AuthEpoch | undefined) {
      const [row] = await watch.query<SyncRow>(sync, [seen?.gen ?? null]);
      if (!row) throw new Error('The generation counter has no row; run `npx paymount migrate`.');
      return {
        current: { gen: row.gen, mark: row.mark },
        inRecovery: row.in_recovery,
        changes: row.changes.map((change) => ({ ...change, gen: BigInt(change.gen) })),
      };
    },
  };
}

function toCredential(row: LookUpRow): Credential | undefined {
  if (row.id === null) return undefined;
  return {
    key: {
      id: row.id,
      accountId: row.account_id,
      environment: environmentOf(row.livemode),
      version: row.version,
      type: row.type,
      hash: row.hash,
      status: row.status,
      ...present({
        scopes: row.scopes,
        allowedIps: row.allowed_ips,
        expiresAt: row.expires_at,
        endedAt: row.ended_at,
        replacedAt: row.replaced_at,
      }),
    },
    accountStatus: row.account_status,
    accountVersion: row.account_version,
  };
}
