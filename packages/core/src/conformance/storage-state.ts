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
};
