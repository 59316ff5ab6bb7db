import type { EventFeed } from '@paymount/core/events';
import { expect } from 'chai';
import {
  type FeedOptions,
  EventFeed as TheFeed,
} from '../../../../../packages/core/src/events/feed/event-feed.ts';
import { firstIdAt } from '../../../../../packages/core/src/kernel/basics/id.ts';
import { type FakeClock, fakeClock } from '../../../../support/clock.ts';
import { MemoryEvents, OWNER } from '../../../../support/memory-events.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

describe('the feed of events', () => {
  let clock: FakeClock;
  let events: MemoryEvents;

  beforeEach(() => {
    clock = fakeClock('2026-11-21T09:30:00.000Z');
    // What ids are made of is the machine's time, which is moved here.
    Object.defineProperty(clock, 'shiftMs', { value: 0 });
    events = new MemoryEvents();
  });

  const nowMs = (): number => clock.now().getTime();
  const start = (options: FeedOptions = {}): Promise<EventFeed> =>
    TheFeed.start({ reader: events, clock, owner: OWNER }, options);

  async function readIds(feed: EventFeed): Promise<string[]> {
    const ids: string[] = [];
    do {
      for await (const { id } of feed.pending()) ids.push(id);
    } while (feed.isBehind);
    return ids;
  }

  it('loses nothing that commits while a slow client takes a batch for more than five minutes', async () => {
    const feed = await start();
    const batch = Array.from({ length: 200 }, (_, index) => events.commit(nowMs() + index));
    clock.advance(10 * SECOND);
    const got: string[] = [];
    const during: string[] = [];
    for await (const { id } of feed.pending()) {
      got.push(id);
      clock.advance(2 * SECOND);
      if (got.length % 20 === 5) during.push(events.commit(nowMs()));
    }
    for (let count = 0; count < 5; count += 1) {
      got.push(...(await readIds(feed)));
      clock.advance(10 * SECOND);
    }
    expect(got).to.deep.equal([...batch, ...during]);
  });

  it('loses nothing that commits late in a part that was read, while it goes through the rest', async () => {
    const feed = await start();
    const from = nowMs();
    const many = Array.from({ length: 1_500 }, (_, index) => events.commit(from + index));
    clock.advance(10 * SECOND);
    const got: string[] = [];
    for await (const { id } of feed.pending()) got.push(id);
    clock.advance(4 * MINUTE);
    const late = events.commit(from + 10);
    clock.advance(2 * MINUTE);
    got.push(...(await readIds(feed)));
    clock.advance(10 * SECOND);
    got.push(...(await readIds(feed)));
    expect(got).to.deep.equal([...many, late]);
  });

  it('gives again what was not followed by asking for the next', async () => {
    const feed = await start();
    const ids = [
      events.commit(nowMs() + 1),
      events.commit(nowMs() + 2),
      events.commit(nowMs() + 3),
    ];
    const got: string[] = [];
    for await (const { id } of feed.pending()) {
      if (got.length === 1) break;
      got.push(id);
    }
    expect([...got, ...(await readIds(feed))]).to.deep.equal(ids);
  });

  it('goes back ten seconds in most looks, and five minutes every ten seconds', async () => {
    const busy = 9_900;
    for (let index = 0; index < busy; index += 1) events.commit(nowMs() - 20 * SECOND - index);
    const feed = await start();
    events.idsRead = 0;
    const soon = events.commit(nowMs() - 9 * SECOND);
    expect(await readIds(feed)).to.deep.equal([soon]);
    const late = events.commit(nowMs() - 4 * MINUTE);
    const got: string[] = [];
    for (let count = 0; count < 19; count += 1) {
      clock.advance(SECOND / 2);
      got.push(...(await readIds(feed)));
    }
    expect([got, events.idsRead < 100]).to.deep.equal([[], true]);
    clock.advance(SECOND / 2);
    expect(await readIds(feed)).to.deep.equal([late]);
    expect(events.idsRead).to.be.within(busy, busy + 200);
  });

  it('stops reading older events when nobody waits for them', async () => {
    for (let index = 0; index < 5_000; index += 1) events.commit(nowMs() - MINUTE + index);
    const stop = new AbortController();
    let reads = 0;
    events.onRead = () => {
      reads += 1;
      if (reads === 2) stop.abort();
    };
    await start({ stop: stop.signal });
    expect(reads).to.equal(2);
  });

  it('names a place to go on from once all that was there was given, and not before', async () => {
    const had = events.commit(nowMs() - MINUTE);
    expect((await start()).mark).to.equal(firstIdAt('evt', nowMs()));
    const many = Array.from({ length: 1_500 }, () => events.commit(nowMs() - SECOND));
    const feed = await start({ lastEventId: had });
    const got: string[] = [];
    for await (const { id } of feed.pending()) got.push(id);
    expect(feed.mark).to.equal(undefined);
    got.push(...(await readIds(feed)));
    expect(got).to.deep.equal([had, ...many.sort()]);
    expect(feed.mark).to.equal(firstIdAt('evt', nowMs()));
    clock.advance(MINUTE);
    const next = events.commit(nowMs());
    expect(await readIds(await start({ lastEventId: String(feed.mark) }))).to.include(next);
  });

  it('accepts any id of the last 30 days as a cursor, and none older or from the future', async () => {
    const at = (ms: number): string => firstIdAt('evt', nowMs() + ms);
    for (const ms of [-30 * DAY, -MINUTE, 0, 5 * MINUTE]) {
      await start({ lastEventId: at(ms) });
    }
    for (const lastEventId of [at(-30 * DAY - 1), at(5 * MINUTE + 1), 'evt_1', '', 'x']) {
      const refused = await start({ lastEventId }).catch((error: unknown) => error);
      expect(refused, lastEventId).to.include({ code: 'invalid_cursor' });
    }
  });
});
