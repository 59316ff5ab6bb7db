import type { KeyUsageReader } from '../../access/keys/key-repository.ts';
import { toStoredResponse } from '../../changes/idempotency/stored-response.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import { auditContextFor, credentialSnapshotFor } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow, missing } from '../../kernel/errors/missing.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import {
  type ConnectedApplication,
  type ConnectedApplicationJson,
  type GrantUsage,
  toConnectedApplicationResource,
} from './connected-application.ts';
import type { ConnectedApplicationReader } from './grant-repository.ts';
import type { GrantService } from './grant-service.ts';

const NAME = { noun: 'connected application', prefix: 'ca' } as const;

export interface ConnectedApplicationsPorts {
  readonly applications: ConnectedApplicationReader;
  readonly grants: Pick<GrantService, 'revokeAll'>;
  readonly usage: Pick<KeyUsageReader, 'findMany'>;
  readonly clock: Clock;
}

/** What remains of an application after it was disconnected. */
export interface DisconnectedApplicationJson {
  readonly id: string;
  readonly object: 'connected_application';
  readonly deleted: true;
}

/** The platforms that may act for the caller's own account and environment. */
export class ConnectedApplications {
  readonly #ports: ConnectedApplicationsPorts;

  constructor(ports: ConnectedApplicationsPorts) {
    this.#ports = ports;
  }

  /** In the order of the platforms, newest first. @throws PaymountError `invalid_cursor` */
  async list(owner: Owner, page: PageRequest): Promise<Page<ConnectedApplicationJson>> {
    const found = await this.#ports.applications.list(owner, page);
    const usage = await this.#usageOf(found.data);
    return { ...found, data: found.data.flatMap((each) => show(each, usage) ?? []) };
  }

  /** @throws PaymountError `resource_missing`, also after it was disconnected */
  async retrieve(call: Call, id: string): Promise<ConnectedApplicationJson> {
    const found = await this.#find(call, id);
    const shown = show(found, await this.#usageOf([found]));
    if (shown === undefined) throw missing(NAME.noun, id);
    return shown;
  }

  /**
   * Revokes all approvals of a platform: its tokens are refused everywhere within 500 ms of the
   * answer. Again changes nothing.
   * @throws PaymountError `resource_missing` for a platform that was never connected
   */
  async disconnect(call: Call, id: string): Promise<DisconnectedApplicationJson> {
    const { claim, principal } = call;
    const { platform } = await this.#find(call, id);
    const { accountId, environment } = principal;
    const shown = { id: platform.id, object: 'connected_application', deleted: true } as const;
    await this.#ports.grants.revokeAll({ accountId, environment }, platform.id, {
      reason: 'owner',
      by: auditContextFor(call),
      ...credentialSnapshotFor(call),
      ...(claim && { response: async () => ({ claim, response: toStoredResponse(shown) }) }),
    });
    return shown;
  }

  #find({ principal }: Call, id: string): Promise<ConnectedApplication> {
    return findOrThrow(NAME, id, (known) => this.#ports.applications.find(principal, known));
  }

  #usageOf(applications: readonly ConnectedApplication[]): Promise<GrantUsage> {
    const ids = applications.flatMap(({ grants }) => grants.map((grant) => grant.id));
    return this.#ports.usage.findMany(ids, this.#ports.clock.now());
  }
}

/** @returns undefined for one that was disconnected */
function show(
  application: ConnectedApplication,
  usage: GrantUsage,
): ConnectedApplicationJson | undefined {
  const [newest] = application.grants;
  return newest && toConnectedApplicationResource(application, newest, usage);
}
