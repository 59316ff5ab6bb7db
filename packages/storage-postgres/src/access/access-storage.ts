import type {
  AccessChange,
  AccessChangeNotifier,
  AccessRepositories,
  AccessStorage,
} from '@paymount/core/access';
import { AccessChangedError, ClaimedError, type StoredResponse } from '@paymount/core/changes';
import type { CredentialSnapshot, IdempotencyClaim } from '@paymount/core/kernel';
import type { OAuthRepositories } from '@paymount/core/oauth';
import { accountRepository } from '../accounts/account-rows.ts';
import { appendAudit } from '../audit/audit-rows.ts';
import { statement } from '../connection/statement.ts';
import type { WatchConnection } from '../connection/watch-connection.ts';
import { endpointSecretReader } from '../endpoints/endpoint-secret-rows.ts';
import { idempotencyRows } from '../idempotency/idempotency-rows.ts';
import { keyRepository } from '../keys/key-rows.ts';
import { keyUsageReader } from '../keys/key-usage-rows.ts';
import { leakRepository } from '../leaks/leak-rows.ts';
import { insertMails } from '../mails/mail-rows.ts';
import { grantRepository } from '../oauth/grant-rows.ts';
import { interactionRepository } from '../oauth/interaction-rows.ts';
import { platformRepository } from '../oauth/platform-rows.ts';
import { tokenRepository } from '../oauth/token-rows.ts';
import type { Session } from '../transaction/session.ts';
import { inTransaction } from '../transaction/transaction.ts';

/** The channel on which every change of access is announced; the payload is the schema. */
const CHANNEL = 'paymount_auth';
/**
 * A process that is suspended before its commit blocks revocations by others no longer than this.
 */
const EPOCH_HELD_MS = 1_000;
/** More than are added in that time. Deleting all of the last hour would slow down bulk changes. */
const PURGED_AT_ONCE = 10;

const advance = statement(
  'pm_epoch_advance_v3',
  // The epoch row stays locked until the commit, so generations are in the order of commits.
  (s) => `WITH epoch AS (
      UPDATE ${s}.auth_epoch SET gen = gen + 1, mark = gen_random_uuid() WHERE id = 1
      RETURNING gen, mark),
    change AS (
      INSERT INTO ${s}.auth_change (gen, mark, subjects) SELECT gen, mark, $1::text[] FROM epoch),
    old AS (
      DELETE FROM ${s}.auth_change c USING epoch
      WHERE c.gen IN (SELECT gen FROM ${s}.auth_change ORDER BY gen LIMIT ${PURGED_AT_ONCE})
        AND c.gen < epoch.gen AND c.created < now() - interval '1 hour')
    SELECT pg_notify('${CHANNEL}', $2),
      set_config('idle_in_transaction_session_timeout', '${EPOCH_HELD_MS}', true) FROM epoch`,
);

const isKeyCurrent = statement(
  'pm_credential_standing_v1',
  (s) => `SELECT FROM ${s}.api_keys k JOIN ${s}.accounts a ON a.id = k.account_id
    WHERE k.id = $1 AND k.version = $2 AND a.version = $3`,
);

const isTokenCurrent = statement(
  'pm_token_standing_v1',
  (s) => `SELECT FROM ${s}.access_tokens t JOIN ${s}.grants g ON g.id = t.grant_id
      JOIN ${s}.platforms p ON p.id = g.platform_id JOIN ${s}.accounts a ON a.id = g.account_id
    WHERE t.id = $1 AND t.revoked_at IS NULL AND g.version = $2 AND p.version = $3
      AND a.version = $4`,
);

type AllAccessRepositories = AccessRepositories & OAuthRepositories;

/**
 * Changes of access on PostgreSQL.
 * @param told called after each change that increased the counter, or may have increased it because
 * the response to the commit was lost
 */
export function accessStorage(
  session: Session,
  told: () => void,
): AccessStorage<AllAccessRepositories> {
  return {
    async change(work) {
      let moved = false;
      try {
        return await inTransaction(session, async (inner) => {
          const change = await work(accessRepositories(inner));
          await finish(inner, change);
          moved = change.subjects.length > 0;
          return change.result;
        });
      } finally {
        if (moved) told();
      }
    },
  };
}

/** Listens to the changes of all processes. */
export function accessChangeNotifier(watch: WatchConnection): AccessChangeNotifier {
  return { listen: (onChange) => watch.listen(CHANNEL, onChange) };
}

function accessRepositories(session: Session): AllAccessRepositories {
  return {
    accounts: accountRepository(session),
    keys: keyRepository(session),
    leaks: leakRepository(session),
    usage: keyUsageReader(session),
    endpointSecrets: endpointSecretReader(session),
    platforms: platformRepository(session),
    grants: grantRepository(session),
    interactions: interactionRepository(session),
    tokens: tokenRepository(session),
  };
}

/** The lock order is: what `work` locked, the heads of the chains, the counter. */
async function finish(session: Session, change: AccessChange<unknown>): Promise<void> {
  const { response, audit, mails = [], subjects, credential } = change;
  if (response !== undefined) await recordResponse(session, response);
  await insertMails(session, mails);
  await appendAudit(session, audit);
  if (subjects.length > 0) {
    await session.query(advance, [subjects, session.statements.schemaName]);
    if (credential !== undefined) await requireCurrentCredential(session, credential);
  }
}

async function requireCurrentCredential(
  session: Session,
  credential: CredentialSnapshot,
): Promise<void> {
  const { rowCount } =
    'keyId' in credential
      ? await session.query(isKeyCurrent, [
          credential.keyId,
          credential.keyVersion,
          credential.accountVersion,
        ])
      : await session.query(isTokenCurrent, [
          credential.tokenId,
          credential.grantVersion,
          credential.platformVersion,
          credential.accountVersion,
        ]);
  if (rowCount !== 1) throw new AccessChangedError();
}

async function recordResponse(
  session: Session,
  { claim, response }: { readonly claim: IdempotencyClaim; readonly response: StoredResponse },
): Promise<void> {
  if (!(await idempotencyRows(session).record(claim, response))) throw new ClaimedError();
}
