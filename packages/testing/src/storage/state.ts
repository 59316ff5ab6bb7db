import assert from 'node:assert/strict';
import type { StorageCases } from './bench.ts';
import { storedEndpoint, turn } from './events/fan-out.ts';
import { sampleMail, writeMails } from './mails.ts';
import { AT, later } from './samples.ts';

const DAY_MS = 86_400_000;
const DAYS = 5;

/** What an operator must know of the stored data. */
export const stateCases: StorageCases = {
  'counts the e-mails that wait, and those that were given up in the last day': async (bench) => {
    const read = async (at: Date) => (await bench.state.read(at)).mails;
    const before = await read(AT);
    const [sent, refused] = [sampleMail(bench), sampleMail(bench)];
    await writeMails(bench, sent, refused);
    const written = await read(AT);
    assert.equal(written.waiting, before.waiting + 2);
    assert.ok(written.since !== undefined && written.since <= AT);
    await bench.mails.close(sent.id, { sentAt: later(1) });
    await bench.mails.close(refused.id, { failedAt: later(1), error: 'refused' });
    const after = await read(later(2));
    assert.deepEqual([after.waiting, after.givenUp], [before.waiting, before.givenUp + 1]);
    assert.equal((await read(later(DAY_MS + 1))).givenUp, before.givenUp);
    // A week later they are too old to be sent.
    await writeMails(bench, sampleMail(bench));
    assert.equal((await read(later(8 * DAY_MS))).waiting, 0);
  },
  'counts endpoints by status and lane, without deleted ones': async (bench) => {
    const read = async () => {
      const { enabled, disabled } = (await bench.state.read(AT)).endpoints;
      return [enabled.fast, enabled.slow, disabled.fast, disabled.slow];
    };
    const before = await read();
    const added = async () => (await read()).map((count, index) => count - (before[index] ?? 0));
    const [first, second, third] = [
      await storedEndpoint(bench),
      await storedEndpoint(bench),
      await storedEndpoint(bench),
    ];
    assert.deepEqual(await added(), [3, 0, 0, 0]);
    const slow = new Map([first, second].map(({ id }) => [id, 'slow'] as const));
    await bench.deliveries.changeLanes(slow);
    assert.deepEqual(await added(), [1, 2, 0, 0]);
    await turn(bench, second, 'disabled');
    await turn(bench, third, 'disabled');
    assert.deepEqual(await added(), [0, 1, 1, 1]);
    for (const each of [second, third]) {
      await turn(bench, { ...each, version: each.version + 1 }, 'deleted');
    }
    assert.deepEqual(await added(), [0, 1, 0, 0]);
  },
  'tells for how many days the log of attempts is ready': async (bench) => {
    await bench.deliveries.createPartitions(AT, DAYS);
    const { logDaysAhead } = await bench.state.read(AT);
    assert.ok(logDaysAhead >= DAYS);
    const tomorrow = await bench.state.read(later(DAY_MS));
    assert.equal(tomorrow.logDaysAhead, logDaysAhead - 1);
  },
  'deletes the log of whole days that ended before, and no other day': async (bench) => {
    const past = new Date(AT.getTime() - 400 * DAY_MS);
    await bench.deliveries.dropPartitions(past);
    await bench.deliveries.createPartitions(past, 2);
    const dayStart = new Date(Math.floor(past.getTime() / DAY_MS) * DAY_MS);
    const after = (days: number, ms: number) => new Date(dayStart.getTime() + days * DAY_MS + ms);
    assert.equal(await bench.deliveries.dropPartitions(after(1, -1)), 0);
    assert.equal(await bench.deliveries.dropPartitions(after(1, 0)), 1);
    assert.equal(await bench.deliveries.dropPartitions(after(3, 0)), 2);
    assert.equal(await bench.deliveries.dropPartitions(after(3, 0)), 0);
  },
};
