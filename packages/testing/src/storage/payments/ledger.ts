import assert from 'node:assert/strict';
import { type ChargeId, isError, newId } from '@paymount/core/kernel';
import {
  type BalanceTransaction,
  bookAvailability,
  bookCapture,
  foldBalances,
  type LedgerEntry,
  type LedgerKind,
  type Posting,
} from '@paymount/core/ledger';
import { AT, later } from '../samples.ts';
import {
  expectCount,
  expectRefused,
  RACERS,
  race,
  type StorageCases,
  type StorageSetup,
} from '../setup.ts';

function posting(kind: LedgerKind, entries: readonly LedgerEntry[], covered?: true): Posting {
  return {
    id: newId('ltx'),
    kind,
    sourceId: newId('re'),
    currency: 'eur',
    entries,
    availableOn: AT,
    created: AT,
    ...(covered && { covered }),
  };
}

/** Credits `available` and debits the processor's account, so that cases have funds. */
function credit(amount: bigint): Posting {
  return posting('refund_failure', [
    { code: 'processor_clearing', amount },
    { code: 'available', amount: -amount },
  ]);
}

function debit(amount: bigint, covered?: true): Posting {
  const entries = [
    { code: 'available', amount },
    { code: 'processor_clearing', amount: -amount },
  ] as const;
  return posting('refund', entries, covered);
}

function buildCapture(setup: StorageSetup, chargeId: ChargeId) {
  return bookCapture({
    owner: setup.owner,
    type: 'charge',
    chargeId,
    amount: 10_000,
    currency: 'eur',
    fee: { amount: 320, details: [{ amount: 320, type: 'fee', description: 'Fee' }] },
    availableOn: later(1_000),
    at: AT,
  });
}

async function readAvailable(setup: StorageSetup): Promise<bigint | undefined> {
  return (await setup.storage.read.ledger.balances(setup.owner))[0]?.available;
}

/** Balances, their limits, and funds that become available. */
export const ledgerCases: StorageCases = {
  'posts a capture: gross to the processor, net to pending, the fee to the operator': async (
    setup,
  ) => {
    const { posting: capture, transaction } = buildCapture(setup, newId('ch'));
    await setup.apply({ writes: [], postings: [capture], balanceTransactions: [transaction] });
    const { ledger } = setup.storage.read;
    assert.deepEqual(await ledger.balances(setup.owner), [
      { currency: 'eur', pending: 9_680n, available: 0n, pendingOfBanks: 0n, reserved: 0n },
    ]);
    assert.deepEqual(await ledger.findTransaction(setup.owner, transaction.id), transaction);
    const filter = { type: 'charge', currency: 'eur', sourceId: transaction.sourceId } as const;
    const page = await ledger.listTransactions(setup.owner, filter, { limit: 10 });
    assert.deepEqual(page, { data: [transaction], hasMore: false });
  },
  'posts one source and kind only once': async (setup) => {
    const { posting: capture } = buildCapture(setup, newId('ch'));
    await setup.apply({ writes: [], postings: [capture] });
    const again = { ...capture, id: newId('ltx') };
    assert.equal(await setup.apply({ writes: [], postings: [again] }), 'applied');
    const [balance] = await setup.storage.read.ledger.balances(setup.owner);
    assert.equal(balance?.pending, 9_680n);
  },
  'refuses a posting that does not sum to zero': async (setup) => {
    const unbalanced = posting('refund', [
      { code: 'available', amount: -5n },
      { code: 'processor_clearing', amount: 4n },
    ]);
    await expectRefused(() => setup.apply({ writes: [], postings: [unbalanced] }));
    assert.notEqual(await readAvailable(setup), 5n);
  },
  'refuses a debit above the available balance, unless it is covered': async (setup) => {
    await setup.apply({ writes: [], postings: [credit(100n)] });
    const over = () => setup.apply({ writes: [], postings: [debit(101n)] });
    await expectRefused(over, 'balance_insufficient');
    assert.equal(await readAvailable(setup), 100n);
    await setup.apply({ writes: [], postings: [debit(150n, true)] });
    assert.equal(await readAvailable(setup), -50n);
  },
  'refuses a payout of funds that cover refunds of pending charges': async (setup) => {
    const owed = posting('refund', [
      { code: 'pending', amount: 40n },
      { code: 'processor_clearing', amount: -40n },
    ]);
    await setup.apply({ writes: [], postings: [credit(100n), { ...owed, covered: true }] });
    const pay = (amount: bigint) => {
      const line: BalanceTransaction = {
        ...setup.owner,
        id: newId('txn'),
        type: 'payout',
        sourceId: newId('po'),
        amount: -amount,
        fee: 0n,
        feeDetails: [],
        currency: 'eur',
        status: 'available',
        availableOn: AT,
        created: AT,
      };
      return setup.apply({ writes: [], postings: [debit(amount)], balanceTransactions: [line] });
    };
    await expectRefused(() => pay(61n), 'balance_insufficient');
    assert.equal(await readAvailable(setup), 100n);
    assert.equal(await pay(60n), 'applied');
    await expectRefused(() => pay(1n), 'balance_insufficient');
  },
  'reduces debt with every credit, and never increases it by an uncovered debit': async (setup) => {
    await setup.apply({ writes: [], postings: [credit(10n)] });
    await setup.apply({ writes: [], postings: [debit(110n, true)] });
    await setup.apply({ writes: [], postings: [credit(70n)] });
    assert.equal(await readAvailable(setup), -30n);
    const uncovered = () => setup.apply({ writes: [], postings: [debit(1n)] });
    await expectRefused(uncovered, 'balance_insufficient');
  },
  [`spends a balance only once with ${RACERS} concurrent debits`]: async (setup) => {
    await setup.apply({ writes: [], postings: [credit(1_000n)] });
    const answers = await race(async () => {
      try {
        return await setup.apply({ writes: [], postings: [debit(300n)] });
      } catch (error) {
        return isError(error) && 'code' in error ? error.code : error;
      }
    });
    expectCount<unknown>(answers, 'applied', 3);
    expectCount<unknown>(answers, 'balance_insufficient', RACERS - 3);
    assert.equal(await readAvailable(setup), 100n);
  },
  [`lets ${RACERS} callers check a balance one after the other`]: async (setup) => {
    await setup.apply({ writes: [], postings: [credit(1_000n)] });
    const { accountId, environment } = setup.owner;
    const answers = await race(() =>
      setup.storage.transaction(async ({ ledger, changes }) => {
        const { available } = await ledger.lockBalance(setup.owner, 'eur');
        if (available < 300n) return 'not covered';
        const postings = [debit(300n, true)];
        return changes.apply({ accountId, environment, at: AT, writes: [], postings });
      }),
    );
    expectCount<unknown>(answers, 'applied', 3);
    assert.equal(await readAvailable(setup), 100n);
  },
  [`loses nothing with ${RACERS} concurrent postings in both directions between two balances`]:
    async (setup) => {
      await setup.apply({ writes: [], postings: [credit(10_000n)] });
      const answers = await race((caller) => {
        const amount = caller % 2 === 0 ? 7n : -7n;
        const entries = [
          { code: 'pending', amount: -amount },
          { code: 'available', amount },
        ] as const;
        return setup.apply({ writes: [], postings: [posting('availability', entries)] });
      });
      expectCount(answers, 'applied', RACERS);
      const [balance] = await setup.storage.read.ledger.balances(setup.owner);
      assert.deepEqual(balance, {
        currency: 'eur',
        pending: 0n,
        available: 10_000n,
        pendingOfBanks: 0n,
        reserved: 0n,
      });
    },
  'returns and locks a balance without postings as zero': async (setup) => {
    const locked = await setup.storage.transaction(({ ledger }) =>
      ledger.lockBalance(setup.owner, 'usd'),
    );
    assert.deepEqual(locked, {
      currency: 'usd',
      pending: 0n,
      available: 0n,

      reserved: 0n,
    });
  },
  [`makes due funds available only once with ${RACERS} concurrent releases`]: async (setup) => {
    const { posting: capture, transaction } = buildCapture(setup, newId('ch'));
    await setup.apply({ writes: [], postings: [capture], balanceTransactions: [transaction] });
    const release = async (now: Date): Promise<boolean> =>
      setup.storage.transaction(async ({ ledger, changes }) => {
        const due = await ledger.claimDueFunds(now, 1_000);
        for (const each of due) {
          const { accountId, environment } = each;
          const moved = bookAvailability(each, now);
          const postings = moved ? [moved] : [];
          await changes.apply({ accountId, environment, at: now, writes: [], postings });
        }
        return due.some(({ id }) => id === transaction.id);
      });
    assert.equal(await release(later(999)), false);
    expectCount(await race(() => release(later(1_000))), true, 1);
    const [balance] = await setup.storage.read.ledger.balances(setup.owner);
    assert.deepEqual(balance, {
      currency: 'eur',
      pending: 0n,
      pendingOfBanks: 0n,
      available: 9_680n,
      reserved: 0n,
    });
    const found = await setup.storage.read.ledger.findTransaction(setup.owner, transaction.id);
    assert.equal(found?.status, 'available');
  },
  [`folds postings of ${RACERS} concurrent callers without changing a balance`]: async (setup) => {
    await setup.apply({ writes: [], postings: [credit(1_000n)] });
    const foldAll = () => foldBalances(setup.storage);
    const answers = await race(async (caller) => {
      if (caller % 5 === 0) return foldAll();
      const postings = [caller % 5 === 1 ? debit(10n) : debit(-7n, true)];
      return setup.apply({ writes: [], postings });
    });
    expectCount<unknown>(answers, 'applied', 40);
    // 1,000 and 30 credits of 7, less 10 debits of 10.
    assert.equal(await readAvailable(setup), 1_110n);
    await foldAll();
    assert.equal(await readAvailable(setup), 1_110n);
    const over = () => setup.apply({ writes: [], postings: [debit(1_111n)] });
    await expectRefused(over, 'balance_insufficient');
  },
  'separates the balances of different owners': async (setup) => {
    await setup.apply({ writes: [], postings: [credit(100n)] });
    for (const stranger of setup.strangers) {
      assert.deepEqual(await setup.storage.read.ledger.balances(stranger), []);
    }
  },
};
