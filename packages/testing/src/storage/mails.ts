import assert from 'node:assert/strict';
import type { ClaimedMail, Mail } from '@paymount/core/changes';
import { newId } from '@paymount/core/kernel';
import { AT, later } from './samples.ts';
import { expectRefused, race, type StorageCases, type StorageSetup } from './setup.ts';

const LEASE_MS = 60_000;
const MANY = 10_000;
/** That of the account of every case. */
const accountName = 'Conformance';

/** An e-mail to the account of the case. */
export function sampleMail(setup: StorageSetup): Mail {
  const id = newId('mail');
  return {
    id,
    dedupeKey: `leak:${id}`,
    accountId: setup.owner.accountId,
    to: 'owner@example.com',
    subject: 'A key leaked',
    text: 'It was revoked.\n',
    html: '<p>It was revoked.</p>',
    page: `${setup.owner.accountId}/live/keys`,
    created: AT,
  };
}

/** Writes e-mails within a change of access. */
export function writeMails(setup: StorageSetup, ...mails: readonly Mail[]): Promise<void> {
  return setup.access.change(async () => ({ result: undefined, subjects: [], audit: [], mails }));
}

/** Claims the due e-mails of this account, because cases share one outbox. */
async function claim(setup: StorageSetup, now: Date): Promise<readonly ClaimedMail[]> {
  const due = await setup.mails.claimDue({ now, limit: MANY, leaseMs: LEASE_MS });
  return due.filter(({ accountId }) => accountId === setup.owner.accountId);
}

/** The outbox: one worker sends each e-mail once. */
export const mailCases: StorageCases = {
  'writes e-mails together with the change that caused them, or not at all': async (setup) => {
    const mail = sampleMail(setup);
    await expectRefused(() =>
      setup.access.change(async () => {
        const broken = { ...sampleMail(setup), id: mail.id };
        return { result: undefined, subjects: [], audit: [], mails: [mail, broken] };
      }),
    );
    assert.deepEqual(await claim(setup, later(1)), []);
    await writeMails(setup, mail);
    assert.deepEqual(await claim(setup, later(2)), [{ ...mail, attempt: 1, accountName }]);
  },
  'returns the link of an e-mail to a customer': async (setup) => {
    const link = {
      environment: 'test',
      invoice: newId('in'),
      text: '{url}',
      html: '{url}',
    } as const;
    const mail = { ...sampleMail(setup), link };
    await writeMails(setup, mail);
    assert.deepEqual(await claim(setup, later(1)), [{ ...mail, attempt: 1, accountName }]);
  },
  'writes one e-mail for each cause, even with concurrent writers': async (setup) => {
    const { dedupeKey } = sampleMail(setup);
    await race(() => writeMails(setup, { ...sampleMail(setup), dedupeKey }));
    assert.equal((await claim(setup, later(1))).length, 1);
  },
  'leases each e-mail to one worker until the lease ends': async (setup) => {
    const mails = Array.from({ length: 20 }, () => sampleMail(setup));
    await writeMails(setup, ...mails);
    const claims = await race(() => claim(setup, later(1)));
    assert.equal(claims.flat().length, mails.length);
    assert.equal(new Set(claims.flat().map(({ id }) => id)).size, mails.length);
    assert.equal((await claim(setup, later(LEASE_MS))).length, 0);
    const again = await claim(setup, later(LEASE_MS + 1));
    assert.deepEqual(new Set(again.map(({ attempt }) => attempt)), new Set([2]));
    assert.equal(again.length, mails.length);
  },
  'retries an e-mail at the given time, and never a sent or dropped one': async (setup) => {
    const [sent, retried, failed] = [sampleMail(setup), sampleMail(setup), sampleMail(setup)];
    await writeMails(setup, sent, retried, failed);
    await claim(setup, later(1));
    await setup.mails.close(sent.id, { sentAt: later(2) });
    await setup.mails.close(retried.id, { retryAt: later(9), error: 'x'.repeat(9_999) });
    await setup.mails.close(failed.id, { failedAt: later(2), error: 'refused' });
    // The result of a worker that lost its lease.
    await setup.mails.close(sent.id, { retryAt: later(3), error: 'too late' });
    assert.deepEqual(await claim(setup, later(8)), []);
    const due = await claim(setup, later(9));
    assert.deepEqual(
      due.map(({ id, attempt }) => [id, attempt]),
      [[retried.id, 2]],
    );
    assert.deepEqual(await claim(setup, later(10 * LEASE_MS)), [
      { ...retried, attempt: 3, accountName },
    ]);
  },
  'deletes e-mails by their age, sent or not': async (setup) => {
    const old = { ...sampleMail(setup), created: new Date(AT.getTime() - 1) };
    const recent = sampleMail(setup);
    await writeMails(setup, old, recent);
    assert.ok((await setup.mails.purge(AT, MANY)) >= 1);
    assert.deepEqual(
      (await claim(setup, later(1))).map(({ id }) => id),
      [recent.id],
    );
    assert.equal(await setup.mails.purge(AT, MANY), 0);
  },
};
