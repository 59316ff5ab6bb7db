import type { RecordedStatement } from './recorded-statements.ts';
import { FIRST_ACCOUNT, FIRST_ENDPOINT } from './seeds.ts';

/** What pgbench runs: a script, and the variables it is started with. */
export interface PgbenchScript {
  readonly text: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** One operation as recorded, and the ids of its account and endpoint. */
export interface RecordedOperation {
  readonly account: string;
  readonly endpoint: string;
  readonly statements: readonly RecordedStatement[];
}

/** Longer texts are bodies, whose content matters to no index. */
const MAX_ID_LENGTH = 64;
const FIRST_ID = 3_000_000_000_000_000_000n;
/** Room for the ids of one kind in one run of pgbench. */
const IDS_PER_KIND = 100_000_000_000_000n;
const IDS_PER_RUN = 100n * IDS_PER_KIND;

/**
 * Turns two recordings of one kind of operation into a pgbench script of the same SQL texts. What
 * differs between the recordings is an id, and becomes a number of its own per operation that
 * ascends as our ids do; account and endpoint become random ones; all the rest stays as recorded.
 * Numbers stand for ids because pgbench computes nothing else.
 * @param accounts how many to spread the operations over
 * @throws Error when a text cannot be given to pgbench unchanged
 */
export function pgbenchScript(
  first: RecordedOperation,
  second: RecordedOperation,
  accounts: number,
): PgbenchScript {
  const script = new Script(first, second);
  const statements = first.statements.map((statement, index) => {
    const other = second.statements[index];
    if (other?.text !== statement.text) {
      throw new Error('Two operations of one kind sent different statements.');
    }
    return script.statement(statement, other);
  });
  const head = [
    `\\set n random(0, ${accounts - 1})`,
    `\\set account ${FIRST_ACCOUNT} + :n`,
    `\\set endpoint ${FIRST_ENDPOINT} + :n`,
    '\\set seq :seq + 1',
    ...script.ids.map(
      (name, kind) =>
        `\\set ${name} :base + ${IDS_PER_KIND * BigInt(kind)} + :seq * 100 + :client_id`,
    ),
  ];
  return {
    text: [...head, ...statements.map((text) => `${text.trim()};`), ''].join('\n'),
    variables: { seq: '0', ...script.constants },
  };
}

/** Where a run's ids begin, so that no two runs on one database meet. */
export function baseOfRun(run: number): string {
  return String(FIRST_ID + IDS_PER_RUN * BigInt(run));
}

class Script {
  readonly constants: Record<string, string> = {};
  readonly ids: string[] = [];
  readonly #first: RecordedOperation;
  readonly #second: RecordedOperation;
  readonly #known = new Map<string, string>();

  constructor(first: RecordedOperation, second: RecordedOperation) {
    this.#first = first;
    this.#second = second;
  }

  statement(first: RecordedStatement, second: RecordedStatement): string {
    // pgbench would take such words for variables of its own, in literals too.
    const clash = /(?<!:):[A-Za-z0-9_]+/.exec(first.text);
    if (clash) throw new Error(`pgbench would replace ${clash[0]} in: ${first.text}`);
    return first.text.replace(/\$(\d+)/g, (_, digits: string) => {
      const index = Number(digits) - 1;
      return this.#parameter(first.values[index], second.values[index]);
    });
  }

  #parameter(first: unknown, second: unknown): string {
    if (!Array.isArray(first) || !Array.isArray(second)) return this.#scalar(first, second);
    const varies = first.some((value, index) => isId(value, second[index]));
    if (!varies) return this.#constant(toText(first));
    return `ARRAY[${first.map((value, index) => this.#scalar(value, second[index])).join(', ')}]`;
  }

  #scalar(first: unknown, second: unknown): string {
    if (first === null || first === undefined) return 'NULL';
    const text = toText(first);
    if (text === this.#first.account && second === this.#second.account) return ':account';
    if (text === this.#first.endpoint && second === this.#second.endpoint) return ':endpoint';
    const rest = this.#afterEndpoint(text, second);
    if (rest !== undefined) return `(:endpoint::text || ${this.#constant(rest)}::text)`;
    if (!isId(first, second)) return this.#constant(text);
    const known = this.#known.get(text) ?? `id${this.ids.length + 1}`;
    if (!this.#known.has(text)) {
      this.#known.set(text, known);
      this.ids.push(known);
    }
    return `:${known}`;
  }

  /** What follows the id of the endpoint, such as its version, if that is all that varies. */
  #afterEndpoint(first: string, second: unknown): string | undefined {
    if (!first.startsWith(this.#first.endpoint)) return undefined;
    const rest = first.slice(this.#first.endpoint.length);
    return second === this.#second.endpoint + rest ? rest : undefined;
  }

  #constant(text: string): string {
    const name = `p${Object.keys(this.constants).length + 1}`;
    this.constants[name] = text;
    return `:${name}`;
  }
}

function isId(first: unknown, second: unknown): boolean {
  return typeof first === 'string' && first.length <= MAX_ID_LENGTH && first !== second;
}

/** A parameter as text, as `pg` sends it. */
function toText(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `{${value.map(toElement).join(',')}}`;
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return String(value);
}

function toElement(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  return `"${toText(value).replace(/["\\]/g, '\\$&')}"`;
}
