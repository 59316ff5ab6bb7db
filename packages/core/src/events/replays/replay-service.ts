import type { AuditAction, AuditFacts } from '../../changes/audit/audit.ts';
import { applyIn } from '../../changes/commit.ts';
import { assertMayReplay } from '../../changes/events/event-scopes.ts';
import { EVENT_TYPES, patternsFor } from '../../changes/events/event-types.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import { newId, parseId } from '../../kernel/basics/id.ts';
import { credentialSnapshotFor, ownerOf } from '../../kernel/callers/call.ts';
import { makerOf } from '../../kernel/callers/maker.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow, missingTarget } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import { DELIVERIES_KEPT_DAYS } from '../deliveries/delivery.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { assertOwn, platformOf } from '../endpoints/own-endpoints.ts';
import type { WebhookChange } from '../webhook-change.ts';
import type { WebhookStorage } from '../webhook-storage.ts';
import {
  MAX_OPEN_REPLAYS,
  PAST_LAST,
  type Replay,
  type ReplayProgress,
  type ReplayTarget,
} from './replay.ts';
import type { ReplayCreate } from './replay-input.ts';
import type { ReplayFilter } from './replay-repository.ts';
import { toReplayResource } from './replay-resource.ts';

const NAME = { noun: 'replay', prefix: 'rpl' } as const;
/** More than the maximum of an account. */
const ALL_ENDPOINTS = { limit: 100 };

const DAY_MS = 86_400_000;

export interface ReplayPorts {
  readonly storage: Pick<WebhookStorage, 'transaction' | 'read'>;
  readonly clock: Clock;
}

/** The answer of a change, in the form of the API that was called. */
export type ShowReplay = (replay: Replay) => object;

/** Replays of many events; workers advance them (`advanceReplays`). */
export class ReplayService {
  readonly #ports: ReplayPorts;

  constructor(ports: ReplayPorts) {
    this.#ports = ports;
  }

  /** The replay with its progress. @throws PaymountError `resource_missing` */
  async retrieve(
    call: Call,
    id: string,
  ): Promise<{ readonly replay: Replay; readonly progress: ReplayProgress }> {
    const { replays } = this.#ports.storage.read;
    const replay = await findOrThrow(NAME, id, async (known) =>
      startedBy(call, await replays.find(ownerOf(call), known)),
    );
    return { replay, progress: await replays.progress(replay.id) };
  }

  /** Newest first; for a platform those that it started. @throws PaymountError `invalid_cursor` */
  async list(call: Call, filter: ReplayFilter, page: PageRequest): Promise<Page<Replay>> {
    const createdBy = platformOf(call);
    const { replays } = this.#ports.storage.read;
    return replays.list(ownerOf(call), { ...filter, ...(createdBy && { createdBy }) }, page);
  }

  /**
   * Starts a replay of the events that are recorded now. Its endpoints are fixed now: an endpoint
   * that is created later gets nothing.
   * @param show makes the answer that is stored with it
   * @throws PaymountError 404 `resource_missing` that names `endpoint` or `to`; `permission_denied` if a
   *   platform did not set the URL of one of them; `endpoint_disabled` if it is the only destination;
   *   `insufficient_scope` for types whose objects the caller may not read;
   *   `open_replays_limit_reached`; `parameter_invalid` if `states`
   *   are wanted of events whose deliveries are deleted
   */
  async create(call: Call, input: ReplayCreate, show: ShowReplay): Promise<Replay> {
    const { storage, clock } = this.#ports;
    const owner = ownerOf(call);
    assertMayReplay(call.principal, input.types);
    assertStatesKept(input, clock.now());
    const { judged, to, targets } = await this.#resolve(call, input);
    const types = input.types && [...new Set(input.types)];
    const states = input.states && [...new Set(input.states)];
    const made: Replay = {
      ...owner,
      id: newId('rpl'),
      status: 'pending',
      ...(judged && { endpointId: judged.id }),
      ...(to && { toEndpointId: to.id }),
      ...(types && { types }),
      ...(states && { states }),
      ...(input.created && { createdFilter: input.created }),
      rate: input.rate,
      dryRun: input.dry_run,
      matched: 0,
      isCounting: true,
      createdCount: 0,
      skipped: 0,
      isOpen: true,
      created: clock.now(),
      createdBy: makerOf(call),
    };
    return storage.transaction(async ({ replays, changes }) => {
      if ((await replays.countOpenForUpdate(owner)) >= MAX_OPEN_REPLAYS) {
        throw new PaymountError('open_replays_limit_reached');
      }
      const newest = await replays.newestEvent(owner);
      const replay: Replay = { ...made, ...(newest && { throughEventId: newest }) };
      await replays.insert(replay, targets);
      const after = toFacts(replay);
      const audited = { action: 'replay.create', after, at: replay.created } as const;
      await applyIn({ changes }, buildChange(call, { replay, answer: show(replay) }, audited));
      return replay;
    });
  }

  /**
   * Makes no more deliveries, and cancels pending ones, also those of a completed replay. An
   * attempt in progress ends and is recorded; the delivery is not tried again.
   * @param show makes the answer that is stored with it
   * @throws PaymountError `resource_missing`, `replay_finished`
   */
  async cancel(call: Call, id: string, show: ShowReplay): Promise<Replay> {
    const { storage, clock } = this.#ports;
    const owner = ownerOf(call);
    return storage.transaction(async ({ replays, changes }) => {
      const before = await findOrThrow(NAME, id, async (known) =>
        startedBy(call, await replays.findForUpdate(owner, known)),
      );
      const { canceled, left } =
        before.status === 'canceled'
          ? { canceled: 0, left: 0 }
          : await replays.cancelWaiting(before);
      if (before.finishedAt !== undefined && canceled + left === 0) {
        const waits = before.status === 'completed' ? ', and has no pending deliveries' : '';
        throw new PaymountError(
          'replay_finished',
          `Replay ${before.id} is ${before.status}${waits}.`,
        );
      }
      const at = clock.now();
      const replay: Replay = {
        ...before,
        status: 'canceled',
        isCounting: false,
        isOpen: left > 0,
        finishedAt: at,
      };
      await replays.save(replay);
      const facts = { before: toStatusFacts(before), after: toStatusFacts(replay) };
      const audited = { action: 'replay.cancel', ...facts, at } as const;
      await applyIn({ changes }, buildChange(call, { replay, answer: show(replay) }, audited));
      return replay;
    });
  }

  async #resolve(
    call: Call,
    input: ReplayCreate,
  ): Promise<{
    readonly judged: Endpoint | undefined;
    readonly to: Endpoint | undefined;
    readonly targets: readonly ReplayTarget[];
  }> {
    const judged = await this.#named(call, 'endpoint', input.endpoint);
    const to = await this.#named(call, 'to', input.to);
    const named = to ?? judged;
    if (named === undefined) {
      const { endpoints } = this.#ports.storage.read;
      const { data } = await endpoints.list(ownerOf(call), ALL_ENDPOINTS, platformOf(call));
      return { judged, to, targets: data.flatMap((each) => matchingTarget(each, input)) };
    }
    if (named.status !== 'enabled') {
      const message = `Webhook endpoint ${named.id} is disabled; enable it, then repeat the request.`;
      throw new PaymountError('endpoint_disabled', message, { param: to ? 'to' : 'endpoint' });
    }
    return { judged, to, targets: [newTarget(named, input)] };
  }

  async #named(
    call: Call,
    param: 'endpoint' | 'to',
    id: string | undefined,
  ): Promise<Endpoint | undefined> {
    if (id === undefined) return undefined;
    const known = parseId('we', id);
    const found = known && (await this.#ports.storage.read.endpoints.find(ownerOf(call), known));
    if (found === undefined) throw missingTarget('webhook endpoint', id, param);
    assertOwn(call, found, param);
    return found;
  }
}

/** A platform sees and cancels only replays that it started. */
function startedBy(call: Call, replay: Replay | undefined): Replay | undefined {
  const platform = platformOf(call);
  return platform === undefined || replay?.createdBy?.id === platform ? replay : undefined;
}

type TargetInput = Pick<ReplayCreate, 'types' | 'dry_run'>;

function newTarget({ id }: Endpoint, { types, dry_run }: TargetInput): ReplayTarget {
  const sentTo = dry_run ? PAST_LAST : '';
  return { endpointId: id, ...(types && { types }), countedTo: '', sentTo };
}

/** An endpoint that the request does not name gets only the types that it is subscribed to. */
function matchingTarget(endpoint: Endpoint, input: TargetInput): readonly ReplayTarget[] {
  if (endpoint.status !== 'enabled') return [];
  const entries: readonly string[] = endpoint.enabledEvents;
  const types = (input.types ?? EVENT_TYPES).filter((type) =>
    patternsFor(type).some((entry) => entries.includes(entry)),
  );
  return types.length === 0 ? [] : [newTarget(endpoint, { ...input, types })];
}

function buildChange(
  call: Call,
  { replay, answer }: { readonly replay: Replay; readonly answer: object },
  audited: {
    readonly action: AuditAction;
    readonly before?: AuditFacts;
    readonly after: AuditFacts;
    readonly at: Date;
  },
): WebhookChange {
  const owner = ownerOf(call);
  const { at, ...facts } = audited;
  return {
    ...owner,
    at,
    writes: [],
    ...credentialSnapshotFor(call),
    ...resourceFields(call, answer),
    ...(call.audit && {
      audit: { ...call.audit, ...owner, ...facts, target: replay.id, created: at },
    }),
  };
}

function toFacts(replay: Replay): AuditFacts {
  const { status, endpoint, to, types, states, created_filter, rate, dry_run } =
    toReplayResource(replay);
  return { status, endpoint, to, types, states, created_filter, rate, dry_run };
}

function toStatusFacts({ status, createdCount }: Replay): AuditFacts {
  return { status, created_count: createdCount };
}

function assertStatesKept({ states, created }: ReplayCreate, now: Date): void {
  if (states === undefined) return;
  for (const bound of ['gte', 'gt'] as const) {
    const from = created?.[bound];
    if (from === undefined || from.getTime() >= now.getTime() - DELIVERIES_KEPT_DAYS * DAY_MS) {
      continue;
    }
    const param = `created[${bound}]`;
    throw new PaymountError(
      'parameter_invalid',
      `${param} is more than ${DELIVERIES_KEPT_DAYS} days ago, and deliveries are not kept longer: ` +
        'send a later time, or leave out `states` to replay all events of that time.',
      { param },
    );
  }
}
