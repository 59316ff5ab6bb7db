import assert from 'node:assert/strict';
import { MAX_OPEN_REPLAYS, PAST_LAST, type Replay } from '@paymount/core/events';
import { newId } from '@paymount/core/kernel';
import { AT, sampleEvent } from '../samples.ts';
import { expectCount, RACERS, race, type StorageCases } from '../setup.ts';
import { storedEndpoint } from './fan-out.ts';
import { storedReplay, toReplayTarget } from './replays.ts';

export const replayBoundCases: StorageCases = {
  [`limits an owner to ${MAX_OPEN_REPLAYS} open replays with ${RACERS} concurrent requests`]:
    async (setup) => {
      const insertReplay = async (status: Replay['status']): Promise<string> => {
        const made: Replay = {
          ...setup.owner,
          id: newId('rpl'),
          status,
          rate: 200,
          dryRun: true,
          isCounting: false,
          matched: 0,
          createdCount: 0,
          skipped: 0,
          ...(status === 'canceled' && { finishedAt: AT }),
          isOpen: true,
          created: AT,
        };
        return setup.storage.transaction(async ({ replays }) => {
          if ((await replays.countOpenForUpdate(setup.owner)) >= MAX_OPEN_REPLAYS) return 'full';
          await replays.insert(made, []);
          return 'made';
        });
      };
      // A canceled replay has ended, even if one of its attempts is running.
      assert.equal(await insertReplay('canceled'), 'made');
      expectCount(await race(() => insertReplay('running')), 'made', MAX_OPEN_REPLAYS);
      for (const stranger of setup.strangers) {
        const count = await setup.storage.transaction(({ replays }) =>
          replays.countOpenForUpdate(stranger),
        );
        assert.equal(count, 0);
      }
    },
  'ignores events recorded after the replay was created, regardless of their ids': async (
    setup,
  ) => {
    // The last event was recorded first, by a machine whose clock is ahead.
    const events = [1, 2, 3].map(() => sampleEvent(setup.owner));
    const [early, late, ahead] = events.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    assert.ok(early && late && ahead);
    await setup.apply({ writes: [], events: [ahead] });
    await setup.apply({ writes: [], events: [early] });
    const endpoint = await storedEndpoint(setup);
    const replay = await storedReplay(setup, [endpoint]);
    await setup.apply({ writes: [], events: [late] });
    const found = await setup.replays.step(replay.id, async (rows) => ({
      counted: await rows.count({ ...toReplayTarget(endpoint), countedTo: '' }, 100),
      chosen: await rows.choose(toReplayTarget(endpoint), { limit: 100, looked: 100 }),
    }));
    assert.deepEqual(found?.counted, { looked: 3, matched: 2, cursor: PAST_LAST });
    assert.deepEqual(
      found?.chosen.events.map(({ id }) => id),
      [early.id, ahead.id],
    );
  },
  'moves a postponed replay behind the others': async (setup) => {
    const endpoint = await storedEndpoint(setup);
    const [one, two] = [
      await storedReplay(setup, [endpoint]),
      await storedReplay(setup, [endpoint]),
    ];
    const order = async () => {
      const open = await setup.replays.open(1_000);
      return open.filter((id) => id === one.id || id === two.id);
    };
    assert.deepEqual(await order(), [one.id, two.id]);
    await setup.replays.postpone(one.id, AT);
    assert.deepEqual(await order(), [two.id, one.id]);
  },
};
