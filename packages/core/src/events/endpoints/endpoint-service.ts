import { applyIn, commit } from '../../changes/commit.ts';
import { CURRENT_API_VERSION } from '../../changes/events/api-version.ts';
import { resourceFields, responseFields } from '../../changes/idempotency/idempotency-fields.ts';
import { sealResponse } from '../../changes/idempotency/sealed-response.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { CrashPoint } from '../../kernel/basics/crash-point.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import { newId } from '../../kernel/basics/id.ts';
import { credentialSnapshotFor, ownerOf } from '../../kernel/callers/call.ts';
import { makerOf } from '../../kernel/callers/maker.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { mergeMetadata } from '../../kernel/input/metadata.ts';
import { toOneLine } from '../../kernel/input/one-line.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import type { Sealer } from '../../kernel/secrets/sealer.ts';
import type { WebhookChange } from '../webhook-change.ts';
import type { WebhookStorage } from '../webhook-storage.ts';
import type { Endpoint, EndpointBacklog, EndpointWithSecret, UpdatedEndpoint } from './endpoint.ts';
import { endpointAudit } from './endpoint-audit.ts';
import type { EndpointCreate, EndpointRotateSecret, EndpointUpdate } from './endpoint-input.ts';
import {
  type ShownOnce,
  toAdminEndpointResource,
  toEndpointResource,
} from './endpoint-resource.ts';
import { assertOwn, platformOf } from './own-endpoints.ts';
import { MAX_SECRETS, sealSecret } from './seal-secret.ts';
import { secretRotation } from './secret-rotation.ts';

const NAME = { noun: 'webhook endpoint', prefix: 'we' } as const;
const MAX_ENDPOINTS = 50;
/** An event that was skipped may have a time before the disabling, of a clock that is behind. */
const CLOCKS_DIFFER_MS = 60_000;

/** Checks a URL before any connection is made; the delivery engine checks again at each connect. */
export type ValidateUrl = (
  url: string,
  environment: Environment,
) =>
  | { readonly ok: true; readonly href: string }
  | { readonly ok: false; readonly message: string };

export interface EndpointPorts {
  readonly storage: WebhookStorage;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly validateUrl: ValidateUrl;
  /** Makes a signing secret: `whsec_` and base64 of 32 random bytes. */
  readonly createSecret: () => string;
  readonly crashPoint: CrashPoint;
}

/** Registered webhook URLs. */
export class EndpointService {
  readonly #ports: EndpointPorts;

  constructor(ports: EndpointPorts) {
    this.#ports = ports;
  }

  /**
   * Registers a URL. The signing secret is returned only here.
   * @throws PaymountError `url_not_allowed`, `endpoint_limit_reached`, `metadata_limit_exceeded`,
   *   `sealing_keys_missing`
   */
  async create(call: Call, input: EndpointCreate): Promise<EndpointWithSecret> {
    const owner = ownerOf(call);
    const at = this.#ports.clock.now();
    const endpoint: Endpoint = {
      ...owner,
      id: newId('we'),
      version: 1,
      url: this.#requireUrl(input.url, owner.environment),
      enabledEvents: input.enabled_events,
      description: input.description === undefined ? null : toOneLine(input.description),
      metadata: mergeMetadata({}, input.metadata),
      apiVersion: input.api_version ?? CURRENT_API_VERSION,
      status: 'enabled',
      secretVersion: 1,
      created: at,
      createdBy: makerOf(call),
      changedBy: makerOf(call),
      urlSetBy: makerOf(call),
    };
    const secret = this.#ports.createSecret();
    const stored = await sealSecret(this.#ports.sealer, endpoint, { secret, at });
    const response = await this.#sealResponse(call, endpoint, secret);
    await this.#ports.storage.transaction(async (repositories) => {
      if ((await repositories.endpoints.countForUpdate(owner)) >= MAX_ENDPOINTS) {
        throw new PaymountError('endpoint_limit_reached');
      }
      await applyIn(repositories, {
        ...owner,
        at,
        ...credentialSnapshotFor(call),
        writes: [{ kind: 'endpoint', mode: 'insert', row: endpoint }],
        secret: stored,
        ...response,
        ...endpointAudit(call, { action: 'endpoint.create', after: endpoint, at }),
      });
    });
    return { endpoint, secret };
  }

  /**
   * Without its secret. A platform reads and changes only the endpoints whose URL it set.
   * @throws PaymountError `resource_missing`, `permission_denied`
   */
  async retrieve(call: Call, id: string): Promise<Endpoint> {
    const { endpoints } = this.#ports.storage.read;
    const endpoint = await findOrThrow(NAME, id, (endpointId) =>
      endpoints.find(ownerOf(call), endpointId),
    );
    assertOwn(call, endpoint);
    return endpoint;
  }

  /** Newest first; for a platform those whose URL it set. @throws PaymountError `invalid_cursor` */
  async list(call: Call, page: PageRequest): Promise<Page<Endpoint>> {
    return this.#ports.storage.read.endpoints.list(ownerOf(call), page, platformOf(call));
  }

  /**
   * Enabling it, or another URL, clears what is known about its failures; workers resume the parked
   * deliveries of one that is enabled. Enabling an endpoint whose access ended keeps it: its URL then
   * counts as set by the caller.
   * @throws PaymountError `resource_missing`, `permission_denied`, `url_not_allowed`,
   *   `metadata_limit_exceeded`
   */
  async update(call: Call, id: string, input: EndpointUpdate): Promise<UpdatedEndpoint> {
    const { storage, clock } = this.#ports;
    return commit(storage.changes, async () => {
      const at = clock.now();
      const endpoint = await this.retrieve(call, id);
      const url =
        input.url === undefined ? endpoint.url : this.#requireUrl(input.url, endpoint.environment);
      const isKept = endpoint.disabledReason === 'access_ended' && input.disabled === false;
      const row: Endpoint = {
        ...withUrl(withStatus(endpoint, input.disabled, at), url),
        version: endpoint.version + 1,
        changedBy: makerOf(call),
        ...((url !== endpoint.url || isKept) && { urlSetBy: makerOf(call) }),
        enabledEvents: input.enabled_events ?? endpoint.enabledEvents,
        description:
          input.description === undefined
            ? endpoint.description
            : toOneLine(input.description) || null,
        metadata: mergeMetadata(endpoint.metadata, input.metadata),
      };
      const audited = { action: 'endpoint.update', before: endpoint, after: row, at } as const;
      const backlog = await this.#backlogIfEnabled(endpoint, row);
      const change = this.#change(call, audited, shown(call, row, backlog && { backlog }));
      return { change, result: { endpoint: row, ...(backlog && { backlog }) } };
    });
  }

  async #backlogIfEnabled(before: Endpoint, after: Endpoint): Promise<EndpointBacklog | undefined> {
    const { disabledAt } = before;
    if (before.status === after.status || after.status !== 'enabled') return undefined;
    if (disabledAt === undefined) return undefined;
    const since = new Date(disabledAt.getTime() - CLOCKS_DIFFER_MS);
    return {
      since,
      ...(await this.#ports.storage.read.endpoints.backlog(before, before.id, since)),
    };
  }

  /** Cancels pending deliveries; events and log stay. @throws PaymountError `resource_missing` */
  async delete(call: Call, id: string): Promise<Endpoint> {
    const { storage, clock } = this.#ports;
    return commit(storage.changes, async () => {
      const at = clock.now();
      const endpoint = await this.retrieve(call, id);
      const row: Endpoint = {
        ...endpoint,
        version: endpoint.version + 1,
        status: 'deleted',
        changedBy: makerOf(call),
      };
      const gone = { id: endpoint.id, object: 'webhook_endpoint', deleted: true };
      const audited = { action: 'endpoint.delete', before: endpoint, after: row, at } as const;
      return { change: this.#change(call, audited, gone), result: row };
    });
  }

  /**
   * Gives the endpoint a new signing secret, which is returned only here. Deliveries are signed
   * with both during the overlap, so that receivers can change over (specification: Events,
   * Signature).
   * @throws PaymountError `resource_missing`, `secret_rotation_limit`, `sealing_keys_missing`
   */
  async rotateSecret(
    call: Call,
    id: string,
    { overlap_seconds: overlapSeconds }: EndpointRotateSecret,
  ): Promise<EndpointWithSecret> {
    const { storage, clock } = this.#ports;
    return commit(storage.changes, async () => {
      const at = clock.now();
      const before = await this.retrieve(call, id);
      if (overlapSeconds > 0) await this.#assertRotatable(before, at);
      const rotation = { endpoint: before, at, overlapSeconds };
      const { change, rotated } = await secretRotation(this.#ports, call, rotation);
      const response = await this.#sealResponse(call, rotated.endpoint, rotated.secret);
      this.#ports.crashPoint('rotate.before_commit');
      return {
        change: { ...change, ...credentialSnapshotFor(call), ...response },
        result: rotated,
      };
    });
  }

  /**
   * The version of the endpoint, which each rotation increments, prevents a wrong count in a race.
   */
  async #assertRotatable(endpoint: Endpoint, at: Date): Promise<void> {
    const { endpoints } = this.#ports.storage.read;
    if ((await endpoints.countSecrets(endpoint, endpoint.id, at)) < MAX_SECRETS) return;
    throw new PaymountError('secret_rotation_limit');
  }

  #change(
    call: Call,
    audited: Parameters<typeof endpointAudit>[1],
    response: object,
  ): WebhookChange {
    const { after: row, at } = audited;
    return {
      ...ownerOf(call),
      at,
      ...credentialSnapshotFor(call),
      writes: [{ kind: 'endpoint', mode: 'update', row }],
      ...resourceFields(call, response),
      ...endpointAudit(call, audited),
    };
  }

  #requireUrl(url: string, environment: Environment): string {
    const verdict = this.#ports.validateUrl(url, environment);
    if (!verdict.ok) throw new PaymountError('url_not_allowed', verdict.message, { param: 'url' });
    return verdict.href;
  }

  /** The stored answer contains the secret, so it is sealed too. */
  async #sealResponse(
    call: Call,
    endpoint: Endpoint,
    secret: string,
  ): Promise<Pick<WebhookChange, 'claim' | 'response'>> {
    const { claim } = call;
    if (claim === undefined) return {};
    const resource = shown(call, endpoint, { secret });
    const response = { environment: endpoint.environment, resource };
    return responseFields(call, await sealResponse(this.#ports.sealer, claim, response));
  }
}

/** The endpoint in the form of the API that was called; the answer is stored with the change. */
function shown({ principal }: Call, endpoint: Endpoint, more: ShownOnce = {}): object {
  return principal.kind === 'admin'
    ? toAdminEndpointResource(endpoint, more)
    : toEndpointResource(endpoint, more);
}

/** What an earlier URL did says nothing about this one. */
function withUrl(endpoint: Endpoint, url: string): Endpoint {
  if (url === endpoint.url || endpoint.status !== 'enabled') return { ...endpoint, url };
  const { failingSince: _, ...rest } = endpoint;
  return { ...rest, url };
}

function withStatus(endpoint: Endpoint, disabled: boolean | undefined, at: Date): Endpoint {
  if (disabled === undefined) return endpoint;
  if (disabled === (endpoint.status === 'disabled')) return endpoint;
  if (!disabled) {
    const { disabledReason: _, disabledAt: __, failingSince: ___, ...rest } = endpoint;
    return { ...rest, status: 'enabled' };
  }
  return { ...endpoint, status: 'disabled', disabledReason: 'manual', disabledAt: at };
}
