import type { Sealer } from './sealer.ts';

/** A table that keeps something sealed. */
export type SealedTable = 'endpoint_secrets' | 'idempotency_keys' | 'installation_secrets';

/** One sealed value as it is stored. */
export interface SealedRow {
  readonly table: SealedTable;
  /** Its primary key, as text. */
  readonly key: readonly string[];
  /** Name of the key that sealed it. */
  readonly kid: string;
  readonly sealed: string;
  /** What it was sealed for. */
  readonly context: string;
}

/** How much one key has sealed in one table. */
export interface SealedCount {
  readonly table: SealedTable;
  readonly kid: string;
  readonly count: number;
}

/** What a row shall hold from now on. */
export interface Resealed {
  readonly row: SealedRow;
  readonly kid: string;
  readonly sealed: string;
}

/** Everything that is sealed at rest, wherever it is kept. */
export interface SealedRows {
  /** One row of each key in each table: what opens these opens all. */
  samples(): Promise<readonly SealedRow[]>;
  counts(): Promise<readonly SealedCount[]>;
  /**
   * Rows that `kid` sealed, in order of their primary keys.
   * @param after the last row of the batch before; the first batch has none
   */
  batch(from: {
    readonly table: SealedTable;
    readonly kid: string;
    readonly limit: number;
    readonly after?: SealedRow;
  }): Promise<readonly SealedRow[]>;
  /**
   * Replaces rows of one table in one statement, where they still are as they were read: of two
   * callers one wins. @returns how many
   */
  replace(table: SealedTable, rows: readonly Resealed[]): Promise<number>;
  /**
   * The secret of this name that all processes share.
   * @param seal makes it when there is none; of two callers at first both get one and the same
   */
  installation(
    name: string,
    seal: (context: string) => ReturnType<Sealer['seal']>,
  ): Promise<SealedRow>;
}
