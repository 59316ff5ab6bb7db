import type { Clock } from '../../kernel/basics/clock.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';
import type { GrantService } from '../grants/grant-service.ts';
import type { OAuthTokenQueue } from './token-repository.ts';

const LOOKED_AT_ONCE = 500;
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
 */
export async function expireGrants(ports: ExpireGrantsPorts): Promise<void> {
  const { oauthTokens, grants, clock } = ports;
  const before = new Date(clock.now().getTime() - CLOCKS_DIFFER_MS);
  for (let after: string | undefined = ''; after !== undefined; ) {
    const found: Awaited<ReturnType<typeof oauthTokens.findLapsedGrants>> =
      await oauthTokens.findLapsedGrants(before, { after, limit: LOOKED_AT_ONCE });
    for (const id of found.lapsed) {
      if (ports.isClosing()) return;
      await grants.revoke(id, 'expired', { by: OURSELVES });
    }
    after = ports.isClosing() ? undefined : found.last;
  }
}
