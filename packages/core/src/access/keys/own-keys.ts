import { toStoredResponse } from '../../changes/idempotency/stored-response.ts';
import { parseId } from '../../kernel/basics/id.ts';
import { auditContextFor, credentialSnapshotFor } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow } from '../../kernel/errors/missing.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import type { Key } from './key.ts';
import type { KeyDirectory } from './key-repository.ts';
import { type KeyJson, toKeyResource } from './key-resource.ts';
import type { KeyService } from './key-service.ts';
import type { KeyViews } from './key-views.ts';

const NAME = { noun: 'key', prefix: 'key' } as const;

export interface OwnKeysPorts {
  readonly keys: KeyDirectory;
  readonly service: Pick<KeyService, 'revoke'>;
  readonly views: KeyViews;
}

/**
 * The keys of the caller's own account and environment. This service does not create or replace
 * keys: a stolen key must not be able to create another one.
 */
export class OwnKeys {
  readonly #ports: OwnKeysPorts;

  constructor(ports: OwnKeysPorts) {
    this.#ports = ports;
  }

  /** Newest first. @throws PaymountError `invalid_cursor` */
  async list({ principal }: Call, page: PageRequest): Promise<Page<KeyJson>> {
    const { accountId, environment } = principal;
    const scope = { accounts: [accountId], environments: [environment] };
    const found = await this.#ports.keys.list(scope, {}, page);
    return { ...found, data: await this.#show(found.data) };
  }

  /** @throws PaymountError `resource_missing` */
  async retrieve(call: Call, id: string): Promise<KeyJson> {
    const key = await this.#find(call, id);
    const viewOf = await this.#ports.views([key]);
    return toKeyResource(key, viewOf(key));
  }

  /** The keys of these ids that belong to the account; one query for all. */
  async retrieveMany({ principal }: Call, ids: readonly string[]): Promise<readonly KeyJson[]> {
    const known = ids.map((id) => parseId('key', id)).filter((id) => id !== undefined);
    return this.#show(await this.#ports.keys.findMany(principal, known));
  }

  /**
   * Final, and refused everywhere within 500 ms of the answer. A key may revoke itself; revoking
   * again changes nothing.
   * @throws PaymountError `resource_missing`
   */
  async revoke(call: Call, id: string): Promise<KeyJson> {
    const { claim } = call;
    const key = await this.#find(call, id);
    const view = (await this.#ports.views([key]))(key);
    const revoked = await this.#ports.service.revoke(key.id, 'owner', {
      by: auditContextFor(call),
      ...credentialSnapshotFor(call),
      ...(claim && {
        response: async (row) => ({ claim, response: toStoredResponse(toKeyResource(row, view)) }),
      }),
    });
    return toKeyResource(revoked, view);
  }

  #find({ principal }: Call, id: string): Promise<Key> {
    return findOrThrow(NAME, id, async (known) => {
      const [key] = await this.#ports.keys.findMany(principal, [known]);
      return key;
    });
  }

  async #show(keys: readonly Key[]): Promise<readonly KeyJson[]> {
    const viewOf = await this.#ports.views(keys);
    return keys.map((key) => toKeyResource(key, viewOf(key)));
  }
}
