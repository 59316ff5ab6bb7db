import { startChild } from './child.ts';
import type { BenchDatabase } from './database.ts';
import { pgbenchSide } from './pgbench.ts';
import { pgbenchScript, type RecordedOperation } from './pgbench-script.ts';
import type { Side } from './rounds.ts';

/** The floor of charges: the SQL of one, as it is recorded from the product, run by pgbench. */
export async function chargeFloor(
  database: BenchDatabase,
  options: { readonly accounts: number; readonly connections: number },
): Promise<Side> {
  const recorder = await startChild('charge-store-child.ts', {
    BENCH_DATABASE_URL: database.url,
    BENCH_CONNECTIONS: '1',
    BENCH_ACCOUNTS: String(options.accounts),
    BENCH_RECORD: 'on',
  });
  try {
    // The statements of a charge find the ledger accounts that earlier charges made.
    await recorder.ask('prime');
    const first = await recorder.ask<RecordedOperation>('record', 0);
    const second = await recorder.ask<RecordedOperation>('record', 1);
    return pgbenchSide(database, pgbenchScript(first, second, options.accounts), {
      connections: options.connections,
      check: (operations) => checkCharges(database, operations, operations),
    });
  } finally {
    await recorder.stop();
  }
}

/**
 * Each operation left exactly one settled charge, with all that belongs to it, and the money adds
 * up.
 * @param most more than `least` where the load generator cuts answers off at its end
 */
export async function checkCharges(
  database: BenchDatabase,
  least: number,
  most: number,
): Promise<readonly string[]> {
  const counts = {
    charges: await database.count('charges', "status = 'succeeded'"),
    operations: await database.count('operations', "state = 'done'"),
    answers: await database.count('idempotency_keys', 'status = 200'),
    events: await database.count('events'),
    deliveries: await database.count('deliveries'),
    'ledger transactions': await database.count('ledger_transaction'),
  };
  const wrong = Object.entries(counts)
    .filter(([, count]) => count < least || count > most || count !== counts.charges)
    .map(([rows, count]) => `${count} ${rows} after ${least} operations`);
  const [ledger] = await database.query<{ sum: string; balances: string }>(
    `SELECT (SELECT COALESCE(sum(amount), 0) FROM paymount.ledger_entry)::text AS sum,
       ((SELECT COALESCE(sum(balance), 0) FROM paymount.ledger_account)
         + (SELECT COALESCE(sum(amount), 0) FROM paymount.ledger_tail))::text AS balances`,
  );
  if (ledger?.sum !== '0') wrong.push(`the ledger sums to ${ledger?.sum}, not to 0`);
  if (ledger?.balances !== String(counts.charges * 1999)) {
    wrong.push(`balances sum to ${ledger?.balances} after ${counts.charges} charges of 1999`);
  }
  return wrong;
}
