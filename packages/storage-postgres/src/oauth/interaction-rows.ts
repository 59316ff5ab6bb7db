import { environmentOf, livemode } from '@paymount/core/kernel';
import type {
  Interaction,
  InteractionId,
  InteractionRepository,
  OpenInteractionRepository,
  PlatformId,
} from '@paymount/core/oauth';
import { statement } from '../connection/statement.ts';
import { present } from '../shared/present-rows.ts';
import type { Session } from '../transaction/session.ts';

interface InteractionRow {
  readonly id: InteractionId;
  readonly livemode: boolean;
  readonly platform_id: PlatformId;
  readonly redirect_uri: string;
  readonly names_redirect_uri: boolean;
  readonly scopes: Interaction['scopes'];
  readonly state: string | null;
  readonly code_challenge: string | null;
  readonly browser_hash: Buffer;
  readonly user_id: string | null;
  readonly session_hash: Buffer | null;
  readonly logins: number;
  readonly created: Date;
  readonly expires_at: Date;
  readonly decided_at: Date | null;
}

const find = statement(
  'pm_interactions_find_v1',
  (s) => `SELECT id, livemode, platform_id, redirect_uri, names_redirect_uri, scopes, state,
      code_challenge, browser_hash, user_id, session_hash, logins, created, expires_at, decided_at
    FROM ${s}.interactions WHERE id = $1`,
);
const insert = statement(
  'pm_interactions_insert_v1',
  (
    s,
  ) => `INSERT INTO ${s}.interactions (id, livemode, platform_id, redirect_uri, names_redirect_uri,
      scopes, state, code_challenge, browser_hash, created, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
);
const bind = statement(
  'pm_interactions_bind_v2',
  (s) => `UPDATE ${s}.interactions SET user_id = $2, session_hash = $3
    WHERE id = $1 AND coalesce(user_id, $2) = $2 AND coalesce(session_hash, $3) = $3`,
);
const countLogin = statement(
  'pm_interactions_count_login_v1',
  (s) => `UPDATE ${s}.interactions SET logins = logins + 1, session_hash = NULL
    WHERE id = $1 AND decided_at IS NULL`,
);
const decide = statement(
  'pm_interactions_decide_v1',
  (s) => `UPDATE ${s}.interactions SET decided_at = $4
    WHERE id = $1 AND user_id = $2 AND session_hash = $3 AND decided_at IS NULL
      AND expires_at > $4`,
);

/** Interactions outside a transaction. */
export function openInteractionRepository(session: Session): OpenInteractionRepository {
  return {
    async insert(interaction) {
      const { id, environment, platformId, redirectUri, namesRedirectUri, scopes } = interaction;
      const { state = null, codeChallenge = null, browserHash, created, expiresAt } = interaction;
      await session.query(insert, [
        id,
        livemode(environment),
        platformId,
        redirectUri,
        namesRedirectUri,
        scopes,
        state,
        codeChallenge,
        Buffer.from(browserHash),
        created,
        expiresAt,
      ]);
    },
    async find(id) {
      const [row] = (await session.query<InteractionRow>(find, [id])).rows;
      return row && toInteraction(row);
    },
    async bind(id, { userId, sessionHash }) {
      const values = [id, userId, Buffer.from(sessionHash)];
      return (await session.query(bind, values)).rowCount === 1;
    },
    async countLogin(id) {
      await session.query(countLogin, [id]);
    },
  };
}

/** Interactions within a change of access. */
export function interactionRepository(session: Session): InteractionRepository {
  return {
    async decide(id, { userId, sessionHash }, now) {
      const values = [id, userId, Buffer.from(sessionHash), now];
      return (await session.query(decide, values)).rowCount === 1;
    },
  };
}

function toInteraction(row: InteractionRow): Interaction {
  return {
    id: row.id,
    environment: environmentOf(row.livemode),
    platformId: row.platform_id,
    redirectUri: row.redirect_uri,
    namesRedirectUri: row.names_redirect_uri,
    scopes: row.scopes,
    browserHash: row.browser_hash,
    logins: row.logins,
    created: row.created,
    expiresAt: row.expires_at,
    ...present({
      state: row.state,
      codeChallenge: row.code_challenge,
      userId: row.user_id,
      sessionHash: row.session_hash,
      decidedAt: row.decided_at,
    }),
  };
}
