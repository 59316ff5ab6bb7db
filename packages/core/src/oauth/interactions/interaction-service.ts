import type { AccessStorage } from '../../access/access-storage.ts';
import { hashCredential } from '../../access/credentials/key-format.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import { type AccountId, newId } from '../../kernel/basics/id.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';
import type { Scope } from '../../kernel/callers/scope.ts';
import { missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { approve } from '../grants/approve.ts';
import type { OAuthRepositories } from '../oauth-storage.ts';
import type { Platform } from '../platforms/platform.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { Interaction, InteractionId, InteractionUser } from './interaction.ts';
import { isSameHash } from './interaction.ts';
import type { OpenInteractionRepository } from './interaction-repository.ts';

/** A user may have to log in first. */
const LIFE_MS = 600_000;

export interface InteractionServicePorts {
  readonly access: AccessStorage<OAuthRepositories>;
  readonly interactions: OpenInteractionRepository;
  readonly clock: Clock;
  /** 2-8 letters or digits that mark the codes of this installation. @defaultValue `pm` */
  readonly issuerTag?: string;
}

/** A request that was found valid, in one browser. */
export interface NewInteraction {
  readonly platform: Pick<Platform, 'id' | 'environment'>;
  readonly request: AuthorizationRequest;
  readonly redirectUri: string;
  readonly namesRedirectUri: boolean;
  /** The secret in the browser's cookie. */
  readonly browserSecret: string;
}

/** What a user approves, and how the user was authenticated. */
export interface InteractionApproval extends InteractionUser {
  readonly accountId: AccountId;
  /** At least one, all of the request's. */
  readonly scopes: readonly Scope[];
  readonly by: AuditContext;
}

/** Requests of platforms, from the first page to the answer of a user of the host. */
export interface InteractionService {
  begin(interaction: NewInteraction): Promise<Interaction>;
  /** @returns undefined for one that is unknown, or that belongs to another browser */
  find(
    id: InteractionId,
    environment: Environment,
    browserSecret: string,
  ): Promise<Interaction | undefined>;
  /** @returns whether this user may answer it in this session */
  bind(interaction: Interaction, user: InteractionUser): Promise<boolean>;
  countLogin(interaction: Interaction): Promise<void>;
  /**
   * Records the approval in one transaction.
   * @returns the code, which the platform exchanges once within 60 seconds; undefined if the
   *   interaction was answered before or has expired
   * @throws PaymountError `resource_missing` if there is no such account; `account_disabled` if it is
   *   suspended: the interaction stays open
   */
  approve(interaction: Interaction, approval: InteractionApproval): Promise<string | undefined>;
  /** @returns false if it was answered before, or has expired */
  refuse(interaction: Interaction, user: InteractionUser): Promise<boolean>;
}

/** Makes the service of one process. */
export function createInteractionService(ports: InteractionServicePorts): InteractionService {
  const { access, interactions, clock } = ports;
  return {
    async begin({ platform, request, redirectUri, namesRedirectUri, browserSecret }) {
      const now = clock.now();
      const interaction: Interaction = {
        ...request,
        id: newId('int'),
        environment: platform.environment,
        platformId: platform.id,
        redirectUri,
        namesRedirectUri,
        browserHash: hashCredential(browserSecret),
        logins: 0,
        created: now,
        expiresAt: new Date(now.getTime() + LIFE_MS),
      };
      await interactions.insert(interaction);
      return interaction;
    },
    async find(id, environment, browserSecret) {
      const found = await interactions.find(id);
      const isHere =
        found?.environment === environment &&
        isSameHash(found.browserHash, hashCredential(browserSecret));
      return isHere ? found : undefined;
    },
    bind: ({ id }, user) => interactions.bind(id, user),
    countLogin: ({ id }) => interactions.countLogin(id),
    approve: (interaction, approval) => approveOnce(ports, interaction, approval),
    refuse: ({ id }, user) =>
      access.change(async (rows) => ({
        ...NOTHING,
        result: await rows.interactions.decide(id, user, clock.now()),
      })),
  };
}

const NOTHING = { subjects: [], audit: [] } as const;

function approveOnce(
  { access, clock, issuerTag }: InteractionServicePorts,
  interaction: Interaction,
  { accountId, scopes, by, ...user }: InteractionApproval,
): Promise<string | undefined> {
  const { id, platformId, environment, redirectUri, namesRedirectUri, codeChallenge } = interaction;
  return access.change<string | undefined>(async (rows) => {
    const now = clock.now();
    const account = await rows.accounts.find(accountId);
    if (account === undefined) throw missing('account', accountId);
    if (account.status === 'suspended') throw new PaymountError('account_disabled');
    const isFirst = await rows.interactions.decide(id, user, now);
    if (!isFirst) return { ...NOTHING, result: undefined };
    return approve(rows, {
      platformId,
      accountId,
      environment,
      scopes,
      userId: user.userId,
      by,
      now,
      issuerTag,
      ...(namesRedirectUri && { redirectUri }),
      ...(codeChallenge === undefined ? {} : { codeChallenge }),
    });
  });
}
