import assert from 'node:assert/strict';
import {
  type Endpoint,
  MAX_UNFINISHED_PER_ENDPOINT,
  PAST_LAST,
  type Replay,
  type ReplayTarget,
} from '@paymount/core/events';
import { type EndpointId, newId } from '@paymount/core/kernel';
import { AT, later, sampleEvent } from '../samples.ts';
import { expectCount, RACERS, race, type StorageCases, type StorageSetup } from '../setup.ts';
import { publish, storedEndpoint } from './fan-out.ts';

/** A replay of all recorded events to these endpoints, whose events are counted. */
export async function storedReplay(
  setup: StorageSetup,
  endpoints: readonly Endpoint[],
  more: Partial<Replay> = {},
): Promise<Replay> {
  return setup.storage.transaction(async ({ replays }) => {
    const newest = await replays.newestEvent(setup.owner);
    const replay: Replay = {
      ...setup.owner,
      id: newId('rpl'),
      status: 'running',
      rate: 200,
      dryRun: false,
      ...(newest && { throughEventId: newest }),
      matched: 0,
      isCounting: false,
      createdCount: 0,
      skipped: 0,
      isOpen: true,
      created: AT,
      ...more,
    };
    await replays.insert(replay, endpoints.map(toReplayTarget));
    return replay;
  });
}

/** A target whose events are counted but not sent. */
export function toReplayTarget({ id }: Endpoint): ReplayTarget {
  return { endpointId: id, countedTo: PAST_LAST, sentTo: '' };
}

function isSameEndpoint(
  each: { readonly endpointId: EndpointId },
  { endpointId }: ReplayTarget,
): boolean {
  return each.endpointId === endpointId;
}

/** Sends at most `limit` events to each target. @returns undefined if another step is running */
export function sendSome({ replays }: StorageSetup, { id }: Replay, limit: number) {
  return replays.step(id, async (rows, replay) => {
    const { open, unfinished } = await rows.targets();
    const chosen = await Promise.all(
      open.map((target) => rows.choose(target, { limit, looked: 100 })),
    );
    const all = await rows.make(chosen);
    for (const target of open) {
      const { events = [], cursor = '' } =
        chosen.find((each) => isSameEndpoint(each, target)) ?? {};
      const mine = all.filter((each) => isSameEndpoint(each, target));
      const sentTo = mine.length === events.length ? cursor : mine.at(-1)?.eventId;
      await rows.saveTarget({ ...target, sentTo: sentTo ?? target.sentTo });
    }
    await rows.save({ ...replay, createdCount: replay.createdCount + all.length });
    const left = (await rows.targets()).open.length;
    return { made: all.map(({ id: made }) => made), unfinished, targets: open, left };
  });
}

const keeping: StorageCases = {
  'keeps every field of a replay, and shows it only to admins who may see it': async (setup) => {
    const endpoint = await storedEndpoint(setup);
    const replay = await storedReplay(setup, [endpoint], {
      endpointId: endpoint.id,
      toEndpointId: endpoint.id,
      types: ['charge.succeeded', 'payout.paid'],
      states: ['failed', 'undelivered'],
      createdFilter: { gt: AT, gte: later(1), lt: later(2), lte: later(3) },
    });
    const { replays } = setup.directory;
    assert.deepEqual(await replays.find(replay.id), replay);
    const changed: Replay = {
      ...replay,
      status: 'canceled',
      matched: 7,
      isCounting: false,
      createdCount: 5,
      isOpen: false,
      steppedAt: later(4),
      lookedAt: later(6),
      finishedAt: later(5),
    };
    await setup.storage.transaction(({ replays: rows }) => rows.save(changed));
    assert.deepEqual(await replays.find(replay.id), changed);
    const { accountId, environment } = setup.owner;
    const listed = async (
      accounts: readonly (typeof accountId)[],
      status: Replay['status'],
    ): Promise<number> => {
      const scope = { accounts, environments: [environment] };
      return (await replays.list(scope, { status }, { limit: 10 })).data.length;
    };
    assert.equal(await listed([accountId], 'canceled'), 1);
    assert.equal(await listed([accountId], 'running'), 0);
    assert.equal(await listed([newId('acct')], 'canceled'), 0);
    for (const stranger of setup.strangers) {
      const found = await setup.storage.transaction(({ replays: rows }) =>
        rows.findForUpdate(stranger, replay.id),
      );
      assert.equal(found, undefined);
    }
  },
  'counts and sends in the order of ids, window by window, up to the newest event at its creation':
    async (setup) => {
      const ids: string[] = [];
      for (let count = 0; count < 5; count += 1) {
        const event = sampleEvent(setup.owner);
        await setup.apply({ writes: [], events: [event] });
        ids.push(event.id);
      }
      const endpoint = await storedEndpoint(setup);
      const replay = await storedReplay(setup, [endpoint]);
      await setup.apply({ writes: [], events: [sampleEvent(setup.owner, 'payout.paid')] });
      const seen = await setup.replays.step(replay.id, async (rows) => {
        const first = await rows.count({ ...toReplayTarget(endpoint), countedTo: '' }, 3);
        const second = await rows.count(
          { ...toReplayTarget(endpoint), countedTo: first.cursor },
          3,
        );
        return [first, second];
      });
      assert.deepEqual(seen, [
        { looked: 3, matched: 3, cursor: ids[2] },
        { looked: 2, matched: 2, cursor: PAST_LAST },
      ]);
      const first = await sendSome(setup, replay, 2);
      assert.deepEqual([first?.made.length, first?.unfinished, first?.left], [2, 0, 1]);
      const second = await sendSome(setup, replay, 4);
      assert.deepEqual([second?.made.length, second?.unfinished, second?.left], [3, 2, 0]);
      const [target] = second?.targets ?? [];
      assert.deepEqual(
        [target?.sentTo, target?.unfinished, target?.own, target?.sharers, target?.status],
        [ids[1], 2, 2, 1, 'enabled'],
      );
      const made = [...(first?.made ?? []), ...(second?.made ?? [])];
      const found = await Promise.all(made.map((id) => setup.directory.deliveries.find(id)));
      assert.deepEqual(
        found.map((each) => [each?.eventId, each?.replayId, each?.origin, each?.state]),
        ids.map((id) => [id, replay.id, 'replay', 'pending']),
      );
      const progress = await setup.directory.replays.progress(replay.id);
      assert.deepEqual(progress, { pending: 5, newest: 5, succeeded: 0, failed: 0, canceled: 0 });
    },
};

const racing: StorageCases = {
  [`gives a step of a replay to one of ${RACERS} workers, and creates each delivery once`]: async (
    setup,
  ) => {
    for (let count = 0; count < 9; count += 1) await publish(setup);
    const endpoint = await storedEndpoint(setup);
    const replay = await storedReplay(setup, [endpoint]);
    const steps = await race(() => sendSome(setup, replay, 3));
    const made = steps.flatMap((step) => step?.made ?? []);
    const found = await Promise.all(made.map((id) => setup.directory.deliveries.find(id)));
    const events = found.map((each) => each?.eventId);
    assert.equal(new Set(events).size, events.length);
    const stored = await setup.directory.replays.find(replay.id);
    assert.equal(stored?.createdCount, events.length);
  },
  [`lets ${RACERS} replays share the limit of one endpoint`]: async (setup) => {
    for (let count = 0; count < 3; count += 1) await publish(setup);
    const endpoint = await storedEndpoint(setup);
    const replays = await Promise.all(
      Array.from({ length: RACERS }, () => storedReplay(setup, [endpoint])),
    );
    // One step at a time has the endpoint, and sees all deliveries of earlier steps.
    let made = 0;
    for (let before = -1; made > before; ) {
      before = made;
      const steps = await race(async (caller) => {
        const replay = replays[caller];
        assert.ok(replay);
        return (await sendSome(setup, replay, 3))?.made.length ?? 0;
      });
      made = steps.reduce((sum, count) => sum + count, made);
    }
    assert.equal(made, MAX_UNFINISHED_PER_ENDPOINT);
  },
  [`cancels a replay once with ${RACERS} concurrent callers and a worker`]: async (setup) => {
    for (let count = 0; count < 6; count += 1) await publish(setup);
    const replay = await storedReplay(setup, [await storedEndpoint(setup)]);
    await sendSome(setup, replay, 2);
    const canceled = await race(async (caller) => {
      if (caller % 5 === 0) return void (await sendSome(setup, replay, 1));
      return setup.storage.transaction(async ({ replays }) => {
        const found = await replays.findForUpdate(setup.owner, replay.id);
        if (found?.status !== 'running') return false;
        const { left } = await replays.cancelWaiting(found);
        assert.equal(left, 0);
        await replays.save({ ...found, status: 'canceled', isOpen: false, finishedAt: later(1) });
        return true;
      });
    });
    expectCount<boolean | undefined>(canceled, true, 1);
    const { pending, canceled: ended } = await setup.directory.replays.progress(replay.id);
    assert.equal(pending, 0);
    assert.equal(ended, (await setup.directory.replays.find(replay.id))?.createdCount);
  },
};

export const replayCases: StorageCases = { ...keeping, ...racing };
