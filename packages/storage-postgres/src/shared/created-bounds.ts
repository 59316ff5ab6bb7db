import type { CreatedFilter } from '@paymount/core/kernel';
import { present } from './present-rows.ts';

/** The columns of a request for objects that were created at some time. */
export interface BoundsRow {
  readonly created_gt: Date | null;
  readonly created_gte: Date | null;
  readonly created_lt: Date | null;
  readonly created_lte: Date | null;
}

/** The bounds of a row; null if there are none. */
export function toBounds(row: BoundsRow): CreatedFilter | null {
  const bounds: CreatedFilter = present({
    gt: row.created_gt,
    gte: row.created_gte,
    lt: row.created_lt,
    lte: row.created_lte,
  });
  return Object.keys(bounds).length === 0 ? null : bounds;
}
