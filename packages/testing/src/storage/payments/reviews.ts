import assert from 'node:assert/strict';
import type { Mail } from '@paymount/core/changes';
import { type AdminScope, newId, type OperationId } from '@paymount/core/kernel';
import type { Operation, OperationAnswer } from '@paymount/core/payments';
import { storedCharge } from '../changes.ts';
import { AT, later, sampleOperation } from '../samples.ts';
import {
  expectCount,
  expectRefused,
  RACERS,
  race,
  type StorageCases,
  type StorageSetup,
} from '../setup.ts';

const APPROVAL = {
  outcome: 'approved',
  processorReference: 'p_1',
  amount: 10_100,
  currency: 'eur',
} as const;

/** An operation with its own charge. */
async function storedOperation(
  setup: StorageSetup,
  more: Partial<Operation> = {},
): Promise<Operation> {
  const row = sampleOperation(await storedCharge(setup), more);
  await setup.apply({ writes: [{ mode: 'insert', kind: 'operation', row }] });
  return row;
}

function toQuarantined(operation: Operation): Operation {
  return { ...operation, version: 2, state: 'quarantined', outcome: APPROVAL, reviewSince: AT };
}

function answerTo(operationId: OperationId, more: Partial<OperationAnswer> = {}): OperationAnswer {
  return { operationId, source: 'processor', answer: APPROVAL, created: AT, ...more };
}

function mailAbout({ id, accountId, version }: Operation): Mail {
  return {
    id: newId('mail'),
    dedupeKey: `operation:${id}:${version}`,
    accountId,
    to: 'operator@example.com',
    subject: 'An operation waits for you',
    text: 'It waits.\n',
    html: '<p>It waits.</p>',
    created: AT,
  };
}

async function countMails({ mails, owner }: StorageSetup): Promise<number> {
  const due = await mails.claimDue({ now: later(1), limit: 10_000, leaseMs: 60_000 });
  return due.filter(({ accountId }) => accountId === owner.accountId).length;
}

function adminScopeFor({ owner }: StorageSetup): AdminScope {
  return { accounts: [owner.accountId], environments: [owner.environment] };
}

/** Operations that a person must review. */
export const reviewCases: StorageCases = {
  [`quarantines once with ${RACERS} concurrent callers, with one response and one e-mail`]: async (
    setup,
  ) => {
    const row = toQuarantined(await storedOperation(setup));
    const results = await race(() =>
      setup.apply({
        writes: [{ mode: 'update', kind: 'operation', row }],
        operationAnswer: answerTo(row.id),
        mails: [mailAbout(row)],
      }),
    );
    expectCount(results, 'applied', 1);
    expectCount(results, 'raced', RACERS - 1);
    assert.deepEqual(await setup.directory.operations.answers(row), [answerTo(row.id)]);
    assert.equal(await countMails(setup), 1);
  },
  'stores neither response nor e-mail of a change that fails': async (setup) => {
    const row = toQuarantined(await storedOperation(setup));
    await expectRefused(() =>
      setup.storage.transaction(async ({ changes }) => {
        await changes.apply({
          ...setup.owner,
          at: AT,
          writes: [{ mode: 'update', kind: 'operation', row }],
          operationAnswer: answerTo(row.id),
          mails: [mailAbout(row)],
        });
        throw new Error('The work failed.');
      }),
    );
    assert.deepEqual(await setup.directory.operations.answers(row), []);
    assert.equal(await countMails(setup), 0);
  },
  'returns responses in order of arrival, with their reasons': async (setup) => {
    const row = toQuarantined(await storedOperation(setup));
    const asked = answerTo(row.id);
    const decided = answerTo(row.id, {
      source: 'operator',
      answer: { outcome: 'not_sent' },
      reason: 'café 😀',
      created: later(1),
    });
    await setup.apply({ writes: [], operationAnswer: asked });
    await setup.apply({ writes: [], operationAnswer: decided });
    assert.deepEqual(await setup.directory.operations.answers(row), [asked, decided]);
  },
  'lists the operations that a person must review, or those of a filter': async (setup) => {
    const { operations } = setup.directory;
    const [plain, open, late] = [
      await storedOperation(setup, { state: 'done', outcome: APPROVAL }),
      await storedOperation(setup, { state: 'quarantined', kind: 'capture' }),
      await storedOperation(setup, { state: 'failed', reviewSince: later(5), processor: 'other' }),
    ];
    const scope = adminScopeFor(setup);
    const found = async (filter: Parameters<typeof operations.list>[1]) =>
      (await operations.list(scope, filter, { limit: 10 })).data.map(({ id }) => id);
    assert.deepEqual(await found({}), [late.id, open.id]);
    assert.deepEqual(await found({ state: 'any' }), [late.id, open.id, plain.id]);
    assert.deepEqual(await found({ state: 'done' }), [plain.id]);
    assert.deepEqual(await found({ kind: 'capture' }), [open.id]);
    assert.deepEqual(await found({ processor: 'other' }), [late.id]);
    assert.deepEqual(await found({ state: 'any', subject: plain.subjectId }), [plain.id]);
    assert.deepEqual(await found({ state: 'any', created: { gt: AT } }), []);
    const page = { limit: 1, startingAfter: late.id };
    const next = await operations.list(scope, { state: 'any' }, page);
    assert.deepEqual([next.data[0]?.id, next.hasMore], [open.id, true]);
  },
  'shows a result that waits for the hook after 5 minutes': async (setup) => {
    const { operations } = setup.directory;
    const { environment } = setup.owner;
    const before = await operations.underReview();
    const waiting = { state: 'unknown', outcome: APPROVAL } as const;
    const { id } = await storedOperation(setup, { ...waiting, reviewSince: new Date(0) });
    await storedOperation(setup, { ...waiting, reviewSince: new Date('9999-01-01T00:00:00Z') });
    const late = await storedOperation(setup, { state: 'failed', reviewSince: new Date(0) });
    const { data } = await operations.list(adminScopeFor(setup), {}, { limit: 10 });
    assert.deepEqual(
      data.map((each) => each.id),
      [late.id, id],
    );
    const after = await operations.underReview();
    assert.equal(after[environment].hookWaits, before[environment].hookWaits + 1);
    assert.equal(after[environment].count, before[environment].count + 2);
  },
  'shows an admin only the operations that they may see, also with a foreign cursor': async (
    setup,
  ) => {
    const { operations } = setup.directory;
    const row = await storedOperation(setup, { state: 'quarantined' });
    assert.equal((await operations.find(adminScopeFor(setup), row.id))?.id, row.id);
    for (const stranger of setup.strangers) {
      const scope = { accounts: [stranger.accountId], environments: [stranger.environment] };
      assert.equal(await operations.find(scope, row.id), undefined);
      const page = { limit: 1, startingAfter: row.id };
      await expectRefused(() => operations.list(scope, {}, page), 'invalid_cursor');
    }
  },
  'counts the operations that a person must review in each environment, and since when': async (
    setup,
  ) => {
    const { environment } = setup.owner;
    const other = environment === 'live' ? 'test' : 'live';
    const before = await setup.directory.operations.underReview();
    await storedOperation(setup, { state: 'failed', reviewSince: later(-86_400_000) });
    const after = await setup.directory.operations.underReview();
    assert.equal(after[environment].count, before[environment].count + 1);
    assert.equal((after[environment].since ?? AT) <= later(-86_400_000), true);
    assert.deepEqual(after[other], before[other]);
  },
};
