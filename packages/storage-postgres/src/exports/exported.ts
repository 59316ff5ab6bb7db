import type { Stores } from '@paymount/core/store';

type Step = Stores['exports']['step'];

export type ExportWalk = Parameters<Step>[0];
/** Passes rows to the host. */
export type Give = Parameters<Step>[1];
export type ExportedRow = Parameters<Give>[0][number];
export type ExportedBatch = Awaited<ReturnType<Step>>;

/** A row that was read on the way through a table. */
export interface SeenRow {
  readonly id: string;
  /** The row as JSON, if it is old. */
  readonly shown: ExportedRow | null;
}
