import type { AccessStorage } from '../../access/access-storage.ts';
import { type Caller, hostActor } from '../../access/caller.ts';
import { hashCredential, mintOAuth } from '../../access/credentials/key-format.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';
import type { Scope } from '../../kernel/callers/scope.ts';
import { missing } from '../../kernel/errors/missing.ts';
import type { OAuthRepositories } from '../oauth-storage.ts';
import type { Platform, PlatformId } from '../platforms/platform.ts';
import { endGrant, grantFacts } from './end-grant.ts';
import type { Grant, GrantId, GrantRevokedReason } from './grant.ts';

/** RFC 6749, section 4.1.2, recommends 10 minutes at most; a redirect takes seconds. */
const CODE_LIFE_MS = 60_000;

export interface GrantServicePorts {
  readonly access: AccessStorage<OAuthRepositories>;
  readonly clock: Clock;
  /** 2-8 letters or digits that mark the codes of this installation. @defaultValue `pm` */
  readonly issuerTag?: string;
}

/** What a merchant approved. */
export interface Approval extends Owner {
  readonly platform: Platform;
  /** At least one, all of the platform's. */
  readonly scopes: readonly Scope[];
  /** The user of the host who approved. */
  readonly userId: string;
  /** As the request sent it; absent if it sent none. */
  readonly redirectUri?: string;
  readonly codeChallenge?: string;
  readonly by: AuditContext;
}

/** The approvals of merchants; each call is one transaction with its audit rows. */
export interface GrantService {
  /** @returns the code, which the platform exchanges once within 60 seconds */
  approve(approval: Approval): Promise<string>;
  /**
   * Final: all tokens are refused everywhere within 500 ms of the answer. Revoking again changes
   * nothing.
   * @throws `resource_missing`
   */
  revoke(id: GrantId, reason: GrantRevokedReason, caller?: Caller<Grant>): Promise<Grant>;
  /**
   * Revokes all grants of a platform for one account.
   * @returns how many; 0 changes nothing
   */
  revokeAll(
    owner: Owner,
    platformId: PlatformId,
    ending: { readonly reason: GrantRevokedReason } & Caller<number>,
  ): Promise<number>;
}

/** Makes the service of one process. */
export function createGrantService(ports: GrantServicePorts): GrantService {
  const { access, clock } = ports;
  return {
    approve: (approval) => approve(ports, approval),
    revoke: (id, reason, { by = hostActor(), response } = {}) =>
      access.change(async (rows) => {
        const ended = await endGrant(rows, id, { reason, by, now: clock.now() });
        const grant = await rows.grants.findForUpdate(id);
        if (grant === undefined) throw missing('grant', id);
        return { ...ended, result: grant, ...(response && { response: await response(grant) }) };
      }),
    revokeAll: ({ accountId, environment }, platformId, { reason, by = hostActor(), ...caller }) =>
      access.change(async (rows) => {
        const now = clock.now();
        const open = await rows.grants.findOpenForUpdate({ accountId, environment }, platformId);
        const ended = [];
        for (const { id } of open) ended.push(await endGrant(rows, id, { reason, by, now }));
        const { response, credential } = caller;
        return {
          result: open.length,
          subjects: ended.flatMap(({ subjects }) => subjects),
          audit: ended.flatMap(({ audit }) => audit),
          ...(credential && { credential }),
          ...(response && { response: await response(open.length) }),
        };
      }),
  };
}

async function approve(
  { access, clock, issuerTag }: GrantServicePorts,
  approval: Approval,
): Promise<string> {
  const { platform, accountId, environment, scopes, userId, by } = approval;
  const { redirectUri, codeChallenge } = approval;
  const text = mintOAuth('code', issuerTag);
  await access.change(async (rows) => {
    const now = clock.now();
    const grant: Grant = {
      ...{ id: newId('grt'), version: 1, accountId, environment },
      ...{ platformId: platform.id, scopes, status: 'pending', approvedBy: userId, created: now },
    };
    await rows.grants.insert(grant);
    await rows.tokens.insertCode({
      hash: hashCredential(text),
      grantId: grant.id,
      platformId: platform.id,
      ...(redirectUri === undefined ? {} : { redirectUri }),
      ...(codeChallenge === undefined ? {} : { codeChallenge }),
      created: now,
      expiresAt: new Date(now.getTime() + CODE_LIFE_MS),
    });
    const entry = { ...by, accountId, environment, target: grant.id, created: now };
    return {
      result: undefined,
      subjects: [],
      audit: [{ ...entry, action: 'grant.create' as const, after: grantFacts(grant) }],
    };
  });
  return text;
}
