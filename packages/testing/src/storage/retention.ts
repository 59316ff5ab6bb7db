import assert from 'node:assert/strict';
import type { DeliveryId } from '@paymount/core/kernel';
import { RACERS, race, type StorageBench, type StorageCases } from './bench.ts';
import { claim, claimDue, end, published, storedEndpoint } from './events/fan-out.ts';
import { sendSome, storedReplay } from './events/replays.ts';
import { AT, sampleEvent } from './samples.ts';

const HOUR_MS = 3_600_000;
/** The store may have rows of others, which are deleted too. */
const STEP = 50;

async function purgeAll({ deliveries }: StorageBench, finishedBefore: Date): Promise<number> {
  let deleted = 0;
  let after: string | undefined = '';
  while (after !== undefined) {
    const step: { deleted: number; next?: DeliveryId } = await deliveries.purge({
      after,
      finishedBefore,
      limit: STEP,
    });
    deleted += step.deleted;
    after = step.next;
  }
  return deleted;
}

/** What is deleted once it has been kept long enough. */
export const retentionCases: StorageCases = {
  'deletes deliveries that finished before, and no pending ones': async (bench) => {
    await storedEndpoint(bench);
    const [done, waiting] = [await published(bench), await published(bench)];
    const delivery = await claim(bench, done);
    assert.ok(delivery);
    await end(bench, delivery, { next: 'succeeded' });
    const found = async () =>
      Promise.all([done, waiting].map((id) => bench.directory.deliveries.find(id)));
    const now = await bench.deliveries.databaseTime();
    await purgeAll(bench, new Date(now.getTime() - HOUR_MS));
    assert.deepEqual(
      (await found()).map((each) => each?.state),
      ['succeeded', 'pending'],
    );
    assert.ok((await purgeAll(bench, new Date(now.getTime() + HOUR_MS))) >= 1);
    assert.deepEqual(
      (await found()).map((each) => each?.state),
      [undefined, 'pending'],
    );
  },
  [`deletes each delivery once with ${RACERS} concurrent callers`]: async (bench) => {
    await storedEndpoint(bench);
    const finishedBefore = new Date((await bench.deliveries.databaseTime()).getTime() + HOUR_MS);
    await purgeAll(bench, finishedBefore);
    const delivery = await claim(bench, await published(bench));
    assert.ok(delivery);
    await end(bench, delivery, { next: 'succeeded' });
    const deleted = await race(() => purgeAll(bench, finishedBefore));
    assert.equal(
      deleted.reduce((sum, count) => sum + count, 0),
      1,
    );
  },
  'deletes a finished replay once its deliveries are deleted, and no other': async (bench) => {
    const endpoint = await storedEndpoint(bench);
    await bench.apply({ writes: [], events: [sampleEvent(bench.owner)] });
    const ended = { status: 'completed', isOpen: false, finishedAt: AT } as const;
    const empty = await storedReplay(bench, [endpoint], ended);
    const used = await storedReplay(bench, [endpoint]);
    await sendSome(bench, used, 1);
    const sent = await bench.directory.replays.find(used.id);
    assert.equal(sent?.createdCount, 1);
    await bench.storage.transaction(({ replays }) => replays.save({ ...sent, ...ended }));
    const open = await storedReplay(bench, [endpoint]);
    const left = async () => {
      const found = await Promise.all(
        [empty, used, open].map(({ id }) => bench.directory.replays.find(id)),
      );
      return found.map((each) => each !== undefined);
    };
    await bench.replays.purge(new Date(AT.getTime() - HOUR_MS), STEP);
    assert.deepEqual(await left(), [true, true, true]);
    const finishedBefore = new Date((await bench.deliveries.databaseTime()).getTime() + HOUR_MS);
    assert.ok((await bench.replays.purge(finishedBefore, STEP)) >= 1);
    assert.deepEqual(await left(), [false, true, true]);
    const [again] = await claimDue(bench, 'replay');
    assert.ok(again);
    await end(bench, again, { next: 'succeeded' });
    await purgeAll(bench, finishedBefore);
    assert.ok((await bench.replays.purge(finishedBefore, STEP)) >= 1);
    assert.deepEqual(await left(), [false, false, true]);
  },
};
