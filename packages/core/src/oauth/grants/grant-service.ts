import type { AccessStorage } from '../../access/access-storage.ts';
import { type Caller, hostActor } from '../../access/caller.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import { missing } from '../../kernel/errors/missing.ts';
import type { OAuthRepositories } from '../oauth-storage.ts';
import type { PlatformId } from '../platforms/platform.ts';
import { endGrant } from './end-grant.ts';
import type { Grant, GrantId, GrantRevokedReason } from './grant.ts';

export interface GrantServicePorts {
  readonly access: AccessStorage<OAuthRepositories>;
  readonly clock: Clock;
}

/** The approvals of merchants; each call is one transaction with its audit rows. */
export interface GrantService {
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
export function createGrantService({ access, clock }: GrantServicePorts): GrantService {
  return {
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
          ended: ended.flatMap(({ ended: ids = [] }) => ids),
          // One mail says that the access ended.
          mails: ended.flatMap(({ mails = [] }) => mails).slice(0, 1),
          audit: ended.flatMap(({ audit }) => audit),
          ...(credential && { credential }),
          ...(response && { response: await response(open.length) }),
        };
      }),
  };
}
