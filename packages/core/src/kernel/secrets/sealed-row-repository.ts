import type { Sealer } from './sealer.ts';

/** A table that stores sealed values. */
export type SealedTable =
  | 'bank_accounts'
  | 'endpoint_secrets'
  | 'idempotency_keys'
  | 'installation_secrets'
  | 'payment_methods'
  | 'refresh_tokens'
  | 'tokens';

/** One sealed value as it is stored. */
export interface SealedRow {
  readonly table: SealedTable;
  /** Its primary key, as text. */
  readonly key: readonly string[];
  /** Name of the key that sealed it. */
  readonly kid: string;
  readonly sealed: string;
  /** The context that it was sealed for. */
  readonly context: string;
}

/** How many values one key has sealed in one table. */
export interface SealedCount {
  readonly table: SealedTable;
  readonly kid: string;
  readonly count: number;
}

/** The new value of a row. */
export interface Resealed {
  readonly row: SealedRow;
  readonly kid: string;
  readonly sealed: string;
}

/** All sealed values, in all tables. */
export interface SealedRowRepository {
  /** One row of each key in each table: a process that can open these can open all. */
  samples(): Promise<readonly SealedRow[]>;
  counts(): Promise<readonly SealedCount[]>;
  /**
   * Rows that `kid` sealed, in order of their primary keys.
   * @param after the last row of the previous batch; absent for the first batch
   */
  batch(from: {
    readonly table: SealedTable;
    readonly kid: string;
    readonly limit: number;
    readonly after?: SealedRow;
  }): Promise<readonly SealedRow[]>;
  /**
   * Replaces rows of one table in one statement, if they are unchanged since they were read: of two
   * callers one wins. @returns how many
   */
  replace(table: SealedTable, rows: readonly Resealed[]): Promise<number>;
  /**
   * The secret with this name that all processes share.
   * @param seal makes it if it does not exist; two first callers get the same one
   */
  installation(
    name: string,
    seal: (context: string) => ReturnType<Sealer['seal']>,
  ): Promise<SealedRow>;
}
