import assert from 'node:assert/strict';
import { newId, type OperationId, type StoredNoticeId } from '@paymount/core/kernel';
import type { NoticeOf, NoticeState } from '@paymount/core/payments';
import { AT, later } from '../samples.ts';
import type { StorageCases, StorageSetup } from '../setup.ts';
import { tried } from './notices.ts';

const HOUR_MS = 3_600_000;
const WAITS: NoticeState = { state: 'waiting', reason: 'Its chargeback was not reported yet.' };

/** A ruling about an operation that waits for an hour. */
async function waitingRuling(
  setup: StorageSetup,
  foundId: OperationId,
  data: NoticeOf<'dispute.closed'>['data'],
  state: NoticeState = WAITS,
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
    await notices.save(tried({ ...stored, accountId, foundId }, state, HOUR_MS), []);
  });
  return id;
}

/** Notices that wait for another notice. */
export const waitingNoticeCases: StorageCases = {
  'finds the rulings about a dispute that wait, the newest round first': async (setup) => {
    const foundId = newId('op');
    const ruling = { disputeReference: 'case_1', outcome: 'won' } as const;
    await waitingRuling(setup, foundId, ruling);
    await waitingRuling(setup, foundId, { ...ruling, outcome: 'lost', round: 2 });
    await waitingRuling(setup, foundId, { ...ruling, disputeReference: 'case_2' });
    await waitingRuling(setup, newId('op'), ruling);
    const found = await setup.storage.transaction(({ notices }) =>
      notices.findWaitingRulings(foundId, 'case_1'),
    );
    assert.deepEqual(found, [
      { occurredAt: AT, data: { ...ruling, outcome: 'lost', round: 2 } },
      { occurredAt: AT, data: ruling },
    ]);
  },
  'makes notices due that wait for another one, but not for the hook': async (setup) => {
    const foundId = newId('op');
    const ruling = { disputeReference: 'case_1', outcome: 'won' } as const;
    const waiting = await waitingRuling(setup, foundId, ruling);
    const refused = await waitingRuling(setup, foundId, ruling, { ...WAITS, reviewSince: AT });
    const other = await waitingRuling(setup, newId('op'), ruling);
    await setup.storage.transaction(({ notices }) => notices.hasten(foundId));
    const due = await setup.notices.claimDue({
      environment: 'test',
      limit: 1_000,
      leaseMs: HOUR_MS,
    });
    assert.deepEqual(
      [waiting, refused, other].map((id) => due.includes(id)),
      [true, false, false],
    );
  },
};
