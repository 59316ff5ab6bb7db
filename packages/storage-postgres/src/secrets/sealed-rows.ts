import { storedResponseContext } from '@paymount/core/changes';
import { secretContext } from '@paymount/core/events';
import {
  type AccountId,
  environmentOf,
  type SealedRow,
  type SealedRowRepository,
  type SealedTable,
} from '@paymount/core/kernel';
import { pairContext } from '@paymount/core/oauth';
import { debitNumberContext, numberContext } from '@paymount/core/payments';
import type { Session } from '../transaction/session.ts';
import { rerun } from '../transaction/transaction.ts';

interface Layout {
  readonly name: SealedTable;
  /** Column of the sealed text. */
  readonly text: string;
  /** The primary key, and what the context needs besides: columns and their types. */
  readonly key: Readonly<Record<string, string>>;
  readonly context: (key: readonly string[]) => string;
}

/** The number of a bank account is bound to the processor's token, which never changes. */
const DEBIT_KEY = {
  account_id: 'text',
  livemode: 'boolean',
  id: 'text',
  processor_token: 'text',
};

const LAYOUTS: Readonly<Record<SealedTable, Layout>> = {
  bank_accounts: {
    name: 'bank_accounts',
    text: 'sealed_number',
    key: { account_id: 'text', livemode: 'boolean', id: 'text' },
    context: ([, , id = '']) => numberContext(id),
  },
  endpoint_secrets: {
    name: 'endpoint_secrets',
    text: 'sealed',
    key: { id: 'text' },
    context: ([id = '']) => secretContext(id),
  },
  idempotency_keys: {
    name: 'idempotency_keys',
    text: 'body',
    key: { account_id: 'text', livemode: 'boolean', key: 'text' },
    context: ([account = '', live, key = '']) =>
      storedResponseContext({
        accountId: account as AccountId,
        environment: environmentOf(live === 'true'),
        key,
      }),
  },
  installation_secrets: {
    name: 'installation_secrets',
    text: 'sealed',
    key: { name: 'text' },
    context: ([name = '']) => installationContext(name),
  },
  payment_methods: {
    name: 'payment_methods',
    text: 'sealed_number',
    key: DEBIT_KEY,
    context: ([, , , token = '']) => debitNumberContext(token),
  },
  refresh_tokens: {
    name: 'refresh_tokens',
    text: 'sealed_pair',
    key: { id: 'text' },
    context: ([id = '']) => pairContext(id),
  },
  tokens: {
    name: 'tokens',
    text: 'sealed_number',
    key: DEBIT_KEY,
    context: ([, , , token = '']) => debitNumberContext(token),
  },
};
const TABLES = Object.values(LAYOUTS);

interface Row {
  readonly key: readonly string[];
  readonly kid: string;
  readonly sealed: string;
}

/** Sealed values on PostgreSQL. */
export function sealedRows(session: Session): SealedRowRepository {
  const { schema } = session.statements;
  const selectRows = async (layout: Layout, sql: string, values: unknown[]) =>
    (await session.plain<Row>(sql, values)).rows.map((row) => toSealed(layout, row));
  const find = async (name: string): Promise<SealedRow | undefined> => {
    const layout = LAYOUTS.installation_secrets;
    return (await selectRows(layout, `${select(schema, layout)} WHERE name = $1`, [name]))[0];
  };
  return {
    async samples() {
      const samples = TABLES.map((layout) => selectRows(layout, samplesSql(schema, layout), []));
      return (await Promise.all(samples)).flat();
    },
    async counts() {
      const counts = TABLES.map(async ({ name }) => {
        const { rows } = await session.plain<{ kid: string; count: bigint }>(
          countSql(schema, name),
        );
        return rows.map(({ kid, count }) => ({ table: name, kid, count: Number(count) }));
      });
      return (await Promise.all(counts)).flat();
    },
    async batch({ table, kid, limit, after }) {
      const layout = LAYOUTS[table];
      const values = [kid, limit, ...(after?.key ?? [])];
      return selectRows(layout, batchSql(schema, layout, after !== undefined), values);
    },
    async replace(table, rows) {
      const layout = LAYOUTS[table];
      const values = [
        ...Object.keys(layout.key).map((_, index) => rows.map(({ row }) => row.key[index])),
        rows.map(({ row }) => row.sealed),
        rows.map(({ sealed }) => sealed),
        rows.map(({ kid }) => kid),
      ];
      const sql = replaceSql(schema, layout);
      return (await rerun(() => session.plain(sql, values))).rowCount ?? 0;
    },
    async installation(name, seal) {
      const known = await find(name);
      if (known !== undefined) return known;
      const { sealed, kid } = await seal(installationContext(name));
      await session.plain(
        `INSERT INTO ${schema}.installation_secrets (name, sealed, kid) VALUES ($1, $2, $3)
           ON CONFLICT DO NOTHING`,
        [name, sealed, kid],
      );
      const stored = await find(name);
      if (stored === undefined)
        throw new Error(`The secret ${name} was deleted while it was made.`);
      return stored;
    },
  };
}

function installationContext(name: string): string {
  return `installation_secrets.sealed:${name}`;
}

function toSealed({ name, context }: Layout, row: Row): SealedRow {
  return { table: name, ...row, context: context(row.key) };
}

function select(schema: string, { name, text, key }: Layout): string {
  const parts = Object.keys(key).map((column) => `t.${column}::text`);
  return `SELECT ARRAY[${parts.join(', ')}] AS key, t.kid, t.${text} AS sealed FROM ${schema}.${name} t`;
}

/** A loose index scan from key to key, so that a million rows of one key cost one look-up. */
function samplesSql(schema: string, layout: Layout): string {
  const table = `${schema}.${layout.name}`;
  return `WITH RECURSIVE kids AS (
  (SELECT kid FROM ${table} WHERE kid IS NOT NULL ORDER BY kid LIMIT 1)
  UNION ALL
  SELECT (SELECT n.kid FROM ${table} n WHERE n.kid > kids.kid ORDER BY n.kid LIMIT 1)
  FROM kids WHERE kids.kid IS NOT NULL)
SELECT s.* FROM kids
CROSS JOIN LATERAL (${select(schema, layout)} WHERE t.kid = kids.kid LIMIT 1) s`;
}

function countSql(schema: string, name: SealedTable): string {
  return `SELECT kid, count(*) AS count FROM ${schema}.${name}
    WHERE kid IS NOT NULL GROUP BY kid ORDER BY kid`;
}

/** `$1` is the key, `$2` the limit, and the next values are the cursor. */
function batchSql(schema: string, layout: Layout, hasCursor: boolean): string {
  const columns = Object.keys(layout.key).map((column) => `t.${column}`);
  const cursor = Object.values(layout.key).map((type, index) => `$${index + 3}::${type}`);
  const after = hasCursor ? `AND (${columns.join(', ')}) > (${cursor.join(', ')})` : '';
  return `${select(schema, layout)} WHERE t.kid = $1 ${after} ORDER BY ${columns.join(', ')} LIMIT $2`;
}

/** Compares the old text, not only the old key, so that no concurrent change is overwritten. */
function replaceSql(schema: string, { name, text, key }: Layout): string {
  const columns = [...Object.keys(key), 'old_text', 'new_text', 'new_kid'];
  const types = [...Object.values(key), 'text', 'text', 'text'];
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`);
  const same = Object.keys(key).map((column) => `t.${column} = n.${column}`);
  return `UPDATE ${schema}.${name} t SET ${text} = n.new_text, kid = n.new_kid
  FROM unnest(${arrays.join(', ')}) AS n (${columns.join(', ')})
  WHERE ${same.join(' AND ')} AND t.${text} = n.old_text`;
}
