import assert from 'node:assert/strict';
import type { StorageCases } from './storage-bench.ts';
import { sampleMail, writeMails } from './storage-mails.ts';
import { AT, later } from './storage-samples.ts';

const DAY_MS = 86_400_000;
const DAYS = 5;

/** What an operator must know of the stored data. */
export const stateCases: StorageCases = {
  'counts the e-mails that are due and not sent': async (bench) => {
    const mail = sampleMail(bench);
    const before = await bench.state.read(later(-1));
    assert.equal(before.mails.waiting, 0);
    assert.equal(before.mails.since, undefined);
    await writeMails(bench, mail);
    const { mails } = await bench.state.read(AT);
    assert.ok(mails.waiting >= 1);
    assert.deepEqual(mails.since, AT);
    await bench.mails.close(mail.id, { sentAt: later(1) });
    assert.equal((await bench.state.read(later(1))).mails.waiting, mails.waiting - 1);
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
