import type { Clock } from '../shared/clock.ts';
import type { Owner } from '../shared/environment.ts';
import { type EventId, firstIdAt, madeAtMs, parseId } from '../shared/id.ts';
import { PaymountError } from '../shared/paymount-error.ts';
import { EVENT_TYPES, type EventPattern, type EventType, patternsFor } from './catalogue.ts';
import type { Event, EventReader } from './event.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Ids are made before their commit: one that is this old may still appear. */
const WINDOW_MS = 5 * MINUTE_MS;
const OLDEST_CURSOR_MS = 30 * DAY_MS;
const IDS_PER_READ = 1_000;
/** A body has up to 256 KiB. */
const BODIES_PER_READ = 50;
/** Ids remembered; of an account with more events in five minutes the oldest are forgotten. */
const MAX_SEEN = 10_000;

export interface FeedOptions {
  /** Only events that one of these selects. @defaultValue all */
  readonly types?: readonly EventPattern[];
  /** Begins five minutes before this event. @defaultValue from now on */
  readonly lastEventId?: string;
}

interface FeedPorts {
  readonly reader: EventReader;
  readonly clock: Clock;
  readonly owner: Owner;
}

/**
 * The events of an account as they are committed, which is not the order of their ids: each read
 * goes back five minutes, and passes over what was given already. In memory are the ids of that time.
 */
export class EventFeed {
  readonly #ports: FeedPorts;
  readonly #types: readonly EventType[] | undefined;
  readonly #seen = new Set<EventId>();
  /** Nothing up to this id is looked at again. */
  #floor: EventId;
  /** Where the next read begins, while a round through all that is there is not at its end. */
  #from: EventId | undefined;
  #cursor: EventId | undefined;

  private constructor(ports: FeedPorts, { types }: FeedOptions, floor: EventId) {
    this.#ports = ports;
    this.#types = types && EVENT_TYPES.filter((type) => isSelected(type, types));
    this.#floor = floor;
  }

  /** @throws PaymountError `invalid_cursor` */
  static async start(ports: FeedPorts, options: FeedOptions): Promise<EventFeed> {
    const { lastEventId } = options;
    if (lastEventId !== undefined) {
      const cursor = await judgedCursor(ports, lastEventId);
      const feed = new EventFeed(ports, options, firstIdAt('evt', madeAtMs(cursor) - WINDOW_MS));
      feed.#cursor = cursor;
      return feed;
    }
    const feed = new EventFeed(ports, options, idBefore(ports.clock, WINDOW_MS));
    feed.#cursor = await newestOf(ports);
    do {
      for await (const ids of feed.#unseen()) feed.#remember(ids);
    } while (feed.isBehind);
    return feed;
  }

  /** Where a feed would go on that is started when nothing was given yet. */
  get cursor(): EventId | undefined {
    return this.#cursor;
  }

  /** Whether the last read left more behind it. */
  get isBehind(): boolean {
    return this.#from !== undefined;
  }

  /** What is there now and was not given before, by id; of at most 1,000 events. */
  async *pending(): AsyncGenerator<Event> {
    const { reader, owner } = this.#ports;
    for await (const ids of this.#unseen()) {
      for (const event of await reader.findAll(owner, ids, this.#types)) {
        this.#remember([event.id]);
        yield event;
      }
      this.#remember(ids);
    }
  }

  async *#unseen(): AsyncGenerator<readonly EventId[]> {
    const { reader, owner } = this.#ports;
    const ids = await reader.idsAfter(owner, this.#from ?? this.#floor, IDS_PER_READ);
    const unseen = ids.filter((id) => !this.#seen.has(id));
    for (let at = 0; at < unseen.length; at += BODIES_PER_READ) {
      yield unseen.slice(at, at + BODIES_PER_READ);
    }
    this.#from = ids.length < IDS_PER_READ ? undefined : ids.at(-1);
    this.#raiseFloor();
  }

  #remember(ids: readonly EventId[]): void {
    for (const id of ids) this.#seen.add(id);
  }

  /** To where everything was read, and nothing can appear any more. */
  #raiseFloor(): void {
    const due = idBefore(this.#ports.clock, WINDOW_MS);
    this.#forgetTo(this.#from !== undefined && this.#from < due ? this.#from : due);
    const excess = this.#seen.size - MAX_SEEN;
    if (excess <= 0) return;
    const last = [...this.#seen].sort()[excess - 1];
    if (last !== undefined) this.#forgetTo(last);
  }

  #forgetTo(floor: EventId): void {
    if (floor <= this.#floor) return;
    this.#floor = floor;
    for (const id of this.#seen) if (id <= floor) this.#seen.delete(id);
  }
}

/** The least id of a moment that is so long ago, by the machine's time, of which ids are made. */
function idBefore(clock: Clock, ms: number): EventId {
  return firstIdAt('evt', clock.now().getTime() - clock.shiftMs - ms);
}

function isSelected(type: EventType, patterns: readonly string[]): boolean {
  return patternsFor(type).some((pattern) => patterns.includes(pattern));
}

async function newestOf({ reader, clock, owner }: FeedPorts): Promise<EventId | undefined> {
  const [newest] = (await reader.list(owner, {}, { limit: 1 })).data;
  return newest && isRecent(newest.id, clock) ? newest.id : undefined;
}

/** With a day to spare for whoever comes back with it. */
function isRecent(id: EventId, clock: Clock): boolean {
  return id > idBefore(clock, OLDEST_CURSOR_MS - DAY_MS);
}

async function judgedCursor({ reader, clock, owner }: FeedPorts, text: string): Promise<EventId> {
  const id = parseId('evt', text);
  if (id !== undefined && id >= idBefore(clock, OLDEST_CURSOR_MS)) {
    if ((await reader.find(owner, id)) !== undefined) return id;
  }
  throw new PaymountError(
    'invalid_cursor',
    'Last-Event-ID is not the id of an event that was recorded here in the last 30 days. ' +
      'Leave it out to begin with what happens from now on.',
  );
}
