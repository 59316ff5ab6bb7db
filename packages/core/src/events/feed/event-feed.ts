import type { Event } from '../../changes/events/event.ts';
import type { EventReader } from '../../changes/events/event-repository.ts';
import {
  EVENT_TYPES,
  type EventPattern,
  type EventType,
  patternsFor,
} from '../../changes/events/event-types.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import { type EventId, firstIdAt, madeAtMs, parseId } from '../../kernel/basics/id.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Ids are made before their commit: an event with an id this old may still appear. */
const WINDOW_MS = 5 * MINUTE_MS;
/** Nearly all events commit within this time, so most reads go back no further. */
const SOON_MS = 10 * SECOND_MS;
const WHOLE_LOOK_EVERY_MS = 10 * SECOND_MS;
const OLDEST_CURSOR_MS = 30 * DAY_MS;
const IDS_PER_READ = 1_000;
/** A body has up to 256 KiB. */
const BODIES_PER_READ = 50;
/**
 * The number of remembered ids; if an account has more events in five minutes, the oldest are
 * forgotten.
 */
const MAX_SEEN = 10_000;

export interface FeedOptions {
  /** Only events that one of these selects. @defaultValue all */
  readonly types?: readonly EventPattern[];
  /** Begins five minutes before this id was made. @defaultValue from now on */
  readonly lastEventId?: string;
  /** Aborted when the client has gone. */
  readonly stop?: AbortSignal;
}

interface FeedPorts {
  readonly reader: EventReader;
  readonly clock: Clock;
  readonly owner: Owner;
}

/** One pass through the ids, with as many reads as necessary. */
interface Look {
  /** By the machine's clock, before the first read: events that commit later may be missed. */
  readonly startedMs: number;
  /** By the monotonic clock. */
  readonly begunMs: number;
  /** Whether it goes back to the floor, and not only to the most recent ids. */
  readonly isWhole: boolean;
  /** Everything up to here was read. */
  readonly upTo: EventId;
}

/**
 * The events of an account in the order of their commits, which is not the order of their ids:
 * passes go back ten seconds, and five minutes every ten seconds, and skip events that were already
 * returned. The ids of those five minutes are in memory.
 */
export class EventFeed {
  readonly #ports: FeedPorts;
  readonly #types: readonly EventType[] | undefined;
  readonly #seen = new Set<EventId>();
  /** Ids up to this one are not read again. */
  #floor: EventId;
  /** The current pass, until it is finished. */
  #look: Look | undefined;
  #lastLook: Look | undefined;
  #lastWholeLook: Look | undefined;
  #mark: EventId | undefined;

  private constructor(ports: FeedPorts, { types }: FeedOptions, floor: EventId) {
    this.#ports = ports;
    this.#types = types && EVENT_TYPES.filter((type) => isSelected(type, types));
    this.#floor = floor;
  }

  /** @throws PaymountError `invalid_cursor` */
  static async start(ports: FeedPorts, options: FeedOptions): Promise<EventFeed> {
    const { lastEventId, stop } = options;
    const nowMs = machineMs(ports.clock);
    if (lastEventId !== undefined) {
      const fromMs = cursorTimeMs(lastEventId, nowMs) - WINDOW_MS;
      return new EventFeed(ports, options, firstIdAt('evt', fromMs));
    }
    const feed = new EventFeed(ports, options, firstIdAt('evt', nowMs - WINDOW_MS));
    do {
      const { look, ids } = await feed.#read();
      feed.#remember(ids);
      feed.#proceed(look, ids);
    } while (feed.isBehind && stop?.aborted !== true);
    return feed;
  }

  /**
   * A position to resume from, not an event: everything that committed before it has been returned.
   * Undefined until then.
   */
  get mark(): EventId | undefined {
    return this.#mark;
  }

  /** Whether the last read left more events. */
  get isBehind(): boolean {
    return this.#look !== undefined;
  }

  /**
   * The new events that were not returned before, by id; of at most 1,000 events. An event counts
   * as returned once the next one is requested.
   */
  async *pending(): AsyncGenerator<Event> {
    const { reader, owner } = this.#ports;
    const { look, ids } = await this.#read();
    const unseen = ids.filter((id) => !this.#seen.has(id));
    for (let at = 0; at < unseen.length; at += BODIES_PER_READ) {
      const part = unseen.slice(at, at + BODIES_PER_READ);
      for (const event of await reader.findAll(owner, part, this.#types)) {
        yield event;
        this.#remember([event.id]);
      }
      this.#remember(part);
    }
    this.#proceed(look, ids);
  }

  /** The next ids of the pass. Until `proceed` it reads the same ids again. */
  async #read(): Promise<{ readonly look: Look; readonly ids: readonly EventId[] }> {
    const { reader, owner } = this.#ports;
    this.#look ??= this.#nextLook();
    const look = this.#look;
    return { look, ids: await reader.idsAfter(owner, look.upTo, IDS_PER_READ) };
  }

  #nextLook(): Look {
    const { clock } = this.#ports;
    const begunMs = clock.monotonicMs();
    const startedMs = machineMs(clock);
    const sinceMs = begunMs - (this.#lastWholeLook?.begunMs ?? -Infinity);
    if (this.#lastLook === undefined || sinceMs >= WHOLE_LOOK_EVERY_MS) {
      return { startedMs, begunMs, isWhole: true, upTo: this.#floor };
    }
    const soon = firstIdAt('evt', this.#lastLook.startedMs - SOON_MS);
    return { startedMs, begunMs, isWhole: false, upTo: later(soon, this.#floor) };
  }

  #remember(ids: readonly EventId[]): void {
    for (const id of ids) this.#seen.add(id);
  }

  /** Raises the floor to the last id that was read and before which no event can still appear. */
  #proceed(look: Look, ids: readonly EventId[]): void {
    const last = ids.length < IDS_PER_READ ? undefined : ids.at(-1);
    if (look.isWhole) {
      const due = firstIdAt('evt', look.startedMs - WINDOW_MS);
      this.#forgetTo(last !== undefined && last < due ? last : due);
    }
    const excess = this.#seen.size - MAX_SEEN;
    const oldest = excess > 0 ? [...this.#seen].sort()[excess - 1] : undefined;
    if (oldest !== undefined) this.#forgetTo(oldest);
    this.#look = last && { ...look, upTo: later(last, this.#floor) };
    if (this.#look === undefined) this.#end(look);
  }

  #end(look: Look): void {
    this.#lastLook = look;
    if (!look.isWhole) return;
    this.#lastWholeLook = look;
    this.#mark ??= firstIdAt('evt', look.startedMs);
  }

  #forgetTo(floor: EventId): void {
    if (floor <= this.#floor) return;
    this.#floor = floor;
    for (const id of this.#seen) if (id <= floor) this.#seen.delete(id);
  }
}

/** The machine's time, which ids contain. */
function machineMs(clock: Clock): number {
  return clock.now().getTime() - clock.shiftMs;
}

function later(one: EventId, other: EventId): EventId {
  return one > other ? one : other;
}

function isSelected(type: EventType, patterns: readonly string[]): boolean {
  return patternsFor(type).some((pattern) => patterns.includes(pattern));
}

/**
 * The time of a cursor. It does not check whether an event with that id exists: it is a position in
 * time, and so reveals nothing about other accounts. A cursor in the future is refused, because
 * events until then would be left out.
 */
function cursorTimeMs(text: string, nowMs: number): number {
  const id = parseId('evt', text);
  const atMs = id === undefined ? Number.NaN : madeAtMs(id);
  if (atMs >= nowMs - OLDEST_CURSOR_MS && atMs <= nowMs + WINDOW_MS) return atMs;
  throw new PaymountError(
    'invalid_cursor',
    'Last-Event-ID is not an id that this stream sent in the last 30 days. ' +
      'Leave it out to begin with what happens from now on.',
  );
}
