import { createHash } from 'node:crypto';
import type { CustomTypesConfig } from 'pg';
import { arrayLiteral } from './array-literal.ts';
import { columnTypes } from './column-types.ts';

/** Longer than the statement timeout of the server, so that the server's error arrives first. */
const QUERY_LIMIT_MS = 10_000;
/** PostgreSQL truncates longer names, and truncated names could be equal. */
const MAX_NAME = 63;

/** One SQL text, with the quoted name of the schema; it does not depend on `search_path`. */
export interface Statement {
  /** `pm_<slice>_<verb>_v1`: a new text needs a new name, as connections keep prepared ones. */
  readonly name: string;
  readonly text: (schema: string) => string;
  /** How many milliseconds the client waits for the response. */
  readonly limitMs?: number;
}

/** The argument of pg's `query`. */
export interface Query {
  readonly text: string;
  readonly values?: unknown[];
  readonly name?: string;
  readonly types: CustomTypesConfig;
  readonly query_timeout: number;
}

/** Makes a statement with a name. */
export function statement(
  name: `pm_${string}`,
  text: (schema: string) => string,
  limitMs?: number,
): Statement {
  return limitMs === undefined ? { name, text } : { name, text, limitMs };
}

/** Turns statements into queries for one schema; each text is built once. */
export class Statements {
  /** The schema's name as in the catalogs. */
  readonly schemaName: string;
  /** The schema's name, quoted. */
  readonly schema: string;
  readonly #texts = new Map<string, string>();
  readonly #prepared: boolean;
  /** Two installations may share a pool, and then also its connections and prepared statements. */
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
      values: values.map(toParameter),
      types: columnTypes,
      query_timeout: of.limitMs ?? QUERY_LIMIT_MS,
      ...(this.#prepared && name.length <= MAX_NAME && { name }),
    };
  }

  /** A text that is sent unnamed: queries of knex, and transaction control. */
  plain(text: string, values?: unknown[], limitMs = QUERY_LIMIT_MS): Query {
    return {
      text,
      types: columnTypes,
      query_timeout: limitMs,
      ...(values !== undefined && { values: values.map(toParameter) }),
    };
  }
}

function toParameter(value: unknown): unknown {
  return Array.isArray(value) ? arrayLiteral(value) : value;
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
