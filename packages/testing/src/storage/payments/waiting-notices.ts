import assert from 'node:assert/strict';
import { type Id, newId, type StoredNoticeId } from '@paymount/core/kernel';
import { type NoticeOf, type NoticeState, SCHEDULED_TRIES } from '@paymount/core/payments';
import { AT, later } from '../samples.ts';
import type { StorageCases, StorageSetup } from '../setup.ts';
import { tried } from './notices.ts';

const HOUR_MS = 3_600_000;
const WAITS: NoticeState = { state: 'waiting', reason: 'Its chargeback was not reported yet.' };

/** A ruling about a charge that waits for an hour. */
async function waitingRuling(
  setup: StorageSetup,
  rootId: Id<string>,
  data: NoticeOf<'dispute.closed'>['data'],
  state: NoticeState = WAITS,
  tries = 3,
): Promise<StoredNoticeId> {
  const origin = { environment: 'test', processor: `p_${newId('req')}` } as const;
  const [id] = await setup.notices.record({
    origin,
    notices: [
      {
        noticeId: newId('req'),
        kind: 'dispute.closed',
        processorReference: 'payment_1',
        occurredAt: later(data.round ?? 0),
        data,
      },
    ],
    at: AT,
    leaseMs: HOUR_MS,
  });
  assert.ok(id);
  await setup.storage.transaction(async ({ notices }) => {
    const stored = await notices.take(id);
    assert.ok(stored);
    const { accountId } = setup.owner;
    const waitMs = state.state === 'quarantined' ? undefined : HOUR_MS;
    await notices.save(tried({ ...stored, accountId, rootId, tries }, state, waitMs), []);
  });
  return id;
}

/** Notices that wait for another notice. */
export const waitingNoticeCases: StorageCases = {
  'finds the rulings about a dispute that wait, the newest round first': async (setup) => {
    const rootId = newId('ch');
    const ruling = { disputeReference: 'case_1', outcome: 'won' } as const;
    await waitingRuling(setup, rootId, ruling);
    await waitingRuling(setup, rootId, { ...ruling, outcome: 'lost', round: 2 });
    await waitingRuling(setup, rootId, { ...ruling, disputeReference: 'case_2' });
    await waitingRuling(setup, newId('ch'), ruling);
    const found = await setup.storage.transaction(({ notices }) =>
      notices.findWaitingRulings(rootId, 'case_1'),
    );
    assert.deepEqual(found, [
      { occurredAt: AT, data: { ...ruling, outcome: 'lost', round: 2 } },
      { occurredAt: AT, data: ruling },
    ]);
  },
  'makes notices due that wait for another one, uncounted, but not for the hook or a person':
    async (setup) => {
      const rootId = newId('ch');
      const ruling = { disputeReference: 'case_1', outcome: 'won' } as const;
      const waiting = await waitingRuling(setup, rootId, ruling);
      const refused = await waitingRuling(setup, rootId, ruling, { ...WAITS, reviewSince: AT });
      const other = await waitingRuling(setup, newId('ch'), ruling);
      const reviewed: NoticeState = { state: 'quarantined', reason: 'why', reviewSince: AT };
      const ended = await waitingRuling(setup, rootId, ruling, reviewed, SCHEDULED_TRIES + 1);
      const contradicts = await waitingRuling(setup, rootId, ruling, reviewed, SCHEDULED_TRIES);
      // The second time changes nothing.
      for (const _ of [1, 2]) {
        await setup.storage.transaction(({ notices }) => notices.hasten(rootId));
      }
      const due = await setup.notices.claimDue({
        environment: 'test',
        limit: 1_000,
        leaseMs: HOUR_MS,
      });
      assert.deepEqual(
        [waiting, ended, refused, other, contradicts].map((id) => due.includes(id)),
        [true, true, false, false, false],
      );
      const tries = await setup.storage.transaction(async ({ notices }) =>
        Promise.all([waiting, ended].map(async (id) => (await notices.take(id))?.tries)),
      );
      assert.deepEqual(tries, [2, SCHEDULED_TRIES]);
    },
};
