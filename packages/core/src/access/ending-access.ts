import type { AccessStorage } from './access-storage.ts';

/**
 * The same storage, which ends what depends on access as soon as a change that ends access is
 * committed. Workers do it later if this process does not come to it.
 * @param endDependents never rejects, and takes a bounded time
 */
export function endingAccess<Rows>(
  access: AccessStorage<Rows>,
  endDependents: (ended: readonly string[]) => Promise<void>,
): AccessStorage<Rows> {
  return {
    async change(work) {
      let ended: readonly string[] = [];
      const result = await access.change(async (rows) => {
        const change = await work(rows);
        ended = change.ended ?? [];
        return change;
      });
      if (ended.length > 0) await endDependents(ended);
      return result;
    },
  };
}
