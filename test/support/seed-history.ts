/** Whatever runs statements on a migrated database, as a role that may go past triggers. */
export interface Seeded {
  query(text: string, values?: unknown[]): Promise<unknown>;
}

/** How long a history, over how many accounts. */
export interface History {
  readonly charges: number;
  /** Odd, and no multiple of 5: else each account has charges of some kinds only. */
  readonly accounts: number;
  /** Of the description in each event, which is most of its size. @defaultValue 1500 */
  readonly eventCharacters?: number;
}

const START = '2026-01-01T00:00:00.000Z';

/**
 * Writes a history whose data agree, straight into the tables. One second lies between a charge and
 * the next, one charge in four is live, and charge `n` is of account `n % accounts`. Of each 20 charges one is failed,
 * one authorized, one canceled, one captured later, one refunded by half, one has a failed refund;
 * the others succeeded. Four of 20 are of one of the account's ten customers in that environment, each with
 * a payment method of its own. The funds of the oldest four fifths are available.
 */
export async function seedHistory(database: Seeded, history: History): Promise<void> {
  await database.query('SET session_replication_role = replica');
  for (const text of statements(history)) await database.query(text);
  await database.query('SET session_replication_role = DEFAULT');
}

/** SQL of the id of the object with number `n`. */
export const id = (prefix: string, n = 'n'): string =>
  `'${prefix}_' || lpad((${n})::text, 26, '0')`;
/** The number of one of ten customers that an account has in an environment. */
const customer = (account: string, livemode: string, of: string): string =>
  `(${account}) * 20 + (${livemode})::int * 10 + ${of}`;
const OWNER = 'account_id, livemode';
const CARD = `jsonb '{"brand":"visa","last4":"4242","exp_month":12,"exp_year":2030}'`;

function statements({ charges, accounts, eventCharacters = 1500 }: History): readonly string[] {
  return [
    `INSERT INTO paymount.accounts (id, name, country, default_currency, status, version, created)
     SELECT ${id('acct')}, 'Account ' || n, 'DE', 'eur', 'active', 1, '${START}'
     FROM generate_series(0, ${accounts} - 1) AS n`,
    `INSERT INTO paymount.customers (${OWNER}, id, version, email, balance, preferred_locales,
       metadata, created)
     SELECT ${id('acct')}, livemode, ${id('cus', customer('n', 'livemode', 'c'))}, 1,
       'buyer' || c || '@example.com', 0, '{}', '{}', '${START}'
     FROM generate_series(0, ${accounts} - 1) AS n
       CROSS JOIN (VALUES (false), (true)) AS o (livemode) CROSS JOIN generate_series(0, 9) AS c`,
    // One row for each charge, with all that the tables derive from it.
    `CREATE TEMPORARY TABLE history AS SELECT n, ${id('acct', `n % ${accounts}`)} AS account_id,
       (n / 20) % 4 = 0 AS livemode, n % 20 AS kind, 1000 + n % 1000 AS amount,
       n < ${charges} * 0.8 AS released, n % 20 > 2 AS captured, n % 20 IN (1, 2, 3) AS manual,
       CASE n % 20 WHEN 0 THEN 'failed' WHEN 1 THEN 'authorized' WHEN 2 THEN 'canceled'
         ELSE 'succeeded' END AS status,
       CASE WHEN n % 20 > 15
         THEN ${id('cus', customer(`n % ${accounts}`, '(n / 20) % 4 = 0', '(n / 80) % 10'))}
         END AS customer_id,
       timestamptz '${START}' + n * interval '1 second' AS created
     FROM generate_series(0, ${charges} - 1) AS n`,
    `INSERT INTO paymount.payment_methods (${OWNER}, id, version, type, card, processor_token,
       billing_details, metadata, consumed_by, customer_id, created)
     SELECT ${OWNER}, ${id('pm')}, 2, 'card', ${CARD}, 'tok_visa', '{}', '{}',
       CASE WHEN customer_id IS NULL THEN ${id('ch')} END, customer_id, created FROM history`,
    `INSERT INTO paymount.charges (${OWNER}, id, version, status, amount, amount_captured,
       amount_refunded, currency, capture_method, capture_before, captured_at, canceled_at,
       balance_transaction_id, payment_method_id, card, processor_token, billing_details, outcome,
       failure, processor_name, processor_reference, metadata, customer_id, created)
     SELECT ${OWNER}, ${id('ch')}, CASE kind WHEN 4 THEN 3 ELSE 2 END, status, amount, CASE WHEN captured THEN amount ELSE 0 END,
       CASE kind WHEN 4 THEN 500 ELSE 0 END, 'eur', CASE WHEN manual THEN 'manual' ELSE 'automatic' END,
       CASE kind WHEN 1 THEN created + interval '7 days' END, CASE WHEN captured THEN created END,
       CASE kind WHEN 2 THEN created END, CASE WHEN captured THEN ${id('txn', '3 * n')} END,
       ${id('pm')}, ${CARD}, 'tok_visa', '{}', '{"type":"authorized"}',
       CASE kind WHEN 0 THEN jsonb '{"code":"card_declined","message":"Declined."}' END,
       'sandbox', 'ref_' || n, '{"order":"6735"}', customer_id, created FROM history`,
    `INSERT INTO paymount.refunds (${OWNER}, id, version, status, charge_id, amount, currency,
       balance_transaction_id, failure_reason, failure_balance_transaction_id, metadata, created)
     SELECT ${OWNER}, ${id('re')}, 2, CASE kind WHEN 4 THEN 'succeeded' ELSE 'failed' END,
       ${id('ch')}, 500, 'eur', ${id('txn', '3 * n + 1')},
       CASE kind WHEN 5 THEN 'processing_error' END,
       CASE kind WHEN 5 THEN ${id('txn', '3 * n + 2')} END, '{}', created
     FROM history WHERE kind IN (4, 5)`,
    ...operations(),
    ...ledger(),
    `INSERT INTO paymount.events (${OWNER}, id, type, api_version, created, object_id,
       object_version, body, source)
     SELECT ${OWNER}, evt, type, '2026-11-01', created, ch, version,
       '{"id":"' || evt || '","type":"' || type || '","data":{"object":{"id":"' || ch
         || '","amount":' || amount || ',"description":"' || repeat('x', ${eventCharacters}) || '"}}}', 'api'
     FROM (SELECT ${OWNER}, ${id('evt', '2 * n')} AS evt, ${id('ch')} AS ch, amount, created,
         CASE kind WHEN 0 THEN 'charge.failed' WHEN 3 THEN 'charge.captured'
           ELSE 'charge.succeeded' END AS type, 2 AS version
       FROM history WHERE kind NOT IN (1, 2)
       UNION ALL SELECT ${OWNER}, ${id('evt', '2 * n + 1')}, ${id('ch')}, amount, created,
         'charge.refunded', 3 FROM history WHERE kind = 4) e`,
    'DROP TABLE history',
  ];
}

function operations(): readonly string[] {
  const done = (of: { kind: string; slot: number; subject: string; where: string }): string =>
    `INSERT INTO paymount.operations (${OWNER}, id, version, kind, subject_id, charge_id, processor,
       attempt, amount, currency, state, deadline_at, lookups, not_founds, processor_reference,
       outcome, request_id, created)
     SELECT ${OWNER}, ${id('op', `3 * n + ${of.slot}`)}, 2, '${of.kind}', ${of.subject}, ${id('ch')},
       'sandbox', 1, asked, 'eur', 'done', created, 0, 0, 'ref_' || n,
       CASE WHEN approved THEN jsonb_build_object('outcome', 'approved', 'processorReference',
         'ref_' || n, 'amount', asked, 'currency', 'eur')
         ELSE jsonb '{"outcome":"declined","code":"card_declined","declineCode":"do_not_honor","message":"Declined.","retry":"later"}' END,
       'req_1', created
     FROM (SELECT *, CASE WHEN '${of.kind}' = 'refund' THEN 500 ELSE amount END AS asked,
       kind <> 0 AND (kind <> 5 OR '${of.kind}' <> 'refund') AS approved FROM history) h
     WHERE ${of.where}`;
  return [
    done({ kind: 'authorize', slot: 0, subject: id('ch'), where: 'true' }),
    done({ kind: 'cancel', slot: 1, subject: id('ch'), where: 'kind = 2' }),
    done({ kind: 'capture', slot: 1, subject: id('ch'), where: 'kind = 3' }),
    done({ kind: 'refund', slot: 2, subject: id('re'), where: 'kind IN (4, 5)' }),
  ];
}

/** What merchants see of a history, one line of the balance each, and the ledger of it. */
function ledger(): readonly string[] {
  const net = '(line.amount - line.fee)';
  return [
    `CREATE TEMPORARY TABLE line AS
     SELECT ${OWNER}, n, 0 AS slot, 'charge' AS type, ${id('ch')} AS source_id, amount, 30 AS fee,
       released, created FROM history WHERE captured
     UNION ALL SELECT ${OWNER}, n, 1, 'refund', ${id('re')}, -500, 0, released, created
       FROM history WHERE kind IN (4, 5)
     UNION ALL SELECT ${OWNER}, n, 2, 'refund_failure', ${id('re')}, 500, 0, released, created
       FROM history WHERE kind = 5`,
    `INSERT INTO paymount.balance_transactions (${OWNER}, id, type, source_id, amount, fee,
       fee_details, currency, status, available_on, created)
     SELECT ${OWNER}, ${id('txn', '3 * n + slot')}, type, source_id, amount, fee,
       CASE fee WHEN 0 THEN '[]' ELSE jsonb '[{"amount":30,"type":"fee","description":"Fee"}]' END,
       'eur', CASE WHEN released THEN 'available' ELSE 'pending' END,
       created + interval '2 days', created FROM line`,
    `INSERT INTO paymount.ledger_account (${OWNER}, currency, code, balance)
     SELECT ${OWNER}, 'eur', code, CASE WHEN code IN ('pending', 'available', 'reserved') THEN 0 END
     FROM (SELECT DISTINCT ${OWNER} FROM line) o CROSS JOIN unnest(ARRAY['processor_clearing',
       'bank', 'pending', 'available', 'reserved', 'payouts_in_transit', 'fees_revenue',
       'processor_fees', 'losses']) AS code`,
    `INSERT INTO paymount.ledger_transaction (${OWNER}, id, kind, source_id, available_on, created)
     SELECT ${OWNER}, ${id('ltx', '6 * n + slot')},
       CASE type WHEN 'charge' THEN 'capture' ELSE type END, source_id, created + interval '2 days',
       created FROM line
     UNION ALL SELECT ${OWNER}, ${id('ltx', '6 * n + 3 + slot')}, 'availability',
       ${id('txn', '3 * n + slot')}, created, created FROM line WHERE released`,
    `INSERT INTO paymount.ledger_entry (ledger_account_id, transaction_id, ${OWNER}, currency, amount)
     SELECT a.id, e.transaction_id, a.account_id, a.livemode, 'eur', e.amount
     FROM line CROSS JOIN LATERAL (VALUES
       (0, 'processor_clearing', line.amount), (0, 'pending', -${net}), (0, 'fees_revenue', -line.fee),
       (3, 'pending', ${net}), (3, 'available', -${net})) v (base, code, amount)
     CROSS JOIN LATERAL (SELECT ${id('ltx', '6 * n + v.base + slot')}, v.amount)
       AS e (transaction_id, amount)
     JOIN paymount.ledger_account a
       ON (a.account_id, a.livemode, a.code) = (line.account_id, line.livemode, v.code)
     WHERE e.amount <> 0 AND (released OR v.base = 0)`,
    `UPDATE paymount.ledger_account a SET balance = e.balance, debt = CASE a.code
       WHEN 'available' THEN GREATEST(0, -e.balance) ELSE 0 END
     FROM (SELECT ledger_account_id, -sum(amount) AS balance FROM paymount.ledger_entry GROUP BY 1) e
     WHERE e.ledger_account_id = a.id AND a.balance IS NOT NULL`,
    'DROP TABLE line',
  ];
}
