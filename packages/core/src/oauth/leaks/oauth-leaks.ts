import type { AccessChange } from '../../access/access-change.ts';
import type { AccessRepositories, AccessStorage } from '../../access/access-storage.ts';
import { hostActor } from '../../access/caller.ts';
import {
  type Exposure,
  type LeakVerdict,
  ReportedCredentials,
  type ReportedOAuth,
  strongerVerdict,
} from '../../access/leaks/exposure.ts';
import type { LeakPolicy } from '../../access/leaks/handle-leak.ts';
import type { LeakService } from '../../access/leaks/leak-service.ts';
import { recordLeaks, toPlace } from '../../access/leaks/record-leaks.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Logger } from '../../kernel/basics/logger.ts';
import { type AdminScope, isInAdminScope } from '../../kernel/callers/admin-scope.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { endGrant } from '../grants/end-grant.ts';
import type { Grant } from '../grants/grant.ts';
import type { OAuthRepositories } from '../oauth-storage.ts';
import type { ClientSecretReader } from '../platforms/platform-repository.ts';
import type { PlatformService } from '../platforms/platform-service.ts';
import { secretLeakMail, tokenLeakMails } from './leak-mails.ts';

export interface OAuthLeaksPorts {
  readonly access: AccessStorage<LeakRows>;
  readonly secrets: ClientSecretReader;
  readonly platforms: Pick<PlatformService, 'revokeSecret'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `notify` does not revoke what leaked. @defaultValue `revoke` */
  readonly policy?: LeakPolicy;
}

/** A leaked token has a row in the list of leaks; a client secret belongs to no account. */
type LeakRows = OAuthRepositories & Pick<AccessRepositories, 'leaks'>;

/** The result for one credential; undefined if it is not ours, or outside what the reporter sees. */
type Action = LeakVerdict['action'] | undefined;

interface Report {
  readonly by: AuditContext;
  readonly within?: AdminScope;
  readonly now: Date;
}

/** A credential, and the exposures that contain it. */
type Leaked = ReportedOAuth & { readonly exposures: readonly Exposure[] };

/**
 * The same service, which also handles credentials of OAuth. A leaked code or token ends its grant
 * with all its tokens, because anyone who has one may have the others. A leaked client secret is
 * revoked, even if it is the only one. Each is one transaction, before that of the keys.
 */
export function withOAuthLeaks(leaks: LeakService, ports: OAuthLeaksPorts): LeakService {
  return {
    ...leaks,
    async report(exposures, caller = {}, within) {
      leaks.checkSources(exposures);
      const { by = hostActor(), response } = caller;
      const given = { by, now: ports.clock.now(), ...(within && { within }) };
      const actions = new Map<number, LeakVerdict['action'][]>();
      for (const found of new ReportedCredentials(exposures).oauth()) {
        const seen = found.indexes.flatMap((index) => exposures[index] ?? []);
        const action = await handle(ports, { ...found, exposures: seen }, given);
        if (action === undefined) continue;
        for (const index of found.indexes) {
          actions.set(index, [...(actions.get(index) ?? []), action]);
        }
      }
      const merged = (verdicts: readonly LeakVerdict[]) =>
        verdicts.map((verdict, index) =>
          (actions.get(index) ?? []).reduce(strongerVerdict, verdict),
        );
      const stored = response && ((verdicts: readonly LeakVerdict[]) => response(merged(verdicts)));
      return merged(
        await leaks.report(exposures, { by, ...(stored && { response: stored }) }, within),
      );
    },
  };
}

async function handle(ports: OAuthLeaksPorts, leaked: Leaked, report: Report): Promise<Action> {
  const action =
    leaked.type === 'client_secret'
      ? await handleSecret(ports, leaked, report)
      : await handleToken(ports, leaked, report);
  if (action !== undefined) {
    ports.logger.warn({ redacted: leaked.redacted, action }, 'A credential of OAuth leaked.');
  }
  return action;
}

function handleToken(
  { access, policy }: OAuthLeaksPorts,
  leaked: Leaked,
  { by, within, now }: Report,
): Promise<Action> {
  return access.change(async (rows): Promise<AccessChange<Action>> => {
    const nothing = (result: Action) => ({ result, subjects: [], audit: [] });
    const found = await findToken(rows, leaked);
    const grant = found && (await rows.grants.findForUpdate(found.grantId));
    if (grant === undefined) return nothing(undefined);
    if (within !== undefined && !isInAdminScope(within, grant)) return nothing(undefined);
    const action = actionFor(grant, policy);
    if (action === 'revoked') await rows.leaks.markRevoked(grant.id);
    const { accountId, environment } = grant;
    const credential = { kind: 'grant', id: grant.id } as const;
    const about = { accountId, environment, credential, redacted: leaked.redacted };
    const places = leaked.exposures.map(toPlace);
    const { audit } = await recordLeaks(rows.leaks, about, places, { action, by, now });
    if (action === 'already_revoked') return { ...nothing(action), audit };
    const isRevoked = action === 'revoked';
    const mails = await tokenLeakMails(rows, grant, { ...leaked, isRevoked, now });
    if (!isRevoked) return { ...nothing(action), audit, mails };
    const ended = await endGrant(rows, grant.id, { reason: 'leak', now, by });
    return { ...ended, audit: [...audit, ...ended.audit], result: action, mails };
  });
}

/** One that has expired or was used counts too: its successors may be at the same place. */
function actionFor(
  { status }: Grant,
  policy: LeakPolicy | undefined,
): LeakVerdict['action'] & ('already_revoked' | 'notified' | 'revoked') {
  if (status === 'revoked') return 'already_revoked';
  return policy === 'notify' ? 'notified' : 'revoked';
}

function findToken({ tokens }: OAuthRepositories, { type, hash }: Leaked) {
  if (type === 'access_token') return tokens.findAccessToken(hash);
  return type === 'code' ? tokens.findCodeForUpdate(hash) : tokens.findRefreshTokenForUpdate(hash);
}

async function handleSecret(
  { access, secrets, platforms, policy }: OAuthLeaksPorts,
  leaked: Leaked,
  { by, within, now }: Report,
): Promise<Action> {
  const known = await secrets.findSecret(leaked.hash);
  if (known === undefined) return undefined;
  const { id: secretId, platformId } = known;
  const isRevoked = policy !== 'notify';
  // The mail comes first: if the revocation fails, the next report finds the secret still active.
  const action = await access.change(async (rows): Promise<AccessChange<Action>> => {
    const platform = await rows.platforms.find(platformId);
    const isSeen =
      within === undefined ||
      (within.accounts === 'all' &&
        platform !== undefined &&
        within.environments.includes(platform.environment));
    const nothing = { subjects: [], audit: [] };
    if (platform === undefined || !isSeen) return { ...nothing, result: undefined };
    if (known.status === 'revoked') return { ...nothing, result: 'already_revoked' };
    const mail = secretLeakMail(platform, secretId, { ...leaked, isRevoked, now });
    return { ...nothing, result: isRevoked ? 'revoked' : 'notified', mails: [mail] };
  });
  if (action !== 'revoked') return action;
  try {
    await platforms.revokeSecret(platformId, { secretId, reason: 'leak' }, { by });
    return action;
  } catch (error) {
    // Another report or an admin revoked it meanwhile.
    if (PaymountError.is(error) && error.code === 'resource_missing') return 'already_revoked';
    throw error;
  }
}
