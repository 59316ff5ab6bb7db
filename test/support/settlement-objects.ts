import { newId } from '@paymount/core/kernel';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import type { AdminApp } from './admin-app.ts';
import { query } from './database.ts';
import { type NoticeOwner, recordNotice } from './record-notice.ts';

/** A bank account that a bank has refused. @returns its id */
export async function erroredBankAccount(
  app: AdminApp,
  { account: accountId, environment }: NoticeOwner,
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
  owner: NoticeOwner,
  charge: string,
): Promise<string> {
  const { stores, clock } = partsOf(app.paymount);
  const facts = { lineId: `line of ${charge}`, currency: 'eur', kind: 'payment' };
  await recordNotice(app, owner, charge, {
    noticeId: `line of ${charge}`,
    kind: 'settlement_line',
    data: { ...facts, amount: 1, settledOn: clock.now().toISOString() },
  });
  const scope = { accounts: [owner.account], environments: [owner.environment] };
  const page = await stores.directory.settlementDifferences.list(scope, {}, { limit: 1 });
  return String(page.data[0]?.id);
}
