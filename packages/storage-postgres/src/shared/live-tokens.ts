/**
 * Whether some token of a grant can still be used: its access token, or a refresh token that was not
 * exchanged.
 * @param grant the id, as SQL
 * @param at a time, as SQL
 */
export function hasLiveToken(schema: string, grant: string, at: string): string {
  return `(EXISTS (SELECT FROM ${schema}.refresh_tokens r WHERE r.grant_id = ${grant}
        AND r.consumed_at IS NULL AND r.expires_at >= ${at})
      OR EXISTS (SELECT FROM ${schema}.access_tokens t WHERE t.grant_id = ${grant}
        AND t.revoked_at IS NULL AND t.expires_at >= ${at}))`;
}
