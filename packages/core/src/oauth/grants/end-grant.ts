import type { AccessChange } from '../../access/access-change.ts';
import type { AuditFacts } from '../../changes/audit/audit.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';
import type { OAuthRepositories } from '../oauth-storage.ts';
import { endedMails } from './ended-mails.ts';
import { type Grant, type GrantId, type GrantRevokedReason, revokedGrant } from './grant.ts';
import { reuseMails } from './reuse-mails.ts';

interface Ending {
  readonly reason: GrantRevokedReason;
  readonly now: Date;
  /** @defaultValue Paymount itself */
  readonly by?: AuditContext;
}

const SYSTEM: AuditContext = { actor: { type: 'system', id: 'oauth' }, via: 'request' };

/**
 * Revokes a grant: all its tokens are refused everywhere within 500 ms of the commit. Endpoints of its
 * platform that no other approval allows are disabled. A revoked grant stays as it is.
 */
export async function endGrant(
  rows: OAuthRepositories,
  id: GrantId,
  { reason, now, by = SYSTEM }: Ending,
): Promise<AccessChange<undefined>> {
  const before = await rows.grants.findForUpdate(id);
  if (before === undefined || before.status === 'revoked') {
    return { result: undefined, subjects: [], audit: [] };
  }
  const grant = revokedGrant(before, reason, now);
  await rows.grants.update(grant);
  const { accountId, environment } = grant;
  const entry = { ...by, accountId, environment, target: id, created: now };
  const facts = { before: grantFacts(before), after: grantFacts(grant) };
  return {
    result: undefined,
    subjects: [id],
    ended: [id],
    audit: [{ ...entry, action: 'grant.revoke', ...facts }],
    mails:
      reason === 'reuse' ? await reuseMails(rows, grant, now) : await endedMails(rows, grant, now),
  };
}

/** The fields of a grant that an audit row shows. */
export function grantFacts(grant: Grant): AuditFacts {
  return {
    platform: grant.platformId,
    scopes: grant.scopes,
    status: grant.status,
    approved_by: grant.approvedBy,
    ...(grant.revokedReason && { revoked_reason: grant.revokedReason }),
  };
}
