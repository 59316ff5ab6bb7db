import assert from 'node:assert/strict';
import type { DeliveryId } from '@paymount/core/kernel';
import { claim, claimDue, end, published, storedEndpoint } from './events/fan-out.ts';
import { sendSome, storedReplay } from './events/replays.ts';
import { AT, sampleEvent } from './samples.ts';
import { RACERS, race, type StorageCases, type StorageSetup } from './setup.ts';

const HOUR_MS = 3_600_000;
/** The store may have rows of others, which are deleted too. */
const STEP = 50;

async function purgeAll({ deliveries }: StorageSetup, finishedBefore: Date): Promise<number> {
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
  'deletes deliveries that finished before, and no pending ones': async (setup) => {
    await storedEndpoint(setup);
    const [done, waiting] = [await published(setup), await published(setup)];
    const delivery = await claim(setup, done);
    assert.ok(delivery);
    await end(setup, delivery, { next: 'succeeded' });
    const found = async () =>
      Promise.all([done, waiting].map((id) => setup.directory.deliveries.find(id)));
    const now = await setup.deliveries.databaseTime();
    await purgeAll(setup, new Date(now.getTime() - HOUR_MS));
    assert.deepEqual(
      (await found()).map((each) => each?.state),
      ['succeeded', 'pending'],
    );
    assert.ok((await purgeAll(setup, new Date(now.getTime() + HOUR_MS))) >= 1);
    assert.deepEqual(
      (await found()).map((each) => each?.state),
      [undefined, 'pending'],
    );
  },
  [`deletes each delivery once with ${RACERS} concurrent callers`]: async (setup) => {
    await storedEndpoint(setup);
    const finishedBefore = new Date((await setup.deliveries.databaseTime()).getTime() + HOUR_MS);
    await purgeAll(setup, finishedBefore);
    const delivery = await claim(setup, await published(setup));
    assert.ok(delivery);
    await end(setup, delivery, { next: 'succeeded' });
    const deleted = await race(() => purgeAll(setup, finishedBefore));
    assert.equal(
      deleted.reduce((sum, count) => sum + count, 0),
      1,
    );
  },
  'deletes a finished replay once its deliveries are deleted, and no other': async (setup) => {
    const endpoint = await storedEndpoint(setup);
    await setup.apply({ writes: [], events: [sampleEvent(setup.owner)] });
    const ended = { status: 'completed', isOpen: false, finishedAt: AT } as const;
    const empty = await storedReplay(setup, [endpoint], ended);
    const used = await storedReplay(setup, [endpoint]);
    await sendSome(setup, used, 1);
    const sent = await setup.directory.replays.find(used.id);
    assert.equal(sent?.createdCount, 1);
    await setup.storage.transaction(({ replays }) => replays.save({ ...sent, ...ended }));
    const open = await storedReplay(setup, [endpoint]);
    const left = async () => {
      const found = await Promise.all(
        [empty, used, open].map(({ id }) => setup.directory.replays.find(id)),
      );
      return found.map((each) => each !== undefined);
    };
    await setup.replays.purge(new Date(AT.getTime() - HOUR_MS), STEP);
    assert.deepEqual(await left(), [true, true, true]);
    const finishedBefore = new Date((await setup.deliveries.databaseTime()).getTime() + HOUR_MS);
    assert.ok((await setup.replays.purge(finishedBefore, STEP)) >= 1);
    assert.deepEqual(await left(), [false, true, true]);
    const [again] = await claimDue(setup, 'replay');
    assert.ok(again);
    await end(setup, again, { next: 'succeeded' });
    await purgeAll(setup, finishedBefore);
    assert.ok((await setup.replays.purge(finishedBefore, STEP)) >= 1);
    assert.deepEqual(await left(), [false, false, true]);
  },
};
