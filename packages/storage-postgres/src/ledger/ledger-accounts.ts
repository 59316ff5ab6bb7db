import { livemode, type Owner } from '@paymount/core/kernel';
import type { StoredChange } from '@paymount/core/store';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';

/** After the cache is cleared, each ledger costs one more statement. */
const MAX_KNOWN = 100_000;

const create = statement(
  'pm_ledger_open_v2',
  (s) => `WITH run AS (INSERT INTO ${s}.payout_runs (account_id, livemode, currency, due_at)
      VALUES ($1, $2, $3, 'epoch') ON CONFLICT DO NOTHING)
    INSERT INTO ${s}.ledger_account (account_id, livemode, currency, code, balance)
    SELECT $1, $2, $3, code, CASE WHEN code IN ('pending', 'available', 'reserved') THEN 0 END
    FROM unnest(ARRAY['processor_clearing', 'bank', 'pending', 'available', 'reserved',
      'payouts_in_transit', 'fees_revenue', 'processor_fees', 'losses']) AS code
    ON CONFLICT DO NOTHING`,
);

/**
 * Opens the ledger accounts of every currency that the change posts in. This comes before any lock,
 * because a row that does not exist cannot be locked. Each ledger gets its run of automatic payouts.
 * @param known accounts that are known to be committed; one that was opened in a transaction may be
 * rolled back with it
 */
export async function ensureLedgerAccounts(
  session: Session,
  change: StoredChange,
  known: Set<string>,
): Promise<void> {
  for (const { currency } of change.postings ?? [])
    await openLedger(session, change, currency, known);
}

/** The same for one currency. */
export async function openLedger(
  session: Session,
  { accountId, environment }: Owner,
  currency: string,
  known: Set<string>,
): Promise<void> {
  const ledger = `${accountId} ${environment} ${currency}`;
  if (known.has(ledger)) return;
  await session.query(create, [accountId, livemode(environment), currency]);
  const remember = (): void => {
    if (known.size >= MAX_KNOWN) known.clear();
    known.add(ledger);
  };
  if (session.open === undefined) remember();
  else session.open.onEnd((end) => end === 'committed' && remember());
}
