import type { Key } from '../../api/resources.ts';
import { useWholeList } from '../../api/use-whole-list.ts';

/** Keys that were not revoked. The filter of the server counts expired ones as active. */
export function useKeysThatMayWork() {
  return useWholeList<Key>('keys', { status: 'active' });
}
