import assert from 'node:assert/strict';
import { type BankAccountId, newId, type Owner } from '@paymount/core/kernel';
import type { BalanceTransaction } from '@paymount/core/ledger';
import type { LiveBankAccount, Payout, PayoutRun } from '@paymount/core/payments';
import { AT, later } from '../samples.ts';
import { RACERS, race, type StorageCases, type StorageSetup } from '../setup.ts';

function sampleBankAccount(owner: Owner, currency: string): LiveBankAccount {
  return {
    ...owner,
    id: newId('ba'),
    version: 1,
    bankName: 'Test Bank',
    last4: '6789',
    routingNumber: '110000000',
    fingerprint: 'f',
    country: 'US',
    currency,
    accountHolderName: null,
    accountHolderType: null,
    isDefault: true,
    heldUntil: null,
    metadata: {},
    created: AT,
    status: 'new',
    number: { sealed: 'sealed', kid: 'k1' },
  };
}

export function samplePayout(
  owner: Owner,
  destinationId: BankAccountId,
  period: Date | null,
): Payout {
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

/** The default of its currency. */
export async function storedBankAccount(
  setup: StorageSetup,
  currency = 'eur',
): Promise<LiveBankAccount> {
  const row = sampleBankAccount(setup.owner, currency);
  await setup.apply({ writes: [{ kind: 'bank_account', mode: 'insert', row }] });
  return row;
}

/** A line of the balance history, and the ledger of its currency. */
async function storedFunds(setup: StorageSetup, amount: bigint, created = AT): Promise<void> {
  const funds: BalanceTransaction = {
    ...setup.owner,
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
  await setup.storage.transaction(({ ledger }) => ledger.lockBalance(setup.owner, 'eur'));
  await setup.apply({ writes: [], balanceTransactions: [funds] });
}

const collect = (setup: StorageSetup, part: { limit: number; before?: Date }) =>
  setup.storage.transaction(({ payoutRuns }) =>
    payoutRuns.collect(
      { ...setup.owner, currency: 'eur' },
      { payoutId: newId('po'), before: AT, ...part },
    ),
  );

export const payoutCases: StorageCases = {
  'keeps a payout and its bank account, for their owner only': async (setup) => {
    const account = await storedBankAccount(setup);
    const payout = samplePayout(setup.owner, account.id, null);
    await setup.apply({ writes: [{ kind: 'payout', mode: 'insert', row: payout }] });
    const { payouts, bankAccounts } = setup.storage.read;
    assert.deepEqual(await payouts.find(setup.owner, payout.id), payout);
    assert.deepEqual(await bankAccounts.find(setup.owner, account.id), account);
    const listed = await payouts.list(setup.owner, { destinationId: account.id }, { limit: 10 });
    assert.deepEqual(listed.data, [payout]);
    const unfinished = await setup.storage.transaction((rows) =>
      rows.payouts.findUnfinishedTo(setup.owner, account.id),
    );
    assert.deepEqual(unfinished, payout);
    for (const stranger of setup.strangers) {
      assert.equal(await payouts.find(stranger, payout.id), undefined);
      assert.equal(await bankAccounts.find(stranger, account.id), undefined);
    }
  },
  'refuses a second automatic payout for one due moment': async (setup) => {
    const { id } = await storedBankAccount(setup);
    const add = (period: Date | null) =>
      setup.apply({
        writes: [{ kind: 'payout', mode: 'insert', row: samplePayout(setup.owner, id, period) }],
      });
    await add(AT);
    await assert.rejects(add(AT));
    assert.equal(await add(later(1)), 'applied');
    assert.equal(await add(null), 'applied');
  },
  [`collects each balance transaction for one of ${RACERS} payouts`]: async (setup) => {
    for (const amount of [100n, 200n, 300n]) await storedFunds(setup, amount);
    const parts = await race(() => collect(setup, { limit: 2 }));
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
  'collects no charge from after a time': async (setup) => {
    await storedFunds(setup, 100n, later(1));
    assert.deepEqual(await collect(setup, { limit: 10 }), { count: 0, net: 0n });
    assert.deepEqual(await collect(setup, { limit: 10, before: later(1) }), {
      count: 1,
      net: 100n,
    });
  },
  [`gives a due run to one of ${RACERS} workers, and keeps it whole`]: async (setup) => {
    await storedFunds(setup, 100n);
    const [run] = await setup.storage.read.payoutRuns.listOf(setup.owner.accountId);
    assert.ok(run?.dueAt && run.dueAt <= AT);
    const next: PayoutRun = {
      ...setup.owner,
      currency: 'eur',
      payoutId: newId('po'),
      collected: 5n,
      lastPeriod: AT,
      dueAt: later(60_000),
      waitsFor: 'bank_account_missing',
    };
    const waiting = async () =>
      (await setup.state.countWaitingPayouts()).test.bank_account_missing ?? 0;
    const before = await waiting();
    const taken = await race(() => takeOwn(setup, next));
    assert.equal(await waiting(), before + 1);
    assert.equal(taken.filter(Boolean).length, 1);
    assert.deepEqual(await setup.storage.read.payoutRuns.listOf(setup.owner.accountId), [next]);
    await setup.storage.transaction(({ payoutRuns }) => payoutRuns.wake(setup.owner.accountId, AT));
    const [woken] = await setup.storage.read.payoutRuns.listOf(setup.owner.accountId);
    assert.deepEqual(woken, { ...next, dueAt: AT });
  },
  'keeps how an account is paid out': async (setup) => {
    const { accountId } = setup.owner;
    const schedule = { interval: 'monthly', monthlyAnchor: 31, delayDays: 4, since: AT } as const;
    await setup.storage.transaction(async ({ payoutAccounts }) => {
      const account = await payoutAccounts.findForUpdate(accountId);
      assert.ok(account);
      await payoutAccounts.save({ ...account, payoutsEnabled: false, schedule });
    });
    const saved = await setup.storage.read.payoutAccounts.find(accountId);
    assert.deepEqual([saved?.payoutsEnabled, saved?.schedule], [false, schedule]);
  },
};

/** Takes due runs until the one of the setup; those of other cases are left as they are. */
function takeOwn({ storage, owner }: StorageSetup, next: PayoutRun): Promise<boolean> {
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
