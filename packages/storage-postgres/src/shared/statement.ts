import { createHash } from 'node:crypto';
import type { CustomTypesConfig } from 'pg';
import { columnTypes } from './column-types.ts';

/** Past the statement limit of the server, so that the server's answer comes first. */
const QUERY_LIMIT_MS = 10_000;
/** PostgreSQL cuts longer names, and cut names could meet. */
const MAX_NAME = 63;

/** One SQL text; the schema's quoted name is put into it, never `search_path`. */
export interface Statement {
  /** `pm_<slice>_<verb>_v1`: a new text needs a new name, as connections keep prepared ones. */
  readonly name: string;
  readonly text: (schema: string) => string;
  /** Milliseconds the client waits for the answer. */
  readonly limitMs?: number;
}

/** What pg's `query` takes. */
export interface Query {
  readonly text: string;
  readonly values?: unknown[];
  readonly name?: string;
  readonly types: CustomTypesConfig;
  readonly query_timeout: number;
}

/** Names one statement. */
export function statement(
  name: `pm_${string}`,
  text: (schema: string) => string,
  limitMs?: number,
): Statement {
  return limitMs === undefined ? { name, text } : { name, text, limitMs };
}

/** Turns statements into queries for one schema; every text is made once. */
export class Statements {
  /** The schema's name as it stands in catalogs. */
  readonly schemaName: string;
  /** The schema's name, quoted. */
  readonly schema: string;
  readonly #texts = new Map<string, string>();
  readonly #prepared: boolean;
  /** Two installations may share a pool, hence the connections and their prepared names. */
  readonly #suffix: string;

  constructor(schema: string, prepared: boolean) {
    this.schemaName = schema;
    this.schema = quoted(schema);
    this.#prepared = prepared;
    this.#suffix =
      schema === 'paymount'
        ? ''
        : `_${createHash('sha256').update(schema).digest('hex').slice(0, 8)}`;
  }

  query(of: Statement, values: unknown[]): Query {
    let text = this.#texts.get(of.name);
    if (text === undefined) {
      text = of.text(this.schema);
      this.#texts.set(of.name, text);
    }
    const name = of.name + this.#suffix;
    return {
      text,
      values,
      types: columnTypes,
      query_timeout: of.limitMs ?? QUERY_LIMIT_MS,
      ...(this.#prepared && name.length <= MAX_NAME && { name }),
    };
  }

  /** A text of its own, sent unnamed: what knex built, and transaction control. */
  plain(text: string, values?: unknown[], limitMs = QUERY_LIMIT_MS): Query {
    return {
      text,
      types: columnTypes,
      query_timeout: limitMs,
      ...(values !== undefined && { values }),
    };
  }
}

/** Whether a name needs no escaping: letters, digits and `_`, 1 to 63, no digit first. */
export function isSchemaName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(name);
}

/**
 * @returns the name in double quotes
 * @throws TypeError for names that would need escaping
 */
function quoted(schema: string): string {
  if (!isSchemaName(schema)) {
    throw new TypeError(`"${schema}" is no schema name: letters, digits and _ only, at most 63.`);
  }
  return `"${schema}"`;
}
