import assert from 'node:assert/strict';
import { type BankAccountId, newId, type Owner } from '@paymount/core/kernel';
import type { BalanceTransaction } from '@paymount/core/ledger';
import type { LiveBankAccount, Payout, PayoutRun } from '@paymount/core/payments';
import { RACERS, race, type StorageBench, type StorageCases } from '../bench.ts';
import { AT, later } from '../samples.ts';

function sampleBankAccount(owner: Owner): LiveBankAccount {
  return {
    ...owner,
    id: newId('ba'),
    version: 1,
    bankName: 'Test Bank',
    last4: '6789',
    routingNumber: '110000000',
    fingerprint: 'f',
    country: 'US',
    currency: 'eur',
    accountHolderName: null,
    accountHolderType: null,
    isDefault: true,
    metadata: {},
    created: AT,
    status: 'new',
    number: { sealed: 'sealed', kid: 'k1' },
  };
}

function samplePayout(owner: Owner, destinationId: BankAccountId, period: Date | null): Payout {
  return {
    ...owner,
    id: newId('po'),
    version: 1,
    amount: 700,
    currency: 'eur',
    period,
    arrivalDate: later(1_000),
    destinationId,
    balanceTransactionId: newId('txn'),
    processorName: 'sandbox',
    statementDescriptor: null,
    description: null,
    metadata: {},
    created: AT,
    status: 'pending',
  };
}

async function storedBankAccount(bench: StorageBench): Promise<LiveBankAccount> {
  const row = sampleBankAccount(bench.owner);
  await bench.apply({ writes: [{ kind: 'bank_account', mode: 'insert', row }] });
  return row;
}

/** A line of the balance history, and the ledger of its currency. */
async function storedFunds(bench: StorageBench, amount: bigint, created = AT): Promise<void> {
  const funds: BalanceTransaction = {
    ...bench.owner,
    id: newId('txn'),
    type: 'charge',
    sourceId: newId('ch'),
    amount,
    fee: 0n,
    feeDetails: [],
    currency: 'eur',
    status: 'available',
    availableOn: created,
    created,
  };
  await bench.storage.transaction(({ ledger }) => ledger.lockBalance(bench.owner, 'eur'));
  await bench.apply({ writes: [], balanceTransactions: [funds] });
}

const collect = (bench: StorageBench, part: { limit: number; before?: Date }) =>
  bench.storage.transaction(({ payoutRuns }) =>
    payoutRuns.collect(
      { ...bench.owner, currency: 'eur' },
      { payoutId: newId('po'), before: AT, ...part },
    ),
  );

export const payoutCases: StorageCases = {
  'keeps a payout and its bank account, for their owner only': async (bench) => {
    const account = await storedBankAccount(bench);
    const payout = samplePayout(bench.owner, account.id, null);
    await bench.apply({ writes: [{ kind: 'payout', mode: 'insert', row: payout }] });
    const { payouts, bankAccounts } = bench.storage.read;
    assert.deepEqual(await payouts.find(bench.owner, payout.id), payout);
    assert.deepEqual(await bankAccounts.find(bench.owner, account.id), account);
    const listed = await payouts.list(bench.owner, { destinationId: account.id }, { limit: 10 });
    assert.deepEqual(listed.data, [payout]);
    const unfinished = await bench.storage.transaction((rows) =>
      rows.payouts.findUnfinishedTo(bench.owner, account.id),
    );
    assert.deepEqual(unfinished, payout);
    for (const stranger of bench.strangers) {
      assert.equal(await payouts.find(stranger, payout.id), undefined);
      assert.equal(await bankAccounts.find(stranger, account.id), undefined);
    }
  },
  'refuses a second automatic payout for one due moment': async (bench) => {
    const { id } = await storedBankAccount(bench);
    const add = (period: Date | null) =>
      bench.apply({
        writes: [{ kind: 'payout', mode: 'insert', row: samplePayout(bench.owner, id, period) }],
      });
    await add(AT);
    await assert.rejects(add(AT));
    assert.equal(await add(later(1)), 'applied');
    assert.equal(await add(null), 'applied');
  },
  [`collects each balance transaction for one of ${RACERS} payouts`]: async (bench) => {
    for (const amount of [100n, 200n, 300n]) await storedFunds(bench, amount);
    const parts = await race(() => collect(bench, { limit: 2 }));
    assert.equal(
      parts.reduce((sum, { count }) => sum + count, 0),
      3,
    );
    assert.equal(
      parts.reduce((sum, { net }) => sum + net, 0n),
      600n,
    );
    assert.ok(parts.every(({ count }) => count <= 2));
  },
  'collects no charge from after a time': async (bench) => {
    await storedFunds(bench, 100n, later(1));
    assert.deepEqual(await collect(bench, { limit: 10 }), { count: 0, net: 0n });
    assert.deepEqual(await collect(bench, { limit: 10, before: later(1) }), {
      count: 1,
      net: 100n,
    });
  },
  [`gives a due run to one of ${RACERS} workers, and keeps it whole`]: async (bench) => {
    await storedFunds(bench, 100n);
    const [run] = await bench.storage.read.payoutRuns.listOf(bench.owner.accountId);
    assert.ok(run?.dueAt && run.dueAt <= AT);
    const next: PayoutRun = {
      ...bench.owner,
      currency: 'eur',
      payoutId: newId('po'),
      collected: 5n,
      lastPeriod: AT,
      dueAt: later(60_000),
      waitsFor: 'bank_account_missing',
    };
    const waiting = async () =>
      (await bench.state.countWaitingPayouts()).test.bank_account_missing ?? 0;
    const before = await waiting();
    const taken = await race(() => takeOwn(bench, next));
    assert.equal(await waiting(), before + 1);
    assert.equal(taken.filter(Boolean).length, 1);
    assert.deepEqual(await bench.storage.read.payoutRuns.listOf(bench.owner.accountId), [next]);
    await bench.storage.transaction(({ payoutRuns }) => payoutRuns.wake(bench.owner.accountId, AT));
    const [woken] = await bench.storage.read.payoutRuns.listOf(bench.owner.accountId);
    assert.deepEqual(woken, { ...next, dueAt: AT });
  },
  'keeps how an account is paid out': async (bench) => {
    const { accountId } = bench.owner;
    const schedule = { interval: 'monthly', monthlyAnchor: 31, delayDays: 4, since: AT } as const;
    await bench.storage.transaction(async ({ payoutAccounts }) => {
      const account = await payoutAccounts.findForUpdate(accountId);
      assert.ok(account);
      await payoutAccounts.save({ ...account, payoutsEnabled: false, schedule });
    });
    const saved = await bench.storage.read.payoutAccounts.find(accountId);
    assert.deepEqual([saved?.payoutsEnabled, saved?.schedule], [false, schedule]);
  },
};

/** Takes due runs until the one of the bench; those of other cases are left as they are. */
function takeOwn({ storage, owner }: StorageBench, next: PayoutRun): Promise<boolean> {
  return storage.transaction(async ({ payoutRuns }) => {
    let run = await payoutRuns.takeDue(AT);
    while (run !== undefined && run.accountId !== owner.accountId) {
      run = await payoutRuns.takeDue(AT, run);
    }
    if (run === undefined) return false;
    await payoutRuns.save(next);
    return true;
  });
}
