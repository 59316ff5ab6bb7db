import assert from 'node:assert/strict';
import { storedEndpoint, turn } from './events/fan-out.ts';
import { sampleMail, writeMails } from './mails.ts';
import { AT, later } from './samples.ts';
import type { StorageCases } from './setup.ts';

const DAY_MS = 86_400_000;
const DAYS = 5;

/** What an operator must know of the stored data. */
export const stateCases: StorageCases = {
  'counts the e-mails that wait, and those that were given up in the last day': async (setup) => {
    const read = async (at: Date) => (await setup.state.read(at)).mails;
    const before = await read(AT);
    const [sent, refused] = [sampleMail(setup), sampleMail(setup)];
    await writeMails(setup, sent, refused);
    const written = await read(AT);
    assert.equal(written.waiting, before.waiting + 2);
    assert.ok(written.since !== undefined && written.since <= AT);
    await setup.mails.close(sent.id, { sentAt: later(1) });
    await setup.mails.close(refused.id, { failedAt: later(1), error: 'refused' });
    const after = await read(later(2));
    assert.deepEqual([after.waiting, after.givenUp], [before.waiting, before.givenUp + 1]);
    assert.equal((await read(later(DAY_MS + 1))).givenUp, before.givenUp);
    // A week later they are too old to be sent.
    await writeMails(setup, sampleMail(setup));
    assert.equal((await read(later(8 * DAY_MS))).waiting, 0);
  },
  'counts endpoints by status and lane, without deleted ones': async (setup) => {
    const read = async () => {
      const { enabled, disabled } = (await setup.state.read(AT)).endpoints;
      return [enabled.fast, enabled.slow, disabled.fast, disabled.slow];
    };
    const before = await read();
    const added = async () => (await read()).map((count, index) => count - (before[index] ?? 0));
    const [first, second, third] = [
      await storedEndpoint(setup),
      await storedEndpoint(setup),
      await storedEndpoint(setup),
    ];
    assert.deepEqual(await added(), [3, 0, 0, 0]);
    const slow = new Map([first, second].map(({ id }) => [id, 'slow'] as const));
    await setup.deliveries.changeLanes(slow);
    assert.deepEqual(await added(), [1, 2, 0, 0]);
    await turn(setup, second, 'disabled');
    await turn(setup, third, 'disabled');
    assert.deepEqual(await added(), [0, 1, 1, 1]);
    for (const each of [second, third]) {
      await turn(setup, { ...each, version: each.version + 1 }, 'deleted');
    }
    assert.deepEqual(await added(), [0, 1, 0, 0]);
  },
  'tells for how many days the log of attempts is ready': async (setup) => {
    await setup.deliveries.createPartitions(AT, DAYS);
    const { logDaysAhead } = await setup.state.read(AT);
    assert.ok(logDaysAhead >= DAYS);
    const tomorrow = await setup.state.read(later(DAY_MS));
    assert.equal(tomorrow.logDaysAhead, logDaysAhead - 1);
  },
  'deletes the log of whole days that ended before, and no other day': async (setup) => {
    const past = new Date(AT.getTime() - 400 * DAY_MS);
    await setup.deliveries.dropPartitions(past);
    await setup.deliveries.createPartitions(past, 2);
    const dayStart = new Date(Math.floor(past.getTime() / DAY_MS) * DAY_MS);
    const after = (days: number, ms: number) => new Date(dayStart.getTime() + days * DAY_MS + ms);
    assert.equal(await setup.deliveries.dropPartitions(after(1, -1)), 0);
    assert.equal(await setup.deliveries.dropPartitions(after(1, 0)), 1);
    assert.equal(await setup.deliveries.dropPartitions(after(3, 0)), 2);
    assert.equal(await setup.deliveries.dropPartitions(after(3, 0)), 0);
  },
};
