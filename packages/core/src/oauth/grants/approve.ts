import type { AccessChange } from '../../access/access-change.ts';
import { hashCredential, mintOAuth } from '../../access/credentials/key-format.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';
import type { Scope } from '../../kernel/callers/scope.ts';
import type { OAuthRepositories } from '../oauth-storage.ts';
import type { PlatformId } from '../platforms/platform.ts';
import { grantFacts } from './end-grant.ts';
import type { Grant } from './grant.ts';

/** RFC 6749, section 4.1.2, recommends 10 minutes at most; a redirect takes seconds. */
const CODE_LIFE_MS = 60_000;

/** What a merchant approved. */
export interface Approval extends Owner {
  readonly platformId: PlatformId;
  /** At least one, all of the platform's. */
  readonly scopes: readonly Scope[];
  /** The user of the host who approved. */
  readonly userId: string;
  /** As the request sent it; absent if it sent none. */
  readonly redirectUri?: string;
  readonly codeChallenge?: string;
  readonly by: AuditContext;
  readonly now: Date;
  /** 2-8 letters or digits that mark the codes of this installation. */
  readonly issuerTag: string | undefined;
}

/**
 * Records an approval: a grant that waits for its platform, and the code with which the platform
 * collects it once within 60 seconds.
 */
export async function approve(
  rows: Pick<OAuthRepositories, 'grants' | 'tokens'>,
  { platformId, accountId, environment, scopes, userId, by, now, ...asked }: Approval,
): Promise<AccessChange<string>> {
  const { redirectUri, codeChallenge, issuerTag } = asked;
  const code = mintOAuth('code', issuerTag);
  const grant: Grant = {
    id: newId('grt'),
    version: 1,
    accountId,
    environment,
    platformId,
    scopes,
    status: 'pending',
    approvedBy: userId,
    created: now,
  };
  await rows.grants.insert(grant);
  await rows.tokens.insertCode({
    hash: hashCredential(code),
    grantId: grant.id,
    platformId,
    ...(redirectUri === undefined ? {} : { redirectUri }),
    ...(codeChallenge === undefined ? {} : { codeChallenge }),
    created: now,
    expiresAt: new Date(now.getTime() + CODE_LIFE_MS),
  });
  const entry = { ...by, accountId, environment, target: grant.id, created: now };
  return {
    result: code,
    subjects: [],
    audit: [{ ...entry, action: 'grant.create', after: grantFacts(grant) }],
  };
}
