import type { Clock } from '../../kernel/basics/clock.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';
import type { GrantService } from '../grants/grant-service.ts';
import type { OAuthTokenQueue } from './token-repository.ts';

const BATCH = 100;
/** A process whose clock is behind may still exchange a refresh token that has just expired. */
const CLOCKS_DIFFER_MS = 60_000;
const OURSELVES: AuditContext = { actor: { type: 'system', id: 'oauth' }, via: 'worker' };

export interface ExpireGrantsPorts {
  readonly oauthTokens: Pick<OAuthTokenQueue, 'findLapsedGrants'>;
  readonly grants: Pick<GrantService, 'revoke'>;
  readonly clock: Clock;
  readonly isClosing: () => boolean;
}

/**
 * Ends approvals that no token can use any more: nobody refreshed them for 90 days, or they are a year
 * old. What depends on them, such as webhook endpoints, ends with them.
 * @returns whether there may be more
 */
export async function expireGrants(ports: ExpireGrantsPorts): Promise<boolean> {
  const { oauthTokens, grants, clock } = ports;
  const before = new Date(clock.now().getTime() - CLOCKS_DIFFER_MS);
  const lapsed = await oauthTokens.findLapsedGrants(before, BATCH);
  for (const id of lapsed) {
    if (ports.isClosing()) return false;
    await grants.revoke(id, 'expired', { by: OURSELVES });
  }
  return lapsed.length === BATCH;
}
