import { type AccountId, newId, parseId } from '@paymount/core/kernel';
import type { Notice } from 'paymount/processor';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import type { AdminApp } from './admin-app.ts';
import { query } from './database.ts';

interface Owner {
  readonly account: AccountId;
  readonly environment: 'live' | 'test';
}

/** A bank account that a bank has refused. @returns its id */
export async function erroredBankAccount(
  app: AdminApp,
  { account: accountId, environment }: Owner,
): Promise<string> {
  const principal = {
    kind: 'admin',
    adminId: 'ada',
    scopes: 'all',
    accountId,
    environment,
  } as const;
  const call = { principal, requestId: newId('req') };
  const { bankAccounts } = partsOf(app.paymount).services;
  const { id } = await bankAccounts.create(call, { external_account: 'btok_us' });
  await query(
    app.databaseUrl,
    `UPDATE paymount.bank_accounts SET status = 'errored', failure_code = 'account_closed',
       failure_message = 'Closed.' WHERE id = $1`,
    [id],
  );
  return id;
}

/** A settlement line of another amount than its charge. @returns the id of the difference */
export async function settlementDifference(
  app: AdminApp,
  { account, environment }: Owner,
  charge: string,
): Promise<string> {
  const { stores, noticeInbox, processors, clock } = partsOf(app.paymount);
  const scope = { accounts: [account], environments: [environment] };
  const filter = { state: 'any', subject: charge } as const;
  const { data } = await stores.directory.operations.list(scope, filter, { limit: 1 });
  const operationId = parseId('op', data[0]?.id);
  if (operationId === undefined) throw new Error(`${charge} has no operation.`);
  const at = clock.now();
  const facts = { lineId: `line of ${charge}`, currency: 'eur', kind: 'payment' };
  const notice: Notice = {
    noticeId: `line of ${charge}`,
    kind: 'settlement_line',
    operationId,
    occurredAt: at,
    data: { ...facts, amount: 1, settledOn: at.toISOString() },
  };
  const origin = { environment, processor: processors[environment].name };
  const recorded = await stores.notices.record({ origin, notices: [notice], at, leaseMs: 0 });
  await noticeInbox.applyAll(recorded);
  const page = await stores.directory.settlementDifferences.list(scope, {}, { limit: 1 });
  return String(page.data[0]?.id);
}
