import type { CreatedKey } from '@paymount/core/access';
import {
  KEY_TYPES,
  type Key,
  type KeyCreate,
  type KeyJson,
  type KeyRevoke,
  type KeyRotate,
  type KeyUpdate,
  type NewKeyJson,
  toKeyResource,
  toNewKeyResource,
} from '@paymount/core/access';
import { PaymountError } from '@paymount/core/kernel';
import { type ListJson, toListResource, toPageRequest } from '@paymount/http';
import { z } from 'zod';
import { type AdminCall, newOwner, requireFreshLogin, target } from '../admin-call.ts';
import { AdminListQuery, toFilter } from '../admin-list-query.ts';
import { type AdminDirectories, type ManagementServices, toCaller } from '../services.ts';
import { toKeyEdit, toNewKey } from './key-parameters.ts';

/** The path of keys, below the mount. */
export const KEYS_PATH = '/keys';

const NAME = { noun: 'key', prefix: 'key' } as const;

/** Which keys, and which page of them. */
export const KeyListQuery = AdminListQuery.extend({
  status: z
    .enum(['active', 'revoked'])
    .optional()
    .meta({ description: 'A key that has expired counts as active.' }),
  type: z.enum(KEY_TYPES).optional(),
});

/** The dependencies of the calls on keys. */
export interface KeyCallPorts extends Pick<ManagementServices, 'keys' | 'keyViews' | 'sealer'> {
  readonly directory: Pick<AdminDirectories, 'accounts' | 'keys'>;
}

/**
 * The actions on keys, for the routes and for the host's own code. Parameters were checked by the
 * schema of the same name; answers are in the API's form.
 */
export class KeyCalls {
  readonly #ports: KeyCallPorts;

  constructor(ports: KeyCallPorts) {
    this.#ports = ports;
  }

  /** Newest first. @throws PaymountError `resource_missing`, `invalid_cursor`, `parameters_exclusive` */
  async list(
    call: AdminCall,
    { type, ...query }: z.output<typeof KeyListQuery>,
  ): Promise<ListJson<KeyJson>> {
    const { directory, keyViews } = this.#ports;
    const filter = {
      ...(await toFilter(call, query, directory.accounts)),
      ...(type && { type }),
    };
    const page = await directory.keys.list(call.adminScope, filter, toPageRequest(query));
    const viewOf = await keyViews(page.data);
    return toListResource(KEYS_PATH, page, (key) => toKeyResource(key, viewOf(key)));
  }

  /** @throws PaymountError `resource_missing`, `permission_denied` */
  async retrieve(call: AdminCall, id: string): Promise<KeyJson> {
    const key = await this.find(call, id);
    return (await this.#showing(key))(key);
  }

  /**
   * @throws PaymountError `resource_missing`, `permission_denied`, `insufficient_user_authentication`,
   *   `parameter_missing`, `parameter_invalid`, `key_limit_reached`
   */
  async create(call: AdminCall, input: KeyCreate): Promise<NewKeyJson> {
    const { account, livemode, ...rest } = input;
    const { directory, keys, sealer } = this.#ports;
    const owner = await newOwner(call, { account, livemode }, directory.accounts);
    const show = showingNew(call);
    const caller = toCaller(call, show, { sealer, environment: owner.environment });
    const facts = { ...owner, createdBy: call.admin.id, ...toNewKey(rest) };
    return show(await keys.create(facts, caller));
  }

  /** @throws PaymountError as `create` does; `key_not_rotatable`, `lock_timeout` */
  async rotate(
    call: AdminCall,
    id: string,
    { overlap_seconds: overlapSeconds }: KeyRotate,
  ): Promise<NewKeyJson> {
    const { keys, sealer } = this.#ports;
    const { id: known, environment } = await this.find(call, id);
    const show = showingNew(call);
    const rotation = overlapSeconds === undefined ? {} : { overlapSeconds };
    return show(await keys.rotate(known, rotation, toCaller(call, show, { sealer, environment })));
  }

  /**
   * @throws PaymountError `resource_missing`, `permission_denied`, `insufficient_user_authentication`,
   *   `parameter_invalid`, `status_transition_invalid`, `ip_list_excludes_used_addresses`
   */
  async update(call: AdminCall, id: string, input: KeyUpdate): Promise<KeyJson> {
    const key = await this.find(call, id);
    if (mayWiden(input, call.now)) requireFreshLogin(call, key.environment);
    const show = await this.#showing(key);
    const changing = this.#ports.keys.update(key.id, toKeyEdit(input), toCaller(call, show));
    return show(await changing.catch(withConfirmHint));
  }

  /** Final. @throws PaymountError `resource_missing`, `permission_denied` */
  async revoke(call: AdminCall, id: string, { reason }: KeyRevoke): Promise<KeyJson> {
    const key = await this.find(call, id);
    const show = await this.#showing(key);
    return show(await this.#ports.keys.revoke(key.id, reason, toCaller(call, show)));
  }

  /** The key of an id. @throws PaymountError `resource_missing`, `permission_denied` */
  find(call: AdminCall, id: string): Promise<Key> {
    return target(call, NAME, id, (known) => this.#ports.directory.keys.find(known));
  }

  /**
   * Renders a key; its data are read before a change, so that the stored answer is the one sent.
   */
  async #showing(key: Key): Promise<(key: Key) => KeyJson> {
    const viewOf = await this.#ports.keyViews([key]);
    return (row) => toKeyResource(row, viewOf(row));
  }
}

/** Renders a new key with its secret, only once. */
function showingNew({ now }: AdminCall): (made: CreatedKey) => NewKeyJson {
  return ({ key, secret }) => toNewKeyResource(key, secret, now);
}

/**
 * A list that locks clients out needs a confirmation, which the API and the host's code name
 * differently.
 */
function withConfirmHint(error: unknown): never {
  if (!PaymountError.is(error) || error.code !== 'ip_list_excludes_used_addresses') throw error;
  const message = `${error.message} Add them, or send confirm_lockout=true to confirm.`;
  throw new PaymountError(error.code, message, { param: 'allowed_ips', cause: error });
}

/** Whether a key may do more afterwards; ending it now is as urgent as revoking it. */
function mayWiden({ scopes, allowed_ips: ips, expires_at: end }: KeyUpdate, now: Date): boolean {
  const endsNow = end === undefined || (end instanceof Date && end <= now);
  return scopes !== undefined || ips !== undefined || !endsNow;
}
