import pg from 'pg';

/** A node of a plan, as `EXPLAIN (FORMAT JSON)` shows it. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** What PostgreSQL did for one statement of the engine. */
export interface Explained {
  readonly name: string;
  /** Pages of tables and indexes that it looked at, as often as it did. */
  readonly blocks: number;
  /** Rows that the steps of its plan looked at, those they dropped included. */
  readonly rows: number;
  /** Tables that it read from beginning to end. */
  readonly scanned: readonly string[];
  /** The plan in short, for the message of a failing test. */
  readonly plan: string;
}

/** A pool whose prepared statements are explained before they run. */
export interface ExplainingPool {
  readonly pool: pg.Pool;
  /** @returns what PostgreSQL did for the statements that `work` sent */
  explain(work: () => Promise<unknown>): Promise<readonly Explained[]>;
}

/** PostgreSQL plans a prepared statement for its values five times, and may then plan it for any. */
const MODES = ['force_custom_plan', 'force_generic_plan'] as const;

/**
 * Each statement runs three times: explained with a plan for its values, then with one for any
 * values, both rolled back; and then as it was sent.
 */
export function explainingPool(url: string): ExplainingPool {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const explained: Explained[] = [];
  pool.on('connect', (client) => {
    const send = client.query.bind(client) as (query: unknown) => Promise<pg.QueryResult>;
    let begun = false;
    const query = async (sent: unknown): Promise<pg.QueryResult> => {
      const { name, text, values = [] } = toQuery(sent);
      if (name !== undefined) {
        for (const mode of MODES) {
          explained.push(...(await explainOnce({ name, text, values }, mode, send, begun)));
        }
      }
      begun = /^BEGIN/.test(text) || (begun && !/^(COMMIT|ROLLBACK$)/.test(text));
      return send(sent);
    };
    Object.assign(client, { query });
  });
  return {
    pool,
    async explain(work) {
      explained.length = 0;
      await work();
      return [...explained];
    },
  };
}

function toQuery(sent: unknown): pg.QueryConfig<unknown[]> {
  return typeof sent === 'string' ? { text: sent } : (sent as pg.QueryConfig<unknown[]>);
}

/** @returns nothing for a statement that fails: sent as it is, it says why */
async function explainOnce(
  { name, text, values }: { name: string; text: string; values: readonly unknown[] },
  mode: (typeof MODES)[number],
  send: (query: string) => Promise<pg.QueryResult>,
  begun: boolean,
): Promise<readonly Explained[]> {
  const execute = values.length === 0 ? 'explained' : `explained (${values.map(toLiteral)})`;
  await send(begun ? 'SAVEPOINT explained' : 'BEGIN');
  await send(`SET LOCAL plan_cache_mode = ${mode}`);
  await send(`PREPARE explained AS ${text}`);
  const explain = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE ${execute}`;
  const rows = await send(explain).then(
    (result) => result.rows,
    () => [],
  );
  await send(begun ? 'ROLLBACK TO SAVEPOINT explained' : 'ROLLBACK');
  await send('DEALLOCATE explained');
  return rows.map((row) => {
    const plan = row['QUERY PLAN'][0].Plan as PlanNode;
    return {
      name: `${name}, ${mode}`,
      blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
      rows: rowsOf(plan),
      scanned: scannedBy(plan),
      plan: toLines(plan).join('\n'),
    };
  });
}

function scannedBy(node: PlanNode): readonly string[] {
  const own = node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? ''] : [];
  return [...own, ...(node.Plans ?? []).flatMap(scannedBy)];
}

function toLines(node: PlanNode): readonly string[] {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Name': index = '' } = node;
  const pages = node['Shared Hit Blocks'] + node['Shared Read Blocks'];
  const own = `${type} ${table} ${index} (rows ${seenBy(node)}, pages ${pages})`;
  return [own, ...(node.Plans ?? []).flatMap(toLines).map((line) => `  ${line}`)];
}

function rowsOf(node: PlanNode): number {
  return (node.Plans ?? []).reduce((sum, plan) => sum + rowsOf(plan), seenBy(node));
}

function seenBy(node: PlanNode): number {
  const removed =
    (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0);
  return Math.round((node['Actual Rows'] + removed) * node['Actual Loops']);
}

function toLiteral(value: unknown): string {
  return value === null ? 'NULL' : pg.escapeLiteral(toText(value));
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(toElement).join(',')}}`;
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  return String(value);
}

function toElement(value: unknown): string {
  return value === null ? 'NULL' : JSON.stringify(toText(value));
}
