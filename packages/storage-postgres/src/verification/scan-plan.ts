import type { Session } from '../transaction/session.ts';

/** What the server expects of a scan, from the statistics of its tables. */
export interface ScanPlan {
  /** That it reads of tables. */
  readonly rows: number;
  /** Of temporary files, for what it sorts or hashes beyond its memory. */
  readonly diskBytes: number;
}

/** `work_mem` of a snapshot, and with its `hash_mem_multiplier`. */
const SORT_MEMORY = 64 * 1024 * 1024;
const HASH_MEMORY = 2 * SORT_MEMORY;
/** Of each row in a temporary file: the header of its tuple and its length. */
const ROW_OVERHEAD = 24;

/** A node of `EXPLAIN (FORMAT JSON)`, as far as it is needed. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Plan Rows': number;
  readonly 'Plan Width': number;
  readonly 'Relation Name'?: string;
  readonly Strategy?: string;
  readonly 'Subplan Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

/**
 * Asks the server how it would execute a scan. An estimate: it knows what `ANALYZE` has found last, and it
 * plans again when the scan begins.
 */
export async function planScan(session: Session, text: string, limitMs: number): Promise<ScanPlan> {
  const { rows } = await session.plain<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
    `EXPLAIN (FORMAT JSON) ${text}`,
    undefined,
    limitMs,
  );
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
  const nodes = plan === undefined ? [] : nodesOf(plan);
  return {
    rows: sum(nodes.map((node) => (node['Relation Name'] === undefined ? 0 : node['Plan Rows']))),
    diskBytes: sum(nodes.map(diskOf)),
  };
}

function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** What a node writes to temporary files. A common table expression is written once, for its readers. */
function diskOf(node: PlanNode): number {
  const isStored = node['Subplan Name']?.startsWith('CTE ') === true;
  return workOf(node) + (isStored ? beyond(SORT_MEMORY, bytesOf(node)) : 0);
}

function workOf(node: PlanNode): number {
  const [outer, inner] = node.Plans ?? [];
  switch (node['Node Type']) {
    case 'Sort':
    case 'Incremental Sort':
    case 'Materialize':
      return beyond(SORT_MEMORY, bytesOf(node));
    case 'Hash Join': {
      // Both sides, but for the part that is in memory.
      const built = bytesOf(inner);
      return built > HASH_MEMORY ? (built + bytesOf(outer)) * (1 - HASH_MEMORY / built) : 0;
    }
    case 'Aggregate':
      // The rows of those groups that have no room.
      return node.Strategy === 'Hashed' && bytesOf(node) > HASH_MEMORY
        ? bytesOf(outer) * (1 - HASH_MEMORY / bytesOf(node))
        : 0;
    default:
      return 0;
  }
}

function bytesOf(node: PlanNode | undefined): number {
  return node === undefined ? 0 : node['Plan Rows'] * (node['Plan Width'] + ROW_OVERHEAD);
}

/** What does not fit into memory. */
function beyond(memory: number, bytes: number): number {
  return bytes > memory ? bytes : 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
