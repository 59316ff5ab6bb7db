import { environmentOf, findOrThrow, missing, parseId } from '@paymount/core/kernel';
import {
  type ClientSecretRevoke,
  PLATFORM_STATUSES,
  type Platform,
  type PlatformCreate,
  type PlatformEdit,
  type PlatformJson,
  type PlatformUpdate,
  type PlatformWithSecret,
  toPlatformResource,
} from '@paymount/core/oauth';
import { type ListJson, ListQuery, toListResource, toPageRequest } from '@paymount/http';
import { z } from 'zod';
import { type AdminCall, requireAllAccounts, requireIn } from '../admin-call.ts';
import { type AdminDirectories, type ManagementServices, toCaller } from '../services.ts';

/** The path of platforms, below the mount. */
export const PLATFORMS_PATH = '/platforms';

const NAME = { noun: 'platform', prefix: 'ca' } as const;

/** Which platforms, and which page of them. */
export const PlatformListQuery = ListQuery.extend({
  livemode: z.boolean().optional(),
  status: z.enum(PLATFORM_STATUSES).optional(),
});

/** The dependencies of the calls on platforms. */
export interface PlatformCallPorts extends Pick<ManagementServices, 'platforms' | 'sealer'> {
  readonly directory: Pick<AdminDirectories, 'platforms'>;
}

/**
 * The actions on platforms, for the routes and for the host's own code. Parameters were checked by
 * the schema of the same name. A platform belongs to no account, so only admins of all accounts see
 * and change platforms.
 */
export class PlatformCalls {
  readonly #ports: PlatformCallPorts;

  constructor(ports: PlatformCallPorts) {
    this.#ports = ports;
  }

  /** Newest first. @throws PaymountError `invalid_cursor`, `parameters_exclusive` */
  async list(
    { adminScope }: AdminCall,
    { livemode, status, ...query }: z.output<typeof PlatformListQuery>,
  ): Promise<ListJson<PlatformJson>> {
    const filter = {
      ...(livemode === undefined ? {} : { environment: environmentOf(livemode) }),
      ...(status === undefined ? {} : { status }),
    };
    const { platforms } = this.#ports.directory;
    const page = await platforms.list(adminScope, filter, toPageRequest(query));
    return toListResource(PLATFORMS_PATH, page, (platform) => toPlatformResource(platform));
  }

  /** @throws PaymountError `resource_missing`, `permission_denied` */
  async retrieve(call: AdminCall, id: string): Promise<PlatformJson> {
    return toPlatformResource(await this.#find(call, id));
  }

  /**
   * The response contains the first client secret of a confidential platform, only once.
   * @throws PaymountError `permission_denied`, `insufficient_user_authentication`,
   *   `parameter_invalid`
   */
  async create(call: AdminCall, input: PlatformCreate): Promise<PlatformJson> {
    const { livemode, type, name, redirect_uris: redirectUris, scopes, contact_email } = input;
    const environment = environmentOf(livemode);
    requireAllAccounts(call);
    requireIn(call, environment);
    const { platforms, sealer } = this.#ports;
    const caller = toCaller(call, showNew, { sealer, environment });
    const required = { name, redirectUris, scopes, contactEmail: contact_email };
    const facts = { ...toSettings(input), ...required, environment, type };
    return showNew(await platforms.create({ ...facts, createdBy: call.admin.id }, caller));
  }

  /** @throws PaymountError `resource_missing`, `permission_denied`, `parameter_invalid` */
  async update(call: AdminCall, id: string, input: PlatformUpdate): Promise<PlatformJson> {
    const { id: known } = await this.#find(call, id);
    const { platforms } = this.#ports;
    return show(await platforms.update(known, toSettings(input), toCaller(call, show)));
  }

  /** @throws PaymountError `resource_missing`, `permission_denied` */
  async disable(call: AdminCall, id: string): Promise<PlatformJson> {
    const { id: known } = await this.#find(call, id);
    return show(await this.#ports.platforms.disable(known, toCaller(call, show)));
  }

  /** @throws PaymountError `resource_missing`, `permission_denied` */
  async enable(call: AdminCall, id: string): Promise<PlatformJson> {
    const { id: known } = await this.#find(call, id);
    return show(await this.#ports.platforms.enable(known, toCaller(call, show)));
  }

  /**
   * @throws PaymountError as `create`; `resource_missing`, `client_secret_not_allowed`,
   *   `client_secret_limit_reached`, `lock_timeout`
   */
  async createSecret(call: AdminCall, id: string): Promise<PlatformJson> {
    const { id: known, environment } = await this.#find(call, id);
    const { platforms, sealer } = this.#ports;
    const caller = toCaller(call, showNew, { sealer, environment });
    return showNew(await platforms.createSecret(known, caller));
  }

  /** @throws PaymountError `resource_missing`, `permission_denied` */
  async revokeSecret(
    call: AdminCall,
    id: string,
    { client_secret: secret, reason }: ClientSecretRevoke,
  ): Promise<PlatformJson> {
    const { id: known } = await this.#find(call, id);
    const secretId = parseId('csec', secret);
    if (secretId === undefined) throw missing('client secret', secret, 'client_secret');
    const { platforms } = this.#ports;
    return show(await platforms.revokeSecret(known, { secretId, reason }, toCaller(call, show)));
  }

  async #find(call: AdminCall, id: string): Promise<Platform> {
    const platform = await findOrThrow(NAME, id, async (known) => {
      const found = await this.#ports.directory.platforms.find(known);
      const { accounts, environments } = call.admin;
      return accounts === 'all' && found && environments.includes(found.environment)
        ? found
        : undefined;
    });
    requireIn(call, platform.environment);
    return platform;
  }
}

/** The settings among the parameters; absent ones stay as they are. */
function toSettings(input: PlatformUpdate): PlatformEdit {
  const { name, redirect_uris: redirectUris, callback_origins: callbackOrigins, scopes } = input;
  const { require_pkce: requirePkce, contact_email: contactEmail } = input;
  return {
    ...(name === undefined ? {} : { name }),
    ...(redirectUris && { redirectUris }),
    ...(callbackOrigins && { callbackOrigins }),
    ...(scopes && { scopes }),
    ...(requirePkce === undefined ? {} : { requirePkce }),
    ...(contactEmail === undefined ? {} : { contactEmail }),
  };
}

function show(platform: Platform): PlatformJson {
  return toPlatformResource(platform);
}

/** Renders a platform with its new secret, only once. */
function showNew({ platform, secret }: PlatformWithSecret): PlatformJson {
  return toPlatformResource(platform, secret);
}
