import { createHash } from 'node:crypto';
import { withTimeout } from '@paymount/core/kernel';
import type { ExportedRow, ExportedTable } from '@paymount/core/store';
import type { ExportHook } from '../options/options.ts';

/** For one batch. It is shorter than the lease of the worker that exports. */
const EXPORT_LIMIT_MS = 60_000;
const BATCH_ID_LENGTH = 32;

/**
 * Passes rows of a table to the host.
 * @throws what the host's function rejects with; Error after a minute
 */
export function exportRows(
  hook: ExportHook,
  table: ExportedTable,
): (rows: readonly ExportedRow[]) => Promise<void> {
  return async (rows) => {
    const ids = rows.map(({ id }) => id).join(' ');
    const hash = createHash('sha256').update(`${table} ${ids}`).digest('hex');
    const batch = { id: hash.slice(0, BATCH_ID_LENGTH), table, rows };
    await withTimeout(hook(batch), EXPORT_LIMIT_MS, () => {
      throw new Error(
        `The function retention.export took more than ${EXPORT_LIMIT_MS / 1_000} s; nothing is deleted.`,
      );
    });
  };
}
