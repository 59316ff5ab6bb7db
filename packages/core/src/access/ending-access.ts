import type { AccessStorage } from './access-storage.ts';

/**
 * The same storage, which ends what depends on access as soon as a change that ends access is
 * committed. Workers do it later if this process does not come to it.
 * @param endDependents never rejects, and takes a bounded time
 */
export function endingAccess<Rows>(
  access: AccessStorage<Rows>,
  endDependents: () => Promise<void>,
): AccessStorage<Rows> {
  return {
    async change(work) {
      let hasEnded = false;
      const result = await access.change(async (rows) => {
        const change = await work(rows);
        hasEnded = (change.ended ?? []).length > 0;
        return change;
      });
      if (hasEnded) await endDependents();
      return result;
    },
  };
}
