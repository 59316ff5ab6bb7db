/** Tables whose old rows are exported before they are deleted. */
export type ExportedTable = 'delivery_attempts' | 'deliveries' | 'replays' | 'events';

/** The columns of a row by their names, as JSON; `id` is one of them. */
export type ExportedRow = Readonly<Record<string, unknown>> & { readonly id: string };

/** One step on the way through the old rows of a table. */
export interface ExportWalk {
  readonly table: ExportedTable;
  /** Rows that finished before this; events that were created, or attempts whose day ended before. */
  readonly before: Date;
  /** The `next` of the step before; absent at the beginning. */
  readonly after?: string;
  /** How many rows are read. */
  readonly limit: number;
}

export interface ExportedBatch {
  readonly deleted: number;
  /** Where the next step begins; absent after the last row. */
  readonly next?: string;
  /** Whether the next step may begin soon. */
  readonly hasMore: boolean;
}

/** What is deleted after a time, for hosts that keep a copy of it. */
export interface ExportQueue {
  /**
   * Reads old rows, at most `limit`, and deletes them after `give` has resolved: exactly these, and
   * only those that are still old. Attempts are deleted with the last rows of their day. `give` is
   * called outside of transactions, and not for an empty batch. If it rejects, nothing is deleted, and
   * the same rows are given again. One caller works at a table: others find nothing until it has
   * finished, or has not been back for two minutes.
   */
  step(
    walk: ExportWalk,
    give: (rows: readonly ExportedRow[]) => Promise<void>,
  ): Promise<ExportedBatch>;
}
