import type { Change } from '../changes/change.ts';
import { applyIn } from '../changes/commit.ts';
import { resourceFields } from '../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../kernel/basics/clock.ts';
import type { Owner } from '../kernel/basics/environment.ts';
import { type EventId, newId, parseId } from '../kernel/basics/id.ts';
import { ownerOf } from '../kernel/callers/call.ts';
import type { Call } from '../kernel/callers/principal.ts';
import { missing } from '../kernel/errors/missing.ts';
import { PaymountError } from '../kernel/errors/paymount-error.ts';
import type { ExpungeCreate } from './expunge-input.ts';
import type { ExpungeRepository } from './expunge-repository.ts';
import type { ExpungeRequest, ExpungeSelection } from './expunge-request.ts';
import { toExpungeRequestResource } from './expunge-resource.ts';
import type { ExpungeStorage } from './expunge-storage.ts';

export interface ExpungePorts {
  readonly storage: ExpungeStorage;
  readonly clock: Clock;
}

/** Requests of admins to delete the data of events; workers do them (`advanceExpunges`). */
export class ExpungeService {
  readonly #ports: ExpungePorts;

  constructor(ports: ExpungePorts) {
    this.#ports = ports;
  }

  /**
   * Requests that events of one account and environment are expunged: those recorded before now
   * that meet every condition of the input. It cannot be undone.
   * @throws PaymountError `parameter_missing` without any condition; 400 `resource_missing` that
   *   names `events[<n>]` or `object_id`
   */
  async create(call: Call, input: ExpungeCreate): Promise<ExpungeRequest> {
    const { storage, clock } = this.#ports;
    const owner = ownerOf(call);
    assertSelecting(input);
    const selection = toSelection(input);
    const request: ExpungeRequest = {
      ...owner,
      id: newId('expr'),
      status: 'pending',
      selection,
      reason: input.reason.trim(),
      counts: { events: 0, canceledDeliveries: 0, attempts: 0 },
      created: clock.now(),
    };
    return storage.transaction(async ({ expunges, changes }) => {
      await assertKnown(expunges, { ...owner, ...selection }, input.events);
      await expunges.insert(request);
      await applyIn({ changes }, buildChange(call, request));
      return request;
    });
  }
}

/** A request without conditions would expunge everything. */
function assertSelecting({ events, object_id: objectId, created }: ExpungeCreate): void {
  const bounds = Object.values(created ?? {});
  if (events !== undefined || objectId !== undefined || bounds.length > 0) return;
  throw new PaymountError(
    'parameter_missing',
    'Send at least one of events[], object_id and created. To expunge all events, send created[gte]=0.',
    { param: 'events' },
  );
}

function toSelection(input: ExpungeCreate): ExpungeSelection {
  const { events, object_id: objectId, created } = input;
  return {
    ...(events && { eventIds: [...new Set(events.map(toEventId))] }),
    ...(objectId !== undefined && { objectId }),
    ...(created && { createdFilter: created }),
  };
}

function toEventId(text: string, index: number): EventId {
  const id = parseId('evt', text);
  if (id === undefined) throw missing('event', text, `events[${index}]`);
  return id;
}

/** For a mistyped id nothing would be expunged, and the request would succeed. */
async function assertKnown(
  expunges: ExpungeRepository,
  { eventIds = [], objectId, ...owner }: Owner & ExpungeSelection,
  sent: readonly string[] = [],
): Promise<void> {
  const unknown = await expunges.missingEvent(owner, eventIds);
  if (unknown !== undefined) throw missing('event', unknown, `events[${sent.indexOf(unknown)}]`);
  if (objectId === undefined || (await expunges.hasEventsOf(owner, objectId))) return;
  throw new PaymountError('resource_missing', 'No event is about an object of this id.', {
    param: 'object_id',
  });
}

/** The audit row has what was selected, and nothing of the data. */
function buildChange(call: Call, request: ExpungeRequest): Change {
  const owner = ownerOf(call);
  const answer = toExpungeRequestResource(request);
  const { object_id, created_filter, reason } = answer;
  const events = request.selection.eventIds?.length ?? null;
  return {
    ...owner,
    at: request.created,
    writes: [],
    ...resourceFields(call, answer),
    ...(call.audit && {
      audit: {
        ...call.audit,
        ...owner,
        action: 'expunge_request.create',
        target: request.id,
        after: { events, object_id, created_filter, reason },
        created: request.created,
      },
    }),
  };
}
