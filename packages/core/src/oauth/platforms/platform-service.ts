import type { AccessStorage } from '../../access/access-storage.ts';
import { type Caller, hostActor } from '../../access/caller.ts';
import { hashCredential, mintOAuth, redact } from '../../access/credentials/key-format.ts';
import type { AuditAction, AuditFacts } from '../../changes/audit/audit.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import { newId } from '../../kernel/basics/id.ts';
import { missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { OAuthRepositories } from '../oauth-storage.ts';
import {
  applySettings,
  isSamePlatform,
  type NewPlatform,
  newPlatform,
  type PlatformEdit,
} from './new-platform.ts';
import type {
  ClientSecret,
  ClientSecretId,
  Platform,
  PlatformId,
  SecretRevokedReason,
} from './platform.ts';
import type { PlatformReader } from './platform-repository.ts';

/** So that a new secret can be deployed before the old one is revoked. */
const MAX_SECRETS = 2;
/** The number of tries if a platform changes while its secret is made. */
const MAX_TRIES = 3;

export interface PlatformServicePorts {
  readonly access: AccessStorage<OAuthRepositories>;
  readonly platforms: PlatformReader;
  readonly clock: Clock;
  /** 2-8 letters or digits that mark the secrets of this installation. @defaultValue `pm` */
  readonly issuerTag?: string;
}

/** A platform, and its new secret, which is shown only once. */
export interface PlatformWithSecret {
  readonly platform: Platform;
  /** Absent for a public platform, which has none. */
  readonly secret?: string;
}

/** The platforms of the installation; each call is one transaction with its audit row. */
export interface PlatformService {
  /** A confidential platform gets its first secret. @throws as `newPlatform` */
  create(input: NewPlatform, caller?: Caller<PlatformWithSecret>): Promise<PlatformWithSecret>;
  /**
   * Changes settings. Removed scopes are refused everywhere within 500 ms of the answer, also for
   * tokens that exist.
   * @throws `resource_missing`, and as `newPlatform`
   */
  update(id: PlatformId, edit: PlatformEdit, caller?: Caller<Platform>): Promise<Platform>;
  /**
   * Refuses all tokens of the platform, everywhere within 500 ms of the answer, and disables the
   * webhook endpoints whose URL it set. @throws `resource_missing`
   */
  disable(id: PlatformId, caller?: Caller<Platform>): Promise<Platform>;
  /** Makes its tokens work again; with them it can enable its endpoints. @throws `resource_missing` */
  enable(id: PlatformId, caller?: Caller<Platform>): Promise<Platform>;
  /**
   * Adds a second secret: both work until one is revoked.
   * @throws `resource_missing`, `client_secret_not_allowed`, `client_secret_limit_reached`,
   *   `lock_timeout`
   */
  createSecret(id: PlatformId, caller?: Caller<PlatformWithSecret>): Promise<PlatformWithSecret>;
  /** Final. Tokens stay valid. @throws `resource_missing` */
  revokeSecret(
    id: PlatformId,
    which: { readonly secretId: ClientSecretId; readonly reason: SecretRevokedReason },
    caller?: Caller<Platform>,
  ): Promise<Platform>;
}

/** Makes the service of one process. */
export function createPlatformService(ports: PlatformServicePorts): PlatformService {
  const edit = (id: PlatformId, change: PlatformChange) => changePlatform(ports, id, change);
  return {
    create: (input, caller) => create(ports, input, caller),
    update: (id, given, caller) =>
      edit(id, {
        ...caller,
        action: 'platform.update',
        to: (platform) => applySettings(platform, given),
      }),
    disable: (id, caller) =>
      edit(id, {
        ...caller,
        action: 'platform.disable',
        to: (platform, now) =>
          platform.status === 'disabled'
            ? platform
            : { ...platform, status: 'disabled', disabledAt: now },
      }),
    enable: (id, caller) =>
      edit(id, {
        ...caller,
        action: 'platform.enable',
        to: ({ disabledAt: _, ...platform }) => ({ ...platform, status: 'active' }),
      }),
    createSecret: (id, caller) => createSecret(ports, id, caller),
    revokeSecret: (id, { secretId, reason }, caller) =>
      edit(id, {
        ...caller,
        action: 'platform.revoke_secret',
        async to(platform, now, { platforms }) {
          const secrets = platform.secrets.filter((secret) => secret.id !== secretId);
          if (secrets.length === platform.secrets.length) {
            throw missing('client secret', secretId, 'client_secret');
          }
          await platforms.revokeSecret(secretId, reason, now);
          return { ...platform, secrets };
        },
      }),
  };
}

async function create(
  ports: PlatformServicePorts,
  input: NewPlatform,
  { by = hostActor(input.createdBy), response }: Caller<PlatformWithSecret> = {},
): Promise<PlatformWithSecret> {
  const now = ports.clock.now();
  const minted = input.type === 'public' ? undefined : mintSecret(ports, input.createdBy, now);
  const platform = { ...newPlatform(input, now), secrets: minted ? [minted.secret] : [] };
  const made = { platform, ...(minted && { secret: minted.text }) };
  // Sealing an answer may call a key service, so it comes before the transaction.
  const stored = await response?.(made);
  return ports.access.change(async ({ platforms }) => {
    await platforms.insert(platform);
    if (minted)
      await platforms.insertSecret(platform.id, minted.secret, hashCredential(minted.text));
    const after = platformFacts(platform);
    return {
      result: made,
      subjects: [],
      audit: [{ ...by, ...auditOf(platform, 'platform.create', now), after }],
      ...(stored && { response: stored }),
    };
  });
}

async function createSecret(
  ports: PlatformServicePorts,
  id: PlatformId,
  caller: Caller<PlatformWithSecret> = {},
): Promise<PlatformWithSecret> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const made = await tryCreateSecret(ports, id, caller);
    if (made !== undefined) return made;
  }
  throw new PaymountError('lock_timeout');
}

/** @returns undefined if the platform changed meanwhile; nothing was written */
async function tryCreateSecret(
  ports: PlatformServicePorts,
  id: PlatformId,
  { by = hostActor(), response }: Caller<PlatformWithSecret>,
): Promise<PlatformWithSecret | undefined> {
  const now = ports.clock.now();
  const seen = await ports.platforms.find(id);
  if (seen === undefined) throw missing('platform', id);
  assertTakesSecret(seen);
  const { secret, text } = mintSecret(ports, by.actor.id, now);
  const platform = { ...seen, version: seen.version + 1, secrets: [secret, ...seen.secrets] };
  const made = { platform, secret: text };
  // Sealing an answer may call a key service, so it comes before the transaction.
  const stored = await response?.(made);
  return ports.access.change(async ({ platforms }) => {
    const before = await platforms.findForUpdate(id);
    if (before?.version !== seen.version) return { result: undefined, subjects: [], audit: [] };
    await platforms.insertSecret(id, secret, hashCredential(text));
    await platforms.update(platform);
    const facts = { before: platformFacts(before), after: platformFacts(platform) };
    return {
      result: made,
      subjects: [],
      audit: [{ ...by, ...auditOf(platform, 'platform.create_secret', now), ...facts }],
      ...(stored && { response: stored }),
    };
  });
}

function assertTakesSecret({ id, type, secrets }: Platform): void {
  if (type === 'public') {
    throw new PaymountError(
      'client_secret_not_allowed',
      `${id} is a public platform, which cannot keep a secret; it uses PKCE.`,
    );
  }
  if (secrets.length >= MAX_SECRETS) throw new PaymountError('client_secret_limit_reached');
}

interface PlatformChange extends Caller<Platform> {
  readonly action: AuditAction;
  readonly to: (
    platform: Platform,
    now: Date,
    rows: OAuthRepositories,
  ) => Platform | Promise<Platform>;
}

/** A call that changes nothing writes no audit row. */
function changePlatform(
  { access, clock }: PlatformServicePorts,
  id: PlatformId,
  { by = hostActor(), response, action, to }: PlatformChange,
): Promise<Platform> {
  return access.change(async (rows) => {
    const now = clock.now();
    const before = await rows.platforms.findForUpdate(id);
    if (before === undefined) throw missing('platform', id);
    const next = await to(before, now, rows);
    const same = isSamePlatform(before, next);
    const platform = same ? before : { ...next, version: before.version + 1 };
    if (!same) await rows.platforms.update(platform);
    const facts = { before: platformFacts(before), after: platformFacts(platform) };
    return {
      result: platform,
      subjects: same ? [] : [id],
      ...(!same && mayHaveEndpoints(before) && !mayHaveEndpoints(platform) && { ended: [id] }),
      audit: same ? [] : [{ ...by, ...auditOf(platform, action, now), ...facts }],
      ...(response && { response: await response(platform) }),
    };
  });
}

function mayHaveEndpoints({ status, scopes }: Platform): boolean {
  return status === 'active' && scopes.includes('webhooks:write');
}

function auditOf({ id, environment }: Platform, action: AuditAction, created: Date) {
  return { action, target: id, environment, created } as const;
}

function mintSecret(
  { issuerTag }: PlatformServicePorts,
  createdBy: string,
  now: Date,
): { readonly text: string; readonly secret: ClientSecret } {
  const text = mintOAuth('client_secret', issuerTag);
  return { text, secret: { id: newId('csec'), redacted: redact(text), created: now, createdBy } };
}

/** The fields of a platform that an audit row shows. */
function platformFacts(platform: Platform): AuditFacts {
  return {
    type: platform.type,
    name: platform.name,
    redirect_uris: platform.redirectUris,
    callback_origins: platform.callbackOrigins,
    scopes: platform.scopes,
    require_pkce: platform.requirePkce,
    contact_email: platform.contactEmail,
    status: platform.status,
    client_secrets: platform.secrets.map(({ id, redacted }) => ({ id, redacted })),
  };
}
